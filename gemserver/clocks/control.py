"""One clock per seat: bank, increment, cap. A fixed time per move is the case bank = increment = cap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The clock of a seat: `bank` at the start, `increment` after each answer, never more than `cap`."""

    bank: timedelta
    increment: timedelta
    cap: timedelta

    @classmethod
    def per_move(cls, time: timedelta) -> TimeControl:
        """Give every move the same time."""
        return cls(bank=time, increment=time, cap=time)

    @property
    def is_per_move(self) -> bool:
        """True if every move has the same time, whatever was left after the last one."""
        return self.bank == self.increment == self.cap

    def after_answer(self, left: timedelta) -> timedelta:
        """The bank after an answer given with `left` (not below zero) on the clock."""
        return min(self.cap, max(left, timedelta(0)) + self.increment)


PRESETS: Mapping[str, TimeControl] = MappingProxyType(
    {
        "1d": TimeControl.per_move(timedelta(days=1)),
        "2d": TimeControl.per_move(timedelta(days=2)),
        "3d": TimeControl.per_move(timedelta(days=3)),
        "7d": TimeControl.per_move(timedelta(days=7)),
        "1d+8h": TimeControl(timedelta(days=1), timedelta(hours=8), timedelta(days=2)),
        "3d+12h": TimeControl(timedelta(days=3), timedelta(hours=12), timedelta(days=3)),
        "7d+1d": TimeControl(timedelta(days=7), timedelta(days=1), timedelta(days=7)),
        "14d+1d": TimeControl(timedelta(days=14), timedelta(days=1), timedelta(days=14)),
    }
)
"""The time controls offered for a table, by name: `3d` is three days for every move, `7d+1d` a bank of a week and a day
more after each answer."""
USUAL_CLOCK = "3d"
"""The name of the one that is usual for a table."""
