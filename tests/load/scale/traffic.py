"""A week's traffic of many matches: waits drawn from measured ones, a day and a night, moves by web and by mail.

The waits are those of 236 games played over days on a public server for 18xx games; everything else is assumed, as
noted beside it.
"""

from __future__ import annotations

import bisect
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

HOUR, DAY = 3600.0, 86400.0

WAITS = (
    (0.0, 0.17),
    (0.25, 0.5),
    (0.5, 1.4),
    (0.75, 4.5),
    (0.9, 9.3),
    (0.95, 13.8),
    (0.99, 36.0),
    (1.0, 168.0),
)
"""Share of waits that are over after this many hours; a pause below 10 minutes did not count as a wait."""
WAITS_PER_MATCH, DAYS_PER_MATCH = 95, 22
"""Median of a match."""
BUSY = (
    0.4,
    0.25,
    0.2,
    0.2,
    0.2,
    0.3,
    0.5,
    0.8,
    1.0,
    1.0,
    1.0,
    1.1,
    1.2,
    1.2,
    1.1,
    1.1,
    1.2,
    1.4,
    1.6,
    1.8,
    2.0,
    1.9,
    1.5,
    0.9,
)
"""Relative readiness to answer in each hour of the day: all players in one zone, the worst case for a peak."""
BY_MAIL = 0.5
"""Share of the moves that are sent by mail."""
MAILED = 0.8
"""Share of the prompts that are mailed at once; the others are for digests or the web."""
VIEWS = 4
"""Pages looked at for each move on the web."""
POLLS = 6
"""Times that an open page asks for news for each move on the web: two minutes of looking."""
REMIND_AFTER = 24 * HOUR
"""Waits longer than this bring a reminder."""
TIMEOUTS = 0.003
"""Share of the waits that the clock ends."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Per match: prompts answered a day, and the factor of the busiest minute over the average."""

    prompts_a_day: float
    peak: float
    reminders: float
    """Per prompt."""


def simulate(matches: int, seed: int, days: int = 7) -> Traffic:
    """Run this many matches for this many days, and count by minutes."""
    chance = random.Random(seed)
    minutes = [0] * (days * 1440)
    reminders = prompts = 0
    pause = _pause_between_waits()
    for _ in range(matches):
        now = chance.uniform(-DAY, 0)
        while now < days * DAY:
            wait = draw_wait(chance)
            now = _answer_at(now + wait, chance) + chance.expovariate(1 / pause)
            reminders += wait > REMIND_AFTER
            prompts += 1
            if 0 <= now < days * DAY:
                minutes[int(now // 60)] += 1
    counted = sum(minutes)
    mean = counted / len(minutes)
    return Traffic(counted / matches / days, _busiest(minutes) / mean, reminders / prompts)


def draw_wait(chance: random.Random) -> float:
    """Seconds, from the measured distribution; interpolated logarithmically between its points."""
    share = chance.random()
    shares = [point for point, _ in WAITS]
    place = max(1, bisect.bisect_right(shares, share))
    (low, first), (high, last) = WAITS[place - 1 : place + 1] if place < len(WAITS) else WAITS[-2:]
    part = (share - low) / (high - low)
    return HOUR * math.exp(math.log(first) + part * (math.log(last) - math.log(first)))


def _mean_wait() -> float:
    """Including the time that the night adds to it."""
    chance = random.Random(0)
    begins = [chance.uniform(0, DAY) for _ in range(20_000)]
    return sum(_answer_at(begin + draw_wait(chance), chance) - begin for begin in begins) / len(begins)


def _pause_between_waits() -> float:
    """The time between two waits of a match: moves that come at once, and whole days without any."""
    return max(60.0, DAYS_PER_MATCH * DAY / WAITS_PER_MATCH - _mean_wait())


def _answer_at(now: float, chance: random.Random) -> float:
    """Postpone an answer to a busier hour if few people are awake."""
    while chance.random() > BUSY[int(now % DAY // HOUR)] / max(BUSY):
        now += chance.expovariate(1 / HOUR)
    return now


def _busiest(minutes: Sequence[int]) -> float:
    """The average minute of the busiest hour: with few matches, a single minute is chance."""
    return max(sum(minutes[start : start + 60]) / 60 for start in range(0, len(minutes), 60))
