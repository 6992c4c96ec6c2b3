"""Gives back what somebody typed who was signed out before they sent it, or whose page was open for too long."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from gemserver.lib.web.sent_form import SentField, typed_fields


def keep_what_was_typed(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: a form with words in it that would end at the sign-in is given back, with status 403.

    A page that follows its answers by script sees that status and keeps what it shows.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method != "POST" or not _leads_to_sign_in(response):
            return response
        fields = typed_fields(request)
        return _give_back(request, "accounts/signed_out.html", fields) if fields else response

    return respond


def refuse_without_token(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 to a form without the token of its page, which is given back if a page of ours sent it."""
    return _give_back(request, "403_csrf.html", typed_fields(request))


def _leads_to_sign_in(response: HttpResponse) -> bool:
    path = urlsplit(response.headers.get("Location", "")).path
    return response.status_code == 302 and path in (reverse("account_login"), reverse("admin:login"))


def _give_back(request: HttpRequest, template: str, fields: list[SentField]) -> HttpResponse:
    context = {"fields": fields, "address": request.get_full_path()}
    response = render(request, template, context, status=403)
    response.headers["Cache-Control"] = "no-store"
    return response
