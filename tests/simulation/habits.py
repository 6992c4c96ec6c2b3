"""Habits of players: their homes, the times at which they look, and their ways to answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum
from random import Random
from zoneinfo import ZoneInfo

ZONES = (
    *("Europe/Paris", "Europe/London", "America/New_York", "America/Los_Angeles", "America/St_Johns"),
    *("Australia/Sydney", "Australia/Lord_Howe", "Asia/Kathmandu", "Asia/Tokyo", "UTC"),
)
NIGHTS = (None, None, (time(22), time(7)), (time(23, 30), time(8)), (time(1), time(9, 15)))
"""Quiet hours: a third has none."""
LEADS = (
    None,
    None,
    None,
    [],
    [timedelta(hours=2)],
    [timedelta(hours=36), timedelta(hours=12), timedelta(hours=1)],
)
"""Wishes for reminders; None is the server's default."""


class Way(Enum):
    """The way in which a player learns of turns and answers."""

    MAIL = "a mail for each turn, answered by mail"
    WEB = "a mail for each turn, answered on the web"
    DIGEST = "one mail a day, answered by one mail"
    SILENT = "no mail at all"


@dataclass(frozen=True, slots=True)
class Habit:
    """The habits of one person.

    `looks`: times a day, on average; `answers`: the chance that a match is answered at a look; `leaves_after`: when the
    person is never seen again; `vacation`: day of the simulation and number of days; `gives_away`: when, as a fraction
    of the whole time, others are asked to play for this person for some days.
    """

    zone: ZoneInfo
    quiet: tuple[time, time] | None
    way: Way
    looks: float
    answers: float
    leads: list[timedelta] | None
    rests_at_weekends: bool
    leaves_after: timedelta | None
    vacation: tuple[int, int] | None
    snoozes: bool
    substitutes: bool
    gives_away: float | None


def draw_habit(chance: Random, days: int) -> Habit:
    """Draw somebody; one in twelve leaves for good within the `days`, one in six takes a vacation."""
    return Habit(
        zone=ZoneInfo(chance.choice(ZONES)),
        quiet=chance.choice(NIGHTS),
        way=chance.choices(list(Way), [5, 4, 3, 1])[0],
        looks=chance.choice([0.5, 1, 2, 4, 8]),
        answers=chance.choice([0.6, 0.9, 1]),
        leads=chance.choice(LEADS),
        rests_at_weekends=chance.random() < 0.2,
        leaves_after=timedelta(days=chance.uniform(0, days)) if chance.random() < 1 / 12 else None,
        vacation=(chance.randrange(days), chance.randint(2, 9)) if chance.random() < 1 / 6 else None,
        snoozes=chance.random() < 0.1,
        substitutes=chance.random() < 0.3,
        gives_away=chance.uniform(0.2, 0.8) if chance.random() < 1 / 3 else None,
    )


WAKES, SLEEPS = 7, 23
"""Hours between which a person without quiet hours looks."""


def next_look(habit: Habit, after: datetime, chance: Random) -> datetime:
    """The next instant at which this person sits down: awake, and not on a weekend that is kept free."""
    at = after + timedelta(days=1) / habit.looks * chance.uniform(0.4, 1.6)
    for _ in range(200):
        wall = at.astimezone(habit.zone)
        rests = habit.rests_at_weekends and wall.weekday() >= 5
        if WAKES <= wall.hour < SLEEPS and not rests:
            break
        at += timedelta(minutes=chance.randint(20, 100))
    return at
