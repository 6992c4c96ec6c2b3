"""Remembers the match that rules are asked about, so that their failure can be laid at its door."""

from __future__ import annotations

from contextvars import ContextVar

_match: ContextVar[int | None] = ContextVar("the match whose rules are asked", default=None)


def ask_rules_of(match_id: int) -> None:
    """Remember it, before a position of this match is handed to the rules."""
    _match.set(match_id)


def ask_rules_of_no_match() -> None:
    """Remember that what follows concerns no match, such as a tutorial, so that its failure stops none."""
    _match.set(None)


def find_asked_match() -> int | None:
    """The primary key of the last one."""
    return _match.get()
