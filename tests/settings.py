"""Settings of the test suite: SQLite in a file, or the database of DATABASE_URL."""

import os

os.environ["GEMSERVER_MODE"] = "test"

from gemserver.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
