"""Pages and pictures of a match for other sites. They know no session: everybody gets the spectator's view."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from zlib import crc32

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from gemserver.lib.web.csp import FRAMED_POLICY
from gemserver.site.share.shared_match import SharedMatch, StillDrawing

RETRY_AFTER = 5
"""Seconds after which a looping picture may be asked for again."""

View = Callable[..., HttpResponse]
KEPT = {"public": True, "max_age": 300}


def in_language_asked(view: View) -> View:
    """Answer in the language `?lang=`, which a link carries along, instead of the reader's."""

    @wraps(view)
    def respond(request: HttpRequest, *args: object, **parts: object) -> HttpResponse:
        asked = request.GET.get("lang", "")
        if asked not in dict(settings.LANGUAGES):
            return view(request, *args, **parts)
        with translation.override(asked):
            response = view(request, *args, **parts)
        response.headers["Content-Language"] = asked
        return response

    return respond


@xframe_options_exempt
@require_safe
@in_language_asked
def page(request: HttpRequest, code: str, number: int | None = None) -> HttpResponse:
    """The board after `number` moves, or the present one, with links to the others: for a frame on another site.

    Where there is none, the frame says so: of the usual page for 404, which none may show, it would stay empty.
    """
    try:
        shared = SharedMatch.find(code, number)
    except Http404:
        response = render(request, "matches/nothing_shared.html", status=404)
    else:
        context = {"page": shared.page, "match": shared.links.match, "links": shared.links}
        response = render(request, "matches/shared.html", context)
        patch_cache_control(response, **KEPT)
    response.headers["Content-Security-Policy"] = FRAMED_POLICY
    return response


@cache_control(**KEPT)
@require_safe
@in_language_asked
def picture(request: HttpRequest, code: str, number: int | None = None) -> HttpResponse:
    """The board after `number` moves, or the present one, as PNG."""
    shared = SharedMatch.find(code, number)
    tag = f'"{crc32(shared.page.picture.svg.encode())}"'
    return get_conditional_response(request, tag) or HttpResponse(
        shared.paint(), content_type="image/png", headers={"ETag": tag}
    )


@require_safe
@in_language_asked
def loop(request: HttpRequest, code: str) -> HttpResponse:
    """A finished match as a looping GIF."""
    shared = SharedMatch.find(code)
    if not shared.links.loop:
        raise Http404
    try:
        picture = HttpResponse(shared.paint_loop(), content_type="image/gif")
    except StillDrawing:
        headers = {"Retry-After": str(RETRY_AFTER), "Cache-Control": "no-store"}
        return HttpResponse(status=503, headers=headers)
    patch_cache_control(picture, **KEPT)
    return picture
