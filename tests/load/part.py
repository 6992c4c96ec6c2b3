"""`python -m tests.load.part PART`: one part, on the database of the environment; its figures go to a file."""

from __future__ import annotations

import json
import os
import secrets
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path


def main(part: str) -> None:
    """Set Django up for tests, measure, and write `figures.json` into GEMSERVER_VAR."""
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "GEMSERVER_MODE": "test",
        "LOG_LEVEL": "ERROR",
        "MAIL_KEY": secrets.token_hex(32),
        # One host sends all mails here.
        "MAIL_RATE_SENDER": "0",
        "MAIL_RATE_ADDRESS": "0",
    }
    import django

    django.setup()
    folder = Path(os.environ["GEMSERVER_VAR"])
    figures = import_module(f"tests.load.{part}").measure(_say, folder)
    text = json.dumps([asdict(figure) for figure in figures])
    (folder / "figures.json").write_text(text, encoding="utf-8")


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
