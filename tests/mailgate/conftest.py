"""The flag with which the expected mails of the transcripts are written anew, and codes that begin with M1."""

from __future__ import annotations

import pytest
from django.core.management.color import no_style
from django.db import connection

from gemserver.matches.models import Match


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-transcripts", action="store_true", help="write tests/mailgate/transcripts/*.txt anew"
    )


@pytest.fixture
def counted_anew(db: None) -> None:
    """The first match is M1: on PostgreSQL a number that was used by another test is not given again by itself."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Match]):
            cursor.execute(statement)
