"""The path of a request without its tokens, as unsubscribe links, feeds, held mails and invitations have them."""

from __future__ import annotations

import re

from django.http import HttpRequest
from django.urls import Resolver404, ResolverMatch, resolve

from gemserver.lib.text.patterns import Pattern
from gemserver.lib.text.redaction import HIDDEN

_PARAMETER = Pattern(r"<(?:\w+:)?(\w+)>")
_PUBLIC_NAMES = frozenset({"slug", "game", "provider", "app_label"})
_PUBLIC_VALUE = Pattern(r"[0-9]{1,12}|M[0-9]{1,9}", re.IGNORECASE)
"""Numbers of rows and codes of matches."""


def safe_path(request: HttpRequest) -> str:
    """The path without query and without the parts that may be tokens; of an unknown address, only the first part."""
    match = request.resolver_match or _resolve(request.path_info)
    if match is None:
        return _beginning(request.path_info)
    if "^" in match.route:  # one of allauth's regular expressions: the names of its parts say nothing
        return _beginning(request.path_info) if match.kwargs or match.args else request.path_info
    return "/" + _PARAMETER.sub(lambda found: _part(found[1], match), match.route)


def _part(name: str, match: ResolverMatch) -> str:
    value = str(match.kwargs.get(name, HIDDEN))
    return value if name in _PUBLIC_NAMES or _PUBLIC_VALUE.fullmatch(value) else HIDDEN


def _beginning(path: str) -> str:
    first, slash, rest = path.removeprefix("/").partition("/")
    return f"/{first[:40]}{slash}{HIDDEN if rest else ''}"


def _resolve(path: str) -> ResolverMatch | None:
    try:
        return resolve(path)
    except Resolver404:
        return None
