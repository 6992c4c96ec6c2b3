#!/usr/bin/env python3
"""Django's command line. Without DATABASE_URL it works on the embedded server's data in `var/`."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
    os.environ.setdefault("GEMSERVER_MODE", "production" if "DATABASE_URL" in os.environ else "embedded")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        # PostgreSQL has a code for every error but one: that it was not there to give any.
        if "--traceback" in sys.argv or getattr(error.__cause__, "sqlstate", "") is not None:
            raise
        reason = str(error).partition("\n")[0]
        sys.exit(f"The database does not answer: {reason}. gemctl doctor says what to do.")


if __name__ == "__main__":
    main()
