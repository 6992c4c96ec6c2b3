"""The board of a match as a picture of its own, for lists."""

from __future__ import annotations

from zlib import crc32

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from gemserver.accounts.guests import player_of
from gemserver.lib import clock
from gemserver.matches import prompts, replay
from gemserver.matches.broken_games import is_stopped
from gemserver.matches.models import Match, Seat
from gemserver.matches.readers import Reader
from gemserver.site.lookups import find_reader
from gemserver.site.match.picture import Picture


@cache_control(private=True, no_cache=True)
@require_safe
def picture(request: HttpRequest, code: str) -> HttpResponse:
    """The board as its reader may see it, as SVG; a browser keeps it and asks each time whether it has changed."""
    reader = find_reader(code, player_of(request), clock.now())
    match = reader.match
    if not match.position or not match.is_offered or is_stopped(match):
        raise Http404
    seats = match.read_seats()
    tag = f'"{_fingerprint(reader, seats)}"'
    return get_conditional_response(request, tag) or HttpResponse(
        _draw(reader, seats), content_type="image/svg+xml", headers={"ETag": tag}
    )


def _fingerprint(reader: Reader, seats: list[Seat]) -> int:
    """A number that changes with the picture, made of nothing but what the reader may know."""
    match = reader.match
    last = match.moves.filter(voided_at=None, ply=match.ply).values_list("pk", flat=True).first()
    shown = [(seat.name, seat.is_waiting) for seat in seats]
    whose = reader.played.index if reader.played else None
    return crc32(repr((match.ply, last, whose, translation.get_language(), shown)).encode())


def _draw(reader: Reader, seats: list[Seat]) -> str:
    match: Match = reader.match
    position = replay.position(match)
    view = match.rules.view(position, reader.played.index if reader.played else None)
    return Picture(match, view, [seat.name for seat in seats], prompts.find_asked(match, position)).svg
