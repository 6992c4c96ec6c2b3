"""Answers for programs that say what is wrong: RFC 9457, `application/problem+json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.translation import gettext as _

API_ROOT = "/api/v1/"
"""Every address below is for programs."""

MEDIA_TYPE = "application/problem+json"

MENDED_IN = "3600"
"""Seconds after which it is worth asking again for a match whose game has failed: people must put it right."""


def is_for_program(request: HttpRequest) -> bool:
    """True if the answer is read by a program and not by a person."""
    return request.path_info.startswith(API_ROOT)


def problem(
    status: int, code: str, sentence: str, headers: Mapping[str, str] | None = None, **more: object
) -> HttpResponse:
    """An answer with a stable code, and a sentence that says what to do next; `more`: further members."""
    content = {
        "type": f"urn:gemserver:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": sentence,
        **more,
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    given = {"Cache-Control": "private, no-store", "Content-Language": translation.get_language() or "en"}
    return HttpResponse(text, status=status, content_type=MEDIA_TYPE, headers={**given, **(headers or {})})


def unreadable() -> HttpResponse:
    """Answer text that no database can keep."""
    return problem(
        400,
        "unreadable",
        _(
            "The address, or something that was sent with it, is no text that can be kept. Nothing has changed; send "
            "it without NUL and lone surrogates."
        ),
    )


def busy(seconds: int) -> HttpResponse:
    """Answer that the database is too busy, and when to come again."""
    return problem(
        503,
        "busy",
        _(
            "Something else holds what you wanted to change, so nothing has changed. Wait a moment and send it again."
        ),
        {"Retry-After": str(seconds)},
    )


def failed() -> HttpResponse:
    """Answer that the server has made a mistake."""
    return problem(
        500,
        "failed",
        _(
            "Something broke on our side, and has been noted. A move is either played completely or not at all: look "
            "at the match before you send it again."
        ),
    )


def game_failed(*, stands_still: bool) -> HttpResponse:
    """Answer that the rules of the match have failed, and whether it stands still, of which the operators are told."""
    sentence = (
        _(
            "The rules of this game have failed. No clock runs, nothing is lost, and the operators have been told; "
            "look again later."
        )
        if stands_still
        else _(
            "The rules of this game have failed, and the error stands in the server's log. Nothing is lost. Look "
            "again later, and tell a moderator if it stays so."
        )
    )
    return problem(503, "game-failed", sentence, {"Retry-After": MENDED_IN})
