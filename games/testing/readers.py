"""Readers, languages and players' names for the tests of words."""

from __future__ import annotations

import gettext

from games.contract import Seat
from games.testing.cases import Case

TR = gettext.NullTranslations()
NAMES = ("Ana", "Benedikt von und zu Hohenfels-Schwarzenberg", "陈", "D’Arcy", "Eve", "Frøydis", "Guy", "Hal")


def list_readers(case: Case) -> list[Seat | None]:
    """A spectator, then every seat."""
    return [None, *range(case.seats)]
