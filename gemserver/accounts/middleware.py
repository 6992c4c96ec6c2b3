"""Shows readers times in their own zone and words in their own language, and tells who is banned that they are."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation

from gemserver.accounts.bans import ban_of, shut_account_of
from gemserver.accounts.guests import zone_of
from gemserver.accounts.models import User


def reader_preferences(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware behind the authentication: activates zone and language of the account, if somebody is signed in.

    For a guest it activates the zone of the browser, for other strangers nothing.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if not isinstance(request.user, User):
            with timezone.override(zone_of(request)):
                return get_response(request)
        with timezone.override(request.user.zone), translation.override(request.user.language):
            return get_response(request)

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
