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
"""At least so much of a season is in nobody's budget."""
DAY = timedelta(days=1)


def bank_for(days: int, seats: int) -> timedelta:
    """The budget of a seat in whole days: its part of nine tenths of the season.

    It is rounded up where `LEAST_MARGIN` is still left then, else down. From that margin come the time that the server
    gives back after an outage, the moves of bots, and the closing day.
    """
    most = (timedelta(days=days) - LEAST_MARGIN) / seats
    part = min(timedelta(days=days) * 9 / 10 / seats, most)
    return min(-(-part // DAY), most // DAY) * DAY


def offered_lengths(game: str, seats: int, *, is_sealed: bool) -> tuple[int, ...]:
    """The season lengths, in days, in which 99 of 100 fixtures finish within their budgets without a bot.

    A game that was not measured has the longest.
    """
    hours = NEEDED_HOURS.get((game, seats, is_sealed))
    if hours is None:
        return SEASON_DAYS[-1:]
    return tuple(days for days in SEASON_DAYS if bank_for(days, seats) >= timedelta(hours=hours))
