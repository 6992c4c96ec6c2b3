"""Answers 400 to what Django refuses before any view: a name that is not ours, or too much at once."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.defaults import bad_request

from gemserver.lib.web import problems


def error_page(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Handler of such requests for Django: a problem for a program, else a page."""
    is_wrong_host = isinstance(exception, DisallowedHost)
    if not problems.is_for_program(request):
        return _show_address(request) if is_wrong_host else bad_request(request, exception)
    if is_wrong_host:
        sentence = _("This server has another name than the one in “Host”; use the address of its site.")
        return problems.problem(400, "wrong-host", sentence)
    return problems.unreadable()


def _show_address(request: HttpRequest) -> HttpResponse:
    """Answer 400 with the address of the site; needs no query, nor the name that was asked for."""
    with translation.override(translation.get_language_from_request(request)):
        page = render_to_string("wrong_host.html", {"site_url": settings.SITE_URL})
    return HttpResponse(page, status=400)
