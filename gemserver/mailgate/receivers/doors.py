"""How many connections the built-in receiver has at once, of one host and in all: nobody shuts the others out."""

from __future__ import annotations

from typing import Protocol


class Guest(Protocol):
    """One connection. `is_silent`: it has named none of our recipients yet, so that nothing is lost with it."""

    network: str

    @property
    def is_silent(self) -> bool: ...

    def turn_out(self) -> None:
        """End the connection with words; `Doors.leave` follows."""


class Doors:
    """Who is in, in order of arrival; `per_host` of one network at most, any number when it is 0."""

    def __init__(self, per_host: int, in_all: int) -> None:
        self._per_host = per_host
        self._in_all = in_all
        self._guests: dict[Guest, None] = {}

    def enter(self, guest: Guest) -> bool:
        """Let it in if there is room; when the house is full, the one that has been silent for longest makes room."""
        if self._per_host and self._count(guest.network) >= self._per_host:
            return False
        if len(self._guests) >= self._in_all:
            silent = next((other for other in self._guests if other.is_silent), None)
            if silent is None:
                return False
            self.leave(silent)
            silent.turn_out()
        self._guests[guest] = None
        return True

    def leave(self, guest: Guest) -> None:
        """It is gone; nothing happens for one that never was in."""
        self._guests.pop(guest, None)

    def _count(self, network: str) -> int:
        return sum(other.network == network for other in self._guests)
