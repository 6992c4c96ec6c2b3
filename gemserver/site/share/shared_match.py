"""A match as everybody may see it, for pages and pictures that leave the site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock

from django.contrib.auth.models import AnonymousUser
from django.http import Http404
from django.utils import translation

from gemserver.matches.boards import board
from gemserver.matches.broken_games import is_stopped
from gemserver.matches.models import Match
from gemserver.matches.share_links import ShareLinks, find_share_links
from gemserver.site.lookups import find_match
from gemserver.site.match.ply_page import Plies, PlyPage, read_ply_page

MOST_FRAMES = 40
"""Of a longer match, so many positions are chosen at equal distances."""
KEPT_LOOPS = 12
"""Looping pictures that each process keeps, some 500 kB each."""

_one_loop_at_a_time = Lock()


class StillDrawing(Exception):
    """Another looping picture is being drawn by this process."""


@dataclass(frozen=True)
class SharedMatch:
    """A listed match after so many moves."""

    links: ShareLinks
    ply: int

    @classmethod
    def find(cls, code: str, ply: int | None = None) -> SharedMatch:
        """Raises Http404 for a match that is not for everybody, or has not come so far."""
        match, _ = find_match(code, AnonymousUser())
        links = find_share_links(match, ply)
        ply = match.ply if ply is None else ply
        if links is None or ply > match.ply or is_stopped(match):
            raise Http404
        return cls(links, ply)

    @cached_property
    def page(self) -> PlyPage:
        return read_ply_page(self.links.match, None, self.ply)

    def paint(self) -> bytes:
        """The position as PNG."""
        return board.wide_png(self.page.picture.svg)

    def paint_loop(self) -> bytes:
        """The whole match as GIF. Raises StillDrawing."""
        names = tuple(self.page.plies.names)
        return _paint_loop(_Film(self.links.match, names, translation.get_language()))


@dataclass(frozen=True)
class _Film:
    """Everything that a looping picture depends on: a finished match does not change, but a name in it may."""

    match: Match
    names: tuple[str, ...]
    language: str | None

    def draw(self) -> list[str]:
        last = self.match.ply
        shown = {round(number * last / (MOST_FRAMES - 1)) for number in range(MOST_FRAMES)}
        return [page.picture.svg for page in Plies(self.match, None, 0, last).pages if page.ply in shown]


@lru_cache(maxsize=KEPT_LOOPS)
def _paint_loop(film: _Film) -> bytes:
    if not _one_loop_at_a_time.acquire(blocking=False):
        raise StillDrawing
    try:
        return board.loop_gif(film.draw())
    finally:
        _one_loop_at_a_time.release()
