"""Shows signed-in players times in their own zone and words in their own language."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from gemserver.accounts.models import User


def reader_preferences(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware behind the authentication: activates zone and language of the account, if somebody is signed in."""

    def respond(request: HttpRequest) -> HttpResponse:
        if not isinstance(request.user, User):
            return get_response(request)
        with timezone.override(request.user.zone), translation.override(request.user.language):
            return get_response(request)

    return respond
