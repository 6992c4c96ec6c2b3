"""Logs one line per request, under an id by which to find it again; addresses lose their tokens."""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import TypeAlias

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from gemserver.lib.process import logs
from gemserver.lib.web.safe_path import safe_path
from gemserver.lib.web.waits import is_asked_again

log = logging.getLogger(__name__)

Responder: TypeAlias = Callable[[HttpRequest], HttpResponse]

_GOOD_ID = re.compile(r"[A-Za-z0-9._:-]{8,64}")
"""Ids that are taken over from a proxy; any other is replaced by ours, so that nobody writes into the log."""
_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})
"""Pages that are asked for all day; logged only when they fail."""


def log_requests(get_response: Responder) -> Responder:
    """Middleware, the outermost: takes the proxy's X-Request-ID or makes one, returns it, and logs the request."""

    def respond(request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if _GOOD_ID.fullmatch(given) else secrets.token_hex(8)
        started = time.monotonic()
        with logs.about(request_id=request_id):
            response = get_response(request)
            if response.status_code >= 400 or not _is_routine(request):
                _note(request, response, time.monotonic() - started)
        response.headers["X-Request-ID"] = request_id
        return response

    return respond


def _is_routine(request: HttpRequest) -> bool:
    path = request.path
    return path in _PROBES or path.startswith(settings.STATIC_URL) or is_asked_again(request)


def _note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    path, milliseconds = safe_path(request), round(1000 * seconds)
    log.info(
        "%s %s %s %s ms",
        *(request.method, path, response.status_code, milliseconds),
        extra={
            "method": request.method,
            "path": path,
            "status": response.status_code,
            "milliseconds": milliseconds,
        },
    )
