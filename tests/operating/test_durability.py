"""The doctor, where PostgreSQL does not wait for the disk."""

from __future__ import annotations

import pytest
from django.db import connection

from gemserver.operating.doctor import examine_server

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]


def test_a_database_that_loses_moves_with_the_power_is_told() -> None:
    """The tests' own PostgreSQL runs without `fsync`."""
    assert examine() == (
        "PostgreSQL runs with fsync off",
        "Set fsync to on, or a power cut takes moves that players were told of.",
    )
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    assert examine()[0] == "PostgreSQL runs with fsync, synchronous_commit off"


def examine() -> tuple[str, str]:
    [finding] = [each for each in examine_server() if each.subject == "durability"]
    return finding.found, finding.advice
