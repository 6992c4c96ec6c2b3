"""The board of a match after each ply: a page of its own for one, and many at once to step through.

The templates only lay it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from django.http import Http404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from games.contract import Asked
from gemserver.matches import prompts, replay
from gemserver.matches.log import log_story, match_log
from gemserver.matches.models import Match, Seat
from gemserver.site.match.log_part import LogLine, tell_lines, write_log
from gemserver.site.match.match_page import LOG_SHOWN
from gemserver.site.match.picture import Picture

PART = 20
"""The number of plies that are answered at once; bounds the work of one request."""


@dataclass(frozen=True)
class Plies:
    """The plies of a match from `first` to `last`, as one reader may know them, read together.

    A past view holds what this seat could know then; a substitute gets what the seat has seen, no more.
    """

    match: Match
    seat: Seat | None
    first: int
    last: int
    shows_whole_log: bool = False
    is_own: bool = True
    """False for a sitter, who does not hold the seat."""

    @cached_property
    def all_rows(self) -> match_log.LogRows:
        return match_log.LogRows.read(self.match)

    @cached_property
    def log_rows(self) -> match_log.LogRows:
        rows = self.all_rows
        return rows if self.shows_whole_log else rows.around(self.first, LOG_SHOWN, last=self.last)

    @cached_property
    def names(self) -> list[str]:
        return [seat.name for seat in self.log_rows.seats]

    @cached_property
    def pages(self) -> list[PlyPage]:
        """A page for each ply; the match is replayed once for all of them."""
        reached = islice(replay.steps(self.match), self.first, self.last + 1)
        return [PlyPage(self, ply, step.state) for ply, (_, step) in enumerate(reached, self.first)]

    @cached_property
    def moves(self) -> dict[int, LogLine]:
        """The log line of each ply; none for the deal, and for moves that the reader may know nothing of."""
        entries = match_log.tell_history(self.seat, self.log_rows, is_own=self.is_own)
        moves = [entry for entry in entries if entry.tells_ply and not entry.is_taken_back]
        return {line.entry.ply: line for line in tell_lines(moves, self.match.ply)}

    def write_log(self, ply: int | None = None) -> SafeString:
        """The log around these plies, before and after them, newest first, as on the page of the match."""
        entries = log_story.tell_story(self.match, self.seat, self.log_rows, is_own=self.is_own)
        lines = tell_lines(entries, self.match.ply)
        return write_log(self.match, lines, ply=ply, whole_log=self.whole_log)

    @property
    def whole_log(self) -> str:
        """The address of the whole log; empty if this one is all of it."""
        path = reverse("match-ply", args=[self.match.code, self.first])
        return f"{path}?log=all#log" if self.log_rows.is_part else ""

    def as_json(self) -> dict[str, Any]:
        """The parts of the page that change from ply to ply, as text or HTML, for `static/js/replay.js`."""
        return {"log": self.write_log(), "plies": [page.as_json() for page in self.pages]}


@dataclass(frozen=True)
class PlyPage:
    """The page of one of these plies, and the position after it."""

    plies: Plies
    ply: int
    position: Any

    @property
    def match(self) -> Match:
        return self.plies.match

    @property
    def log(self) -> SafeString:
        return self.plies.write_log(self.ply)

    @property
    def title(self) -> str:
        after = gettext("after move %(ply)s") % {"ply": self.ply}
        return f"{self.match.title} {self.match.code} · {after}"

    @property
    def status(self) -> str:
        if not self.ply:
            return gettext("The board as it was dealt")
        at = {"ply": self.ply, "last": self.match.ply}
        return gettext("The board after move %(ply)s of %(last)s") % at

    @cached_property
    def picture(self) -> Picture:
        match, seat = self.match, self.plies.seat
        view = match.rules.view(self.position, None if seat is None else seat.index)
        last_moves = self.plies.all_rows.last_moves(seat, up_to=self.ply)
        return Picture(match, view, self.plies.names, self._find_asked(), last_moves)

    def _find_asked(self) -> Asked | None:
        """The seats that the match waited for then."""
        find = prompts.find_asked if self.ply == self.match.ply else prompts.find_asked_then
        return find(self.match, self.position)

    @property
    def line(self) -> LogLine | None:
        return self.plies.moves.get(self.ply)

    @property
    def earlier(self) -> int | None:
        return self.ply - 1 if self.ply else None

    @property
    def later(self) -> int | None:
        return self.ply + 1 if self.ply < self.match.ply else None

    @property
    def part_size(self) -> int:
        return PART

    def as_json(self) -> dict[str, str]:
        return {
            "title": self.title,
            "status": self.status,
            "board": self.picture.svg + render_to_string("matches/_marks.html", {"picture": self.picture}),
            "drawing": self.picture.in_words,
            "move": render_to_string("matches/_ply_move.html", {"page": self, "match": self.match}),
        }


def read_ply_page(
    match: Match, seat: Seat | None, ply: int, *, shows_whole_log: bool = False, is_own: bool = True
) -> PlyPage:
    """The page of one ply; raises Http404 if the match has not come that far, or its game is no longer offered."""
    _require_ply(match, ply)
    (page,) = Plies(match, seat, ply, ply, shows_whole_log, is_own).pages
    return page


def read_plies(match: Match, seat: Seat | None, first: int, *, is_own: bool) -> Plies:
    """At most `PART` plies from this one on; raises Http404 like `read_ply_page`."""
    _require_ply(match, first)
    return Plies(match, seat, first, min(first + PART - 1, match.ply), is_own=is_own)


def _require_ply(match: Match, ply: int) -> None:
    if not match.position or ply > match.ply or not match.is_offered:
        raise Http404
