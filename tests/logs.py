"""The log of a match, for tests that look at what stands in it."""

from __future__ import annotations

from gemserver.matches.log.match_log import LogEntry, LogRows, tell_history
from gemserver.matches.models import Match, Seat


def read_log(match: Match, seat: Seat | None, *, after_ply: int = 0) -> list[LogEntry]:
    """The log as the holder of this seat (None: a spectator) may see it, after that live move."""
    return tell_history(seat, LogRows.read(match, after_ply=after_ply))
