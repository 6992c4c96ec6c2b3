#!/usr/bin/env python3
"""Django's command line. Without DATABASE_URL it works on the embedded server's data in `var/`."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
    os.environ.setdefault("GEMSERVER_MODE", "production" if "DATABASE_URL" in os.environ else "embedded")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
