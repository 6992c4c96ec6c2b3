"""Establishes who asks, anew for each request: the owner of a personal token, with what the token allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from allauth.core.internal import ratelimit
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _
from ninja.security import HttpBearer

from gemserver.accounts.bans import ban_of
from gemserver.accounts.models import PersonalToken, User
from gemserver.accounts.tokens import count_use, find_token, note_use
from gemserver.api.problems import Problem
from gemserver.lib import clock
from gemserver.lib.web.waits import is_asked_again

_SHAPE = re.compile(r"gem_[a-z2-7]{26}", re.IGNORECASE)
WINDOW = 60
"""Seconds in which requests are counted."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The owner of the token, and the requests that are left to it in this minute."""

    token: PersonalToken
    left: int

    @property
    def user(self) -> User:
        return self.token.user

    def add_limits(self, response: HttpResponse) -> None:
        """Tell what is left, in the fields of draft-ietf-httpapi-ratelimit-headers."""
        response.headers["RateLimit-Policy"] = f'"owner";q={settings.API_RATE};w={WINDOW}'
        response.headers["RateLimit"] = f'"owner";r={max(self.left, 0)};t={seconds_left()}'


def seconds_left() -> int:
    """Seconds until the counting begins anew."""
    return WINDOW - int(clock.now().timestamp()) % WINDOW


class Token(HttpBearer):
    """Requires a personal token with this scope, in `Authorization: Bearer gem_…`.

    Raises Problem: 401 without a good token, 403 for a banned account or a token that may not do this, 429 for too many
    requests.
    """

    def __init__(self, scope: str) -> None:
        self.scope = scope
        super().__init__()

    def __call__(self, request: HttpRequest) -> Any:
        asker = establish(request)
        request.asker = asker  # type: ignore[attr-defined]
        if asker.left < 0 and not is_asked_again(request):
            raise _too_many(seconds_left())
        if self.scope not in asker.token.scope_words:
            raise Problem(
                403,
                "scope",
                _("This token may not do that: it lacks “%(scope)s”. Make another one on your account page.")
                % {"scope": self.scope},
                {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{self.scope}"'},
                scope=self.scope,
            )
        return asker

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        raise AssertionError("__call__ does everything")


def establish(request: HttpRequest) -> Asker:
    """Find the asker, count the request, and speak the asker's language from here on. Raises Problem."""
    scheme, _blank, text = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise _unknown(
            "no-token",
            _("Send a personal token: “Authorization: Bearer gem_…”. You make one on your account page."),
        )
    found = None
    if _SHAPE.fullmatch(text.strip()):
        found = find_token(text.strip(), clock.now())
    if found is None:
        if ratelimit.consume(request, app="allauth.account", action="wrong_token", limit_get=True) is None:
            raise _too_many(WINDOW)
        raise _unknown(
            "wrong-token",
            _("This token is not known, has been revoked or has expired; make a new one."),
            ', error="invalid_token"',
        )
    user = found.user
    translation.activate(user.language)
    if not user.is_active:
        ban = ban_of(user)
        raise Problem(403, "banned", ban.told if ban else _("This account is shut."))
    used = count_use(user, clock.now(), number=0 if is_asked_again(request) else 1)
    note_use(found, clock.now())
    # What was written has nothing to do with what is asked, which may be run again (`lib.busy`).
    connection.has_written = False  # type: ignore[attr-defined]
    return Asker(found, settings.API_RATE - used)


def asker_of(request: HttpRequest) -> Asker:
    """The asker whom `Token` has let in."""
    asker: Asker = request.asker  # type: ignore[attr-defined]
    return asker


def user_of(request: HttpRequest) -> User:
    """The account for which the request acts."""
    return asker_of(request).user


def _unknown(code: str, sentence: str, error: str = "") -> Problem:
    return Problem(401, code, sentence, {"WWW-Authenticate": f'Bearer realm="gemserver"{error}'})


def _too_many(seconds: int) -> Problem:
    return Problem(
        429,
        "too-many-requests",
        _("That was too much at once; wait %(seconds)d seconds and go on.") % {"seconds": seconds},
        {"Retry-After": str(seconds)},
    )
