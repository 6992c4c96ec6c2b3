"""An option that rewrites the expected mails of the transcripts, codes that begin with M1, and a match of two."""

from __future__ import annotations

import pytest
from django.core.management.color import no_style
from django.db import connection

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match, Seat
from tests.builders import asked, make_match, make_user


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-transcripts", action="store_true", help="write tests/mailgate/transcripts/*.txt anew"
    )


@pytest.fixture
def counted_anew(db: None) -> None:
    """Make the first match M1: PostgreSQL does not by itself reuse a number that another test has used."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Match]):
            cursor.execute(statement)


@pytest.fixture
def match() -> Match:
    """Ana and Ben at GEM, just begun."""
    return make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    """The seat that is asked."""
    return asked(match)


@pytest.fixture
def player(seat: Seat) -> User:
    """The player who is asked."""
    assert seat.user
    return seat.user
