"""A player's private feeds. Programs that read them have no session, so the address alone opens them."""

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
    # Imported here, because icalendar is large and no page needs it.
    from gemserver.site.feeds.calendar_feed import calendar_of

    user = _reader(token)
    with translation.override(user.language), timezone.override(user.zone):
        content = calendar_of(user, clock.now())
    response = HttpResponse(content, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = 'inline; filename="gemserver.ics"'
    return _private(request, response)


@require_safe
def news(request: HttpRequest, token: str) -> HttpResponse:
    """The Atom feed of public news."""
    user = _reader(token)
    with translation.override(user.language), timezone.override(user.zone):
        response = NewsFeed(user, clock.now())(request)
    return _private(request, response)


def _reader(token: str) -> User:
    """The owner of the feed; the same 404 for a wrong token, an old one, and one of a closed account."""
    return get_object_or_404(User, feed_token_hash=known_hash(token), is_active=True)


def _private(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Keep shared caches from storing the response, and do not send it again while it is unchanged."""
    etag = f'"{sha256(response.content).hexdigest()[:32]}"'
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    response["X-Robots-Tag"] = "noindex"
    del response["Last-Modified"]
    return get_conditional_response(request, etag=etag, response=response) or response
