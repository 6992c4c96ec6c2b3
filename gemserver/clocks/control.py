"""One clock per seat: bank, increment, cap. A fixed time per move is the case bank = increment = cap."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

REMINDER_LEAD = timedelta(hours=4)
"""A reminder is sent this long before the due time, but never before half the time given has passed."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a seat has: `bank` at the start, `increment` after each answer, never more than `cap`."""

    bank: timedelta
    increment: timedelta
    cap: timedelta

    @classmethod
    def per_move(cls, time: timedelta) -> TimeControl:
        """The same time for every move."""
        return cls(bank=time, increment=time, cap=time)

    def after_answer(self, left: timedelta) -> timedelta:
        """The bank once a player has answered with `left` (not below zero) on the clock."""
        return min(self.cap, max(left, timedelta(0)) + self.increment)


def due_at(prompted_at: datetime, bank: timedelta) -> datetime:
    """The instant at which a prompt put at `prompted_at` has used up the bank."""
    return prompted_at + bank


def remind_at(prompted_at: datetime, due: datetime) -> datetime:
    """When to remind: `REMINDER_LEAD` before the due time, or half-way if that is later."""
    return max(due - REMINDER_LEAD, prompted_at + (due - prompted_at) / 2)
