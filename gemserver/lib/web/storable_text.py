"""Text that a database can keep: PostgreSQL takes no NUL, and no database takes lone surrogates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from django.shortcuts import render
from django.utils import translation
from django.utils.datastructures import MultiValueDict
from django.utils.http import parse_header_parameters

from gemserver.lib.web.problems import is_for_program, unreadable


def is_storable(text: str) -> bool:
    """True if the text has neither NUL nor lone surrogates."""
    return text == storable(text)


def storable(text: str) -> str:
    """The text with U+FFFD for whatever cannot be stored; for input from machines, which get no error message."""
    return (
        text.encode("utf-16", "surrogatepass")
        .decode("utf-16", "replace")
        .replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


class Utf8Request(WSGIRequest):
    """A request whose text is UTF-8, as browsers send our forms (HTML standard, "form submission").

    Django would use any Python codec that the sender names in Content-Type: UTF-7, which writes lone surrogates, or one
    that raises before the first middleware runs.
    """

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except (LookupError, ValueError):
            self.content_type, self.content_params = "", {}


class Utf8Handler(WSGIHandler):
    """Django's WSGI application, with `Utf8Request`."""

    request_class = Utf8Request


class RefuseUnstorableText:
    """Middleware, ahead of every query: a request with NUL or lone surrogates is answered with 400.

    Views that other programs post to, which are exempt from CSRF, check their own fields.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not all(map(is_storable, _address_and_cookies(request))):
            with translation.override(translation.get_language_from_request(request)):
                return _refuse(request)
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *arguments: Any
    ) -> HttpResponse | None:
        if request.method != "POST" or getattr(view, "csrf_exempt", False):
            return None
        try:
            fields = [*_texts(request.POST), *_texts(request.FILES)]
        except UnreadablePostError:  # the sender has gone; Django's check of the CSRF token answers
            return None
        return None if all(map(is_storable, fields)) else _refuse(request)


def _address_and_cookies(request: HttpRequest) -> Iterator[str]:
    yield request.path_info
    yield from _texts(request.GET)
    yield from request.COOKIES.values()


def _texts(fields: MultiValueDict[str, Any]) -> Iterator[str]:
    for name, values in fields.lists():
        yield name
        yield from (str(value) for value in values)


def _refuse(request: HttpRequest) -> HttpResponse:
    if is_for_program(request):
        return unreadable()
    return render(request, "400.html", status=400)
