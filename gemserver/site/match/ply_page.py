"""The page of a match as it was after one ply; the templates only lay it out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404
from django.urls import reverse

from games.contract import Asked
from gemserver.matches import log_story, prompts, replay, selectors
from gemserver.matches.models import Match, Seat
from gemserver.site.match.match_page import LOG_SHOWN, LogLine, Picture, log_lines


@dataclass(frozen=True)
class PlyPage:
    """The board after one ply, as the reader may know it.

    A past view holds what this seat could know then; a substitute gets what the seat has seen, no more.
    """

    match: Match
    seat: Seat | None
    ply: int
    shows_whole_log: bool = False
    is_own: bool = True
    """False for a sitter, who does not hold the seat."""

    @cached_property
    def log_rows(self) -> selectors.LogRows:
        rows = selectors.LogRows.read(self.match)
        return rows if self.shows_whole_log else rows.around(self.ply, LOG_SHOWN)

    @cached_property
    def names(self) -> list[str]:
        return [seat.name for seat in self.log_rows.seats]

    @cached_property
    def position(self) -> Any:
        return replay.position_at(self.match, self.ply)

    @cached_property
    def view(self) -> Any:
        return self.match.rules.view(self.position, None if self.seat is None else self.seat.index)

    @cached_property
    def asked(self) -> Asked | None:
        """The seats that the match waited for then."""
        find = prompts.find_asked if self.ply == self.match.ply else prompts.find_asked_then
        return find(self.match, self.position)

    @cached_property
    def picture(self) -> Picture:
        last_moves = self.log_rows.last_moves(self.seat, up_to=self.ply)
        return Picture(self.match, self.view, self.names, self.asked, last_moves)

    @cached_property
    def line(self) -> LogLine | None:
        """The log line of the ply; None for the deal, and for a move that the reader may know nothing of."""
        entries = selectors.tell_history(self.match, self.seat, self.log_rows, is_own=self.is_own)
        moves = [entry for entry in entries if entry.seat is not None and not entry.is_taken_back]
        return next(
            iter(log_lines([entry for entry in moves if entry.ply == self.ply], self.match.ply)), None
        )

    @cached_property
    def log(self) -> list[LogLine]:
        """The log around that ply, before and after it, newest first, as on the page of the match."""
        entries = log_story.tell_story(self.match, self.seat, self.log_rows, is_own=self.is_own)
        return log_lines(entries, self.match.ply)

    @property
    def whole_log(self) -> str:
        """The address of the whole log; empty if this page shows it all."""
        path = reverse("match-ply", args=[self.match.code, self.ply])
        return f"{path}?log=all#log" if self.log_rows.is_part else ""

    @property
    def earlier(self) -> int | None:
        return self.ply - 1 if self.ply else None

    @property
    def later(self) -> int | None:
        return self.ply + 1 if self.ply < self.match.ply else None


def read_ply_page(
    match: Match, seat: Seat | None, ply: int, *, shows_whole_log: bool = False, is_own: bool = True
) -> PlyPage:
    """The page of one ply; raises Http404 if the match has not come that far, or its game is no longer offered."""
    if not match.position or ply > match.ply or not match.is_offered:
        raise Http404
    return PlyPage(match, seat, ply, shows_whole_log, is_own)
