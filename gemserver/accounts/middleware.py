"""Shows readers times in their own zone and words in their own language, and tells who is banned that they are."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.cache import add_never_cache_headers

from gemserver.accounts.bans import ban_of, shut_account_of
from gemserver.accounts.guests import zone_of
from gemserver.accounts.models import User


def reader_preferences(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware behind the authentication: activates zone and language of the account, if somebody is signed in.

    What they are shown is kept by no cache, and by no browser after they sign out, unless its view says how long.
    For a guest it activates the zone of the browser, for other strangers nothing.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if not isinstance(request.user, User):
            with timezone.override(zone_of(request)):
                return get_response(request)
        with timezone.override(request.user.zone), translation.override(request.user.language):
            response = get_response(request)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return respond


def tell_of_bans(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware behind the authentication: answers a session whose account was shut as signing in would.

    Its holder has proved who they are, as at the sign-in. A page that was asked for ends the session, so that all
    others are a stranger's from then on; a script's request does not, because nobody would read its answer.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        shut = None if isinstance(request.user, User) else shut_account_of(request)
        if shut is None:
            return get_response(request)
        if request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate":
            request.session.flush()
        with translation.override(shut.language):
            return render(request, "accounts/banned.html", {"ban": ban_of(shut)}, status=403)

    return respond
