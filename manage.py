#!/usr/bin/env python3
"""Django's command line. Without DATABASE_URL it works on the embedded server's data in `var/`.

GEM_PROGRAM is the name under which gemctl runs it, for the help texts.
"""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
    os.environ.setdefault("GEMSERVER_MODE", "production" if "DATABASE_URL" in os.environ else "embedded")
    try:
        from django.core.exceptions import ImproperlyConfigured
        from django.core.management import execute_from_command_line
        from django.db import OperationalError
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed here: python3 requirements/install.py requirements.txt")

    try:
        execute_from_command_line([os.environ.get("GEM_PROGRAM", sys.argv[0]), *sys.argv[1:]])
    except OperationalError as error:
        # PostgreSQL has a code for every error but one: that it was not there to give any. 53, 57P and 58 begin those
        # of its own troubles: no memory, a full disk, a shutdown, files that it cannot read.
        code = getattr(error.__cause__, "sqlstate", "")
        if "--traceback" in sys.argv or not (code is None or code.startswith(("53", "57P", "58"))):
            raise
        reason = str(error).partition("\n")[0]
        trouble = "answer" if code is None else "do what it is asked"
        sys.exit(f"The database does not {trouble}: {reason}. gemctl doctor says what to do.")
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"The settings cannot be used: {error} docs/operating.md lists the variables.")
    except ModuleNotFoundError as error:
        if "--traceback" in sys.argv or (error.name or "").partition(".")[0] in (
            "gemserver",
            "games",
            "tests",
        ):
            raise
        sys.exit(f"{error.name} is not installed here: python3 requirements/install.py requirements.txt")
    except PermissionError as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(f"{error.filename}: {error.strerror} for the user {os.getuid()}; gemctl doctor says more.")
    except BrokenPipeError:
        # Whoever read it has read enough, as `head` does. Nothing is left to be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
