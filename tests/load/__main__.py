"""`python -m tests.load`: every measurement, one after the other; status 1 if one is worse than it may be."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.services.daemons import Postgres, find_postgres


def main() -> int:
    if find_postgres("postgres") is None:
        print(
            "The load is measured on PostgreSQL, which is not installed; install Debian's package postgresql."
        )
        return 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-load-")))
        folder.chmod(0o755)  # PostgreSQL is another user's
        postgres = Postgres(folder)
        stack.callback(postgres.stop)
        postgres.start()
        _set_up(postgres, folder)
        from tests.load import mails, sweep

        mails.measure(print)
        return 0 if sweep.measure(print) else 1


def _set_up(postgres: Postgres, folder: Path) -> None:
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "GEMSERVER_MODE": "test",
        "GEMSERVER_VAR": str(folder),
        "DATABASE_URL": postgres.url,
        "LOG_LEVEL": "ERROR",
        # One host sends all mails here.
        "MAIL_RATE_SENDER": "0",
        "MAIL_RATE_ADDRESS": "0",
    }
    import django

    django.setup()


if __name__ == "__main__":
    sys.exit(main())
