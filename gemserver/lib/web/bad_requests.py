"""Answers 400 to what Django refuses before any view: a name that is not ours, or too much at once."""

from __future__ import annotations

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.defaults import bad_request

from gemserver.lib.web import problems


def error_page(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Handler of such requests for Django: a problem for a program, else a page."""
    if not problems.is_for_program(request):
        return bad_request(request, exception)
    if isinstance(exception, DisallowedHost):
        sentence = _("This server has another name than the one in “Host”; use the address of its site.")
        return problems.problem(400, "wrong-host", sentence)
    return problems.unreadable()
