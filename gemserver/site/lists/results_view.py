"""The public list of results, as a file."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from gemserver.ratings.public_list import is_being_computed, write_list
from gemserver.site.lookups import find_game

PATIENCE = 60
"""Seconds after which to ask again while ratings are computed anew."""


@require_safe
def results(request: HttpRequest, game: str) -> HttpResponseBase:
    """Every rated public match of the game in the order of rating, as CSV (`games.results`)."""
    find_game(game)
    if is_being_computed(game):
        words = gettext("These ratings are being computed again. Come back in a minute.")
        return HttpResponse(
            words,
            status=503,
            content_type="text/plain; charset=utf-8",
            headers={"Retry-After": str(PATIENCE)},
        )
    headers = {
        "Content-Disposition": f'attachment; filename="{game}.csv"',
        "Cache-Control": "public, max-age=300",
    }
    return StreamingHttpResponse(write_list(game), content_type="text/csv; charset=utf-8", headers=headers)
