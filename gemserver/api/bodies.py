"""Checks the body that a program sends: bounded, JSON, and text that a database can keep."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from django.http import HttpRequest
from django.http.request import MediaType, UnreadablePostError
from django.utils.translation import gettext as _
from ninja.parser import Parser

from gemserver.api.problems import Problem
from gemserver.lib.web.problems import MEDIA_TYPE
from gemserver.lib.web.storable_text import is_storable

LARGEST = 64 * 1024
"""Bytes of a body: many times what the longest plan takes."""


def require_fit(request: HttpRequest) -> None:
    """Raise Problem(400, 406, 411, 413, 415) for a request that cannot be answered, or whose body cannot be read."""
    if not _takes_json(request):
        raise Problem(406, "not-acceptable", _("Answers are JSON; send “Accept: application/json”."))
    if "Transfer-Encoding" in request.headers and not request.META.get("CONTENT_LENGTH"):
        # From a proxy that passes on a body in pieces: Django would read none of it.
        raise Problem(411, "no-length", _("Send the body with its “Content-Length”, and not in pieces."))
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not length.isascii() or not length.isdigit() or int(length) > LARGEST:
        sentence = _("A body may have %(most)d bytes; send less.") % {"most": LARGEST}
        raise Problem(413, "too-large", sentence)
    try:
        has_body = bool(request.body)
    except UnreadablePostError as error:  # whoever sent it has gone, and hears nothing
        raise _no_json() from error
    if has_body and request.method != "GET" and request.content_type != "application/json":
        raise Problem(415, "not-json", _("Send a body as “Content-Type: application/json”."))


def _no_json() -> Problem:
    return Problem(400, "no-json", _("The body is not JSON in UTF-8; send one JSON object."))


def _takes_json(request: HttpRequest) -> bool:
    """True if the asker accepts JSON, with whatever parameters: programs name a charset, though JSON has none."""
    if not request.headers.get("Accept", "").strip():
        return True
    ranges = [MediaType(f"{each.main_type}/{each.sub_type}") for each in request.accepted_types]
    return any(each.match(kind) for each in ranges for kind in ("application/json", MEDIA_TYPE))


class BodyParser(Parser):
    """Reads JSON; refuses text with NUL or lone surrogates, as the site does."""

    def parse_body(self, request: HttpRequest) -> Any:
        data = _read(request)
        if not _is_storable(data):
            raise Problem(
                400,
                "unreadable",
                _(
                    "Something in the body is no text that can be kept; send it without NUL and lone surrogates."
                ),
            )
        return data


def _read(request: HttpRequest) -> Any:
    """The body as JSON. Raises Problem(400, 415)."""
    try:
        return json.loads(request.body, parse_constant=_refuse_constant, object_pairs_hook=_object_of)
    except (ValueError, RecursionError) as error:
        if request.headers.get("Content-Encoding", "identity") != "identity":
            sentence = _("The body is compressed; send it as it is, without “Content-Encoding”.")
            raise Problem(415, "encoded", sentence, {"Accept-Encoding": "identity"}) from error
        raise _no_json() from error


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these names and values. Raises Problem(400) for a name that comes twice (RFC 7493 2.3)."""
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    ((twice, _times),) = Counter(name for name, _value in pairs).most_common(1)
    shown = twice[:80] if is_storable(twice) else "…"
    sentence = _("“%(name)s” stands twice in one object of the body; send it once.") % {"name": shown}
    raise Problem(400, "twice", sentence, name=shown)


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _is_storable(data: Any) -> bool:
    if isinstance(data, str):
        return is_storable(data)
    if isinstance(data, dict):
        return all(map(_is_storable, (*data.keys(), *data.values())))
    return all(map(_is_storable, data)) if isinstance(data, list) else True


def canonical(request: HttpRequest) -> bytes:
    """The body in one form, however it was written; equal bodies give equal bytes. Raises Problem(400, 415)."""
    if not request.body:
        return b""
    try:
        return json.dumps(_read(request), sort_keys=True, separators=(",", ":")).encode()
    except (ValueError, RecursionError) as error:
        # It is deeper than can be written, or has numbers too long for it.
        raise _no_json() from error
