"""Answers 405 with a page in words; Django's own answer is empty, and a browser shows nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

Responder: TypeAlias = Callable[[HttpRequest], HttpResponse]


def page_for_not_allowed(get_response: Responder) -> Responder:
    """Middleware behind the one that knows the reader's language; an answer with words of its own stays."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or response.content:
            return response
        page = render(request, "405.html", status=405)
        page.headers["Allow"] = response.headers["Allow"]
        return page

    return respond
