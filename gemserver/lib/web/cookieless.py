"""Addresses that are the same for everybody: they read no cookie, set none, and may be kept by any cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse

Responder: TypeAlias = Callable[[HttpRequest], HttpResponse]

COOKIELESS = "/s/"
"""Paths below this are cookieless."""


def forget_cookies(get_response: Responder) -> Responder:
    """Middleware before those of session and language: below `COOKIELESS` every reader is a stranger."""

    def respond(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(COOKIELESS):
            return get_response(request)
        for header in ("HTTP_COOKIE", "HTTP_AUTHORIZATION"):
            request.META.pop(header, None)
        request.__dict__.pop("COOKIES", None)  # read by now, maybe; it is read again
        response = get_response(request)
        response.cookies.clear()
        named = [name.strip() for name in response.get("Vary", "").split(",")]
        response.headers["Vary"] = ", ".join(name for name in named if name and name != "Cookie")
        return response

    return respond
