"""A move in the words of the buttons that build it, for wherever it does not stand in the log."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext as _

from games.contract import Choice, GameError, Rules
from gemserver.lib.text.translator import translator
from gemserver.matches import replay
from gemserver.matches.models import Move
from gemserver.matches.offered.game_guard import BrokenGame

MOST_STEPS = 60
"""More steps than any move has."""


def word_move(rules: Rules[Any, Any, Any], position: Any, seat: int, text: str) -> str:
    """The labels of the choices that build up a move in notation; itself where none lead to it from this position."""
    return ", ".join(_find_labels(rules, position, seat, text)) or text


def name_move(rules: Rules[Any, Any, Any], position: Any, seat: int, text: str) -> str:
    """Like `word_move`, without what labels add in brackets."""
    labels = _find_labels(rules, position, seat, text)
    return ", ".join(label.partition(" (")[0] for label in labels) or text


def word_line(rules: Rules[Any, Any, Any], positions: Sequence[Any], seat: int, line: Sequence[str]) -> str:
    """The alternatives of an order in words, each by the first position of the seat in which it is possible.

    Empty where they say no more than the notation.
    """
    words = [
        next((name for each in positions if (name := name_move(rules, each, seat, text)) != text), text)
        for text in line
    ]
    if [each.casefold() for each in words] == [text.casefold() for text in line]:
        return ""
    otherwise = _("otherwise")
    return f", {otherwise} ".join(words)


def say_move(rules: Rules[Any, Any, Any], position: Any, seat: int, text: str) -> str:
    """A move within a sentence: like `word_move`, without what labels add in brackets, and the notation behind it.

    The notation alone where the words say no more.
    """
    return quote(name_move(rules, position, seat, text), text)


def say_played(move: Move) -> str:
    """Like `say_move`, for a move that was played; the notation alone where its game has failed or is removed."""
    with suppress(GameError, BrokenGame):
        position = replay.position_at(move.match, move.ply - 1)
        return say_move(move.match.rules, position, move.seat, move.text)
    return move.text


def quote(words: str, text: str) -> str:
    """Write words with the notation behind them: `“Take the sapphire ring” (take SR)`; it alone if they say no more."""
    if not words or words.casefold() == text.casefold():
        return text
    return _("“%(words)s” (%(move)s)") % {"words": words, "move": text}


def _find_labels(rules: Rules[Any, Any, Any], position: Any, seat: int, text: str) -> list[str]:
    try:
        return [choice.label.text(translator()) for choice in find_path(rules, position, seat, text)]
    except GameError:
        return []


def find_path(rules: Rules[Any, Any, Any], position: Any, seat: int, begun: str) -> list[Choice]:
    """The choices that build up `begun`, the beginning of a move, in order; empty if it was typed in other words."""
    path: list[Choice] = []
    partial = ""
    while partial != begun:
        ways = [way for way in rules.steps(position, seat, partial) if _begins(way.text, begun)]
        if not ways or len(path) == MOST_STEPS:
            return []
        path.append(max(ways, key=lambda way: len(way.text)))
        partial = path[-1].text
    return path


def _begins(text: str, whole: str) -> bool:
    words = text.split()
    return whole.split()[: len(words)] == words
