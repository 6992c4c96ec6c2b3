"""The flag with which the expected mails of the transcripts are written anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-transcripts", action="store_true", help="write tests/mailgate/transcripts/*.txt anew"
    )
