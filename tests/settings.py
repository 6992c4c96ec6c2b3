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
    from django.db.backends.sqlite3.base import DatabaseWrapper

    # What PostgreSQL refuses and SQLite would take: a text too long for its column, a number too large.
    DatabaseWrapper.data_type_check_constraints = DatabaseWrapper.data_type_check_constraints | {
        "CharField": 'length("%(column)s") <= %(max_length)s',
        "SlugField": 'length("%(column)s") <= %(max_length)s',
        "IntegerField": '"%(column)s" BETWEEN -2147483648 AND 2147483647',
        "PositiveIntegerField": '"%(column)s" BETWEEN 0 AND 2147483647',
        "SmallIntegerField": '"%(column)s" BETWEEN -32768 AND 32767',
        "PositiveSmallIntegerField": '"%(column)s" BETWEEN 0 AND 32767',
    }
    # A file, not memory, because live servers and threads of tests share it; named by process, so that runs do not.
    DATABASES["default"]["TEST"] = {"NAME": VAR_DIR / f"test-{os.getpid()}.sqlite3"}  # noqa: F405
