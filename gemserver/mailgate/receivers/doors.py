"""Limits the simultaneous connections of the built-in receiver, per host and in all: nobody shuts the others out."""

from __future__ import annotations

from collections import Counter
from typing import Protocol


class Guest(Protocol):
    """One connection. `is_silent`: it has named none of our recipients yet, so that nothing is lost with it."""

    network: str

    @property
    def is_silent(self) -> bool: ...

    def turn_out(self) -> None:
        """Close the connection with a last message; `Doors.leave` follows."""


class Doors:
    """The open connections, in order of arrival; at most `per_host` from one network, any number if it is 0."""

    def __init__(self, per_host: int, in_all: int) -> None:
        self._per_host = per_host
        self._in_all = in_all
        self._guests: dict[Guest, None] = {}

    def enter(self, guest: Guest) -> bool:
        """Admit a connection if there is room; if all places are taken, `_whom_to_turn_out` is closed for it."""
        of_this_host = sum(other.network == guest.network for other in self._guests)
        if self._per_host and of_this_host >= self._per_host:
            return False
        if len(self._guests) >= self._in_all:
            other = self._whom_to_turn_out(guest)
            if other is None:
                return False
            self.leave(other)
            other.turn_out()
        self._guests[guest] = None
        return True

    def _whom_to_turn_out(self, newcomer: Guest) -> Guest | None:
        """The longest silent one, else the oldest of the network that has the most, if it has more than its share.

        Five hosts that each hold all that one may, and say a word now and then, would else keep everybody out.
        """
        silent = next((other for other in self._guests if other.is_silent), None)
        if silent is not None:
            return silent
        counts = Counter(other.network for other in self._guests)
        busiest = max(self._guests, key=lambda other: counts[other.network])  # the first of those alike
        return busiest if counts[busiest.network] > counts[newcomer.network] + 1 else None

    def leave(self, guest: Guest) -> None:
        """Forget a connection that has closed; does nothing for one that was never admitted."""
        self._guests.pop(guest, None)
