"""Answers 503 when the database is too busy for a request, 500 when it failed, and gives back what was typed."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import TypeAlias

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string

from gemserver.lib.database.database_faults import is_outdated_plan, is_outrun, is_passing, is_too_long
from gemserver.lib.web import problems
from gemserver.lib.web.sent_form import is_from_own_page, sent_fields, typed_fields

log = logging.getLogger(__name__)

RETRY_AFTER = 10
"""Seconds."""

Responder: TypeAlias = Callable[[HttpRequest], HttpResponse]


class BusyDatabase:
    """Middleware, the innermost: a view that waits in vain for a locked row is answered with 503, never with an error.

    A view whose transaction met a plan that a migration has outdated is run again, if it has changed nothing yet.
    """

    def __init__(self, get_response: Responder) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        connection.has_written = False  # type: ignore[attr-defined]
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if is_outdated_plan(error) and not connection.has_written and not connection.in_atomic_block:  # type: ignore[attr-defined]
            return _run_again(request)
        return busy(request) if _is_busy(error) else None


def _run_again(request: HttpRequest) -> HttpResponse | None:
    match = request.resolver_match
    assert match is not None, "a view has run"
    try:
        response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    except Exception as error:
        if _is_busy(error):
            return busy(request)
        raise
    return response


def error_page(request: HttpRequest) -> HttpResponse:
    """Handler of errors for Django, which calls it for errors outside a view too."""
    error = sys.exc_info()[1]
    if error is not None and _is_busy(error):
        return busy(request)
    return failed(request)


def _is_busy(error: BaseException) -> bool:
    return is_passing(error) or is_too_long(error) or is_outrun(error)


def busy(request: HttpRequest) -> HttpResponse:
    """Answer 503 with the same form again, filled in as it was; needs no query."""
    log.warning("the database is busy: %s is put off", request.method)
    if problems.is_for_program(request):
        return problems.busy(RETRY_AFTER)
    context = {
        "fields": sent_fields(request) if is_from_own_page(request) else [],
        "is_form": request.method == "POST",
    }
    response = _write(request, "503.html", context, 503)
    response.headers["Retry-After"] = str(RETRY_AFTER)
    return response


def failed(request: HttpRequest) -> HttpResponse:
    """Answer 500, with the words that somebody typed; needs no query."""
    if problems.is_for_program(request):
        return problems.failed()
    return _write(request, "500.html", {"fields": typed_fields(request)}, 500)


def _write(request: HttpRequest, template: str, context: dict[str, object], status: int) -> HttpResponse:
    """Write a page without the context of others, which asks the database."""
    context |= {"address": request.get_full_path(), "csrf_token": get_token(request)}
    response = HttpResponse(render_to_string(template, context), status=status)
    response.headers["Cache-Control"] = "no-store"
    return response
