"""Content-Security-Policy: own files only, no inline script or style."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse

Responder: TypeAlias = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"
)

FRAMED_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors *"
)
"""For pages that other sites may show in a frame: without scripts and forms."""


def content_security_policy(get_response: Responder) -> Responder:
    """Middleware; a view that sets a policy of its own keeps it."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return respond
