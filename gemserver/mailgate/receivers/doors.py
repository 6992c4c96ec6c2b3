"""Limits the simultaneous connections of the built-in receiver, per host and in all: nobody shuts the others out."""

from __future__ import annotations

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
        """Admit a connection if there is room; if all places are taken, the longest silent one is closed for it."""
        of_this_host = sum(other.network == guest.network for other in self._guests)
        if self._per_host and of_this_host >= self._per_host:
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
        """Forget a connection that has closed; does nothing for one that was never admitted."""
        self._guests.pop(guest, None)
