"""Settings of the test suite: SQLite in a file, or the database of DATABASE_URL."""

import os

os.environ["GEMSERVER_MODE"] = "test"

from gemserver.settings import *  # noqa: F403

GAMES = ["florentine", "gem", "gembatan", "gemessengers", "jewellers"]
"""By name: another game changes no lobby, no receipt and no draw of a simulation."""

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Static files are looked for when they are asked for. Otherwise every test client looks at all of them first, in 15 ms.
WHITENOISE_AUTOREFRESH = True

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):  # noqa: F405
    # A file, not memory, because live servers and threads of tests share it; named by process, so that runs do not.
    DATABASES["default"]["TEST"] = {"NAME": VAR_DIR / f"test-{os.getpid()}.sqlite3"}  # noqa: F405
