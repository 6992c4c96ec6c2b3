"""The private feeds of a player: for programs that have no session, so the address alone opens them."""

from __future__ import annotations

from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from gemserver.accounts.models import User, known_hash
from gemserver.lib import clock
from gemserver.site.feeds.news_feed import NewsFeed


@require_safe
def calendar(request: HttpRequest, token: str) -> HttpResponse:
    """The calendar of due moves."""
    # icalendar is large, and no page needs it.
    from gemserver.site.feeds.calendar_feed import calendar_of

    user = _reader(token)
    with translation.override(user.language), timezone.override(user.zone):
        content = calendar_of(user, clock.now())
    response = HttpResponse(content, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = 'inline; filename="gemserver.ics"'
    return _private(request, response)


@require_safe
def news(request: HttpRequest, token: str) -> HttpResponse:
    """The feed of public news."""
    user = _reader(token)
    with translation.override(user.language), timezone.override(user.zone):
        response = NewsFeed(user, clock.now())(request)
    return _private(request, response)


def _reader(token: str) -> User:
    """Whose feed it is; for a wrong, an old and a closed account's token the same 404."""
    return get_object_or_404(User, feed_token_hash=known_hash(token), is_active=True)


def _private(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response for its one reader: kept by no cache on the way, and not sent again while it is the same."""
    etag = f'"{sha256(response.content).hexdigest()[:32]}"'
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    response["X-Robots-Tag"] = "noindex"
    del response["Last-Modified"]
    return get_conditional_response(request, etag=etag, response=response) or response
