"""Counts wins: who shares first place has a share of the win, so that every match is won once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Case, Count, IntegerField, OuterRef, Subquery, Value, When

from gemserver.matches.models import Seat

_FIRSTS = Seat.objects.filter(match=OuterRef("match"), rank=1).order_by().values("match")
SHARERS = Case(
    When(rank=1, then=Subquery(_FIRSTS.annotate(number=Count("pk")).values("number"))),
    default=Value(0),
    output_field=IntegerField(),
)
"""For rows with `match` and `rank`: how many have first place, of whom this is one; 0 for who has not."""


@dataclass(frozen=True, slots=True)
class Won:
    """Matches that somebody has played, and how they came out of them."""

    played: int = 0
    firsts: int = 0
    """First places, alone or shared."""
    wins: Fraction = Fraction(0)

    def __add__(self, other: Won) -> Won:
        return Won(self.played + other.played, self.firsts + other.firsts, self.wins + other.wins)


def sum_won(rows: Iterable[tuple[int, int]]) -> Won:
    """Sum up matches from how many each row counts, and its `SHARERS`.

    >>> sum_won([(3, 0), (2, 1), (1, 2)])
    Won(played=6, firsts=3, wins=Fraction(5, 2))
    """
    return sum(
        (
            Won(number, number, Fraction(number, sharers)) if sharers else Won(number)
            for number, sharers in rows
        ),
        Won(),
    )
