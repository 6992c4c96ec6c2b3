"""Limits the simultaneous connections of the built-in receiver, per host and in all: nobody shuts the others out."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from ipaddress import ip_network
from typing import Protocol

HURRY = 20
"""Seconds that a mail may take while all places are taken; most take one. Who is turned out comes again later."""


class Guest(Protocol):
    """One connection. `is_silent`: it has named none of our recipients yet, so that nothing is lost with it."""

    network: str

    @property
    def is_silent(self) -> bool: ...

    def turn_out(self) -> None:
        """Close the connection with a last message; `Doors.leave` follows."""


class Doors:
    """The open connections, in order of arrival; at most `per_host` from one network, any number if it is 0.

    When there are `in_all`, who has been here for longer than `hurry` seconds makes room.
    """

    def __init__(self, per_host: int, in_all: int, hurry: float = HURRY) -> None:
        self._per_host = per_host
        self._in_all = in_all
        self._hurry = hurry
        self._guests: dict[Guest, float] = {}
        """With the time at which each came in."""

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
        self._guests[guest] = time.monotonic()
        return True

    def _whom_to_turn_out(self, newcomer: Guest) -> Guest | None:
        """The longest silent one, else one of whoever has more than their share, else the oldest that dawdles.

        Five hosts that each hold all that one may, or one person with a hundred networks of IPv6, would else keep
        everybody out by a word now and then.
        """
        silent = next((other for other in self._guests if other.is_silent), None)
        if silent is not None:
            return silent
        if greedy := self._of_busiest(newcomer, lambda guest: guest.network):
            return greedy
        if greedy := self._of_busiest(newcomer, lambda guest: _neighbourhood_of(guest.network)):
            return greedy
        oldest, came_at = next(iter(self._guests.items()))
        return oldest if time.monotonic() - came_at >= self._hurry else None

    def _of_busiest(self, newcomer: Guest, group_of: Callable[[Guest], str]) -> Guest | None:
        """The oldest of the group that has the most, if it has more than its share."""
        counts = Counter(map(group_of, self._guests))
        busiest = max(self._guests, key=lambda other: counts[group_of(other)])  # the first of those alike
        return busiest if counts[group_of(busiest)] > counts[group_of(newcomer)] + 1 else None

    def leave(self, guest: Guest) -> None:
        """Forget a connection that has closed; does nothing for one that was never admitted."""
        self._guests.pop(guest, None)


def _neighbourhood_of(network: str) -> str:
    """The network around one of `network_of` that one person may well have as a whole: an IPv4 /24 or an IPv6 /48."""
    try:
        known = ip_network(network)
    except ValueError:
        return network
    return str(known.supernet(new_prefix=24 if known.version == 4 else 48))
