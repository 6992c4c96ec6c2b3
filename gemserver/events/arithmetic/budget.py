"""The clock of a season: each seat of a fixture has a total budget, and all budgets fit before the season's end.

>>> bank_for(56, 4)
datetime.timedelta(days=13)
>>> offered_lengths("gem", 4, is_sealed=True)
(56, 70, 84, 98, 112)
"""

from __future__ import annotations

from datetime import timedelta

from gemserver.events.arithmetic.needed_hours import NEEDED_HOURS

SEASON_DAYS = (14, 21, 28, 35, 42, 56, 70, 84, 98, 112)
"""Lengths from which an organiser chooses, where people finish in that time."""
CLOSING = timedelta(days=1)
"""So long before the end bots begin to play for whoever is asked."""


LEAST_MARGIN = timedelta(days=2)
DAY = timedelta(days=1)


class DoesNotFit(ValueError):
    """A season that its fixtures could outlast: the sentence says by how much."""


def bank_for(days: int, seats: int) -> timedelta:
    """The budget of a seat in whole days: its part of nine tenths of the season.

    It is rounded up where two days of the season are still free then, else down. Time that the server gives back after
    an outage comes out of what is free, the moves of bots do, and the closing day.
    """
    part = min(timedelta(days=days) * 9 / 10, timedelta(days=days) - LEAST_MARGIN) / seats
    most = (timedelta(days=days) - LEAST_MARGIN) / seats
    return min(-(-part // DAY), most // DAY) * DAY


def check_budget(days: int, seats: int, bank: timedelta) -> None:
    """Raise DoesNotFit if a fixture whose seats all use their whole budgets, one after another, passes the end."""
    worst = bank * seats + LEAST_MARGIN
    if worst > timedelta(days=days):
        raise DoesNotFit(
            f"{seats} budgets of {bank / DAY:.1f} days and the margin are"
            f" {worst / DAY:.1f} days; the season has {days}"
        )


def offered_lengths(game: str, seats: int, *, is_sealed: bool) -> tuple[int, ...]:
    """The season lengths, in days, in which 99 of 100 fixtures finish within their budgets without a bot.

    A game that was not measured has the longest.
    """
    hours = NEEDED_HOURS.get((game, seats, is_sealed))
    if hours is None:
        return SEASON_DAYS[-1:]
    return tuple(days for days in SEASON_DAYS if bank_for(days, seats) >= timedelta(hours=hours))
