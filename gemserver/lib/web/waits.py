"""Lets a view say that its answer may soon be another, so that the waiting process asks it again.

A view only says what its answer depends on. Every process answers at once; the waiting process (`gemserver.waiting`)
keeps a request whose asker knows the answer already, and asks the view again when there is news.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass

from django.http import HttpRequest

LONGEST = 300
"""Seconds for which a request is kept at most."""

Subject = tuple[str, int]
"""Something of which there may be news: `user` or `match`, and its primary key."""

_WAIT = re.compile(r"(?:^|[,;])\s*wait\s*=\s*\"?(\d{1,9})\"?\s*(?=$|[,;])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait for other turns of a user, or for anything to happen in a match; all are named by primary key.

    `asker` is who asks, with a token or a session; None for a stranger, of whom only the address is known.
    """

    asker: str | None
    user: int | None = None
    turns: frozenset[Hashable] = frozenset()
    """The turns in the answer."""
    match: int | None = None
    ply: int = 0
    """The ply of the match in the answer."""
    token: int | None = None
    """The personal token of the asker, if one is good for the answer."""

    @property
    def subjects(self) -> list[Subject]:
        """The things whose news wake the request."""
        subjects = [("user", self.user), ("match", self.match)]
        return [(kind, key) for kind, key in subjects if key is not None]


def may_wait(request: HttpRequest, wait: Wait) -> None:
    """Say that the answer to this request changes when what is awaited does."""
    request.wait = wait  # type: ignore[attr-defined]


def wait_of(request: HttpRequest) -> Wait | None:
    return getattr(request, "wait", None)


def ask_again(request: HttpRequest) -> None:
    """Mark a request that the waiting process asks once more: it has been counted, and is one line in the log."""
    request.is_asked_again = True  # type: ignore[attr-defined]


def is_asked_again(request: HttpRequest) -> bool:
    return getattr(request, "is_asked_again", False)


def seconds_to_wait(prefer: str) -> int:
    """The seconds in a field `Prefer: wait=50` (RFC 7240 §4.3), 0 without, at most `LONGEST`.

    >>> seconds_to_wait("respond-async, wait=50")
    50
    """
    found = _WAIT.search(prefer)
    return min(int(found[1]), LONGEST) if found else 0
