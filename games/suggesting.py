"""Suggests a few good moves to somebody who plays, for the ready replies of a mail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from games.chance import Chance
from games.contract import Game, Seat
from games.playouts import judge, list_candidates


def suggest_few(
    game: Game, state: Any, seat: Seat, chance: Chance, number: int, longest: int = 1000
) -> list[str]:
    """Moves that look good at once to a seat that knows no more than it may, in the order of their notation.

    So nobody learns which of them a computer player holds for the best. Of the good ones each kind is among them, and
    they play different pieces if they can: three ways to turn one card are less help. Their texts have at most
    `longest` signs.
    """
    rules = game.rules
    known = rules.resample(state, seat, chance)
    suggested = [rules.write(move) for move in game.suggest(known, seat)] if game.suggest else []
    texts = [text for text in suggested if len(text) <= longest]
    if len({tuple(text.split()[:2]) for text in texts}) < number:
        # Behind what the game suggests, points will do: its evaluation of 48 moves took most of the mail of a turn.
        judged = replace(game, evaluate=None) if game.suggest else game
        values = {
            rules.write(move): judge(judged, rules.apply(known, seat, move, chance).state, seat)
            for move in list_candidates(rules, known, seat, chance)
        }
        ranked = sorted(values, key=values.__getitem__, reverse=True)
        texts += [text for text in ranked if len(text) <= longest and text not in texts]
    return sorted(_varied(texts)[:number])


def _varied(texts: Sequence[str]) -> list[str]:
    """The texts with the first of each verb before all others, then the first of each verb and piece."""
    verbs = {text.split()[0]: text for text in reversed(texts)}
    pieces = {tuple(text.split()[:2]): text for text in reversed(texts)}
    return [*dict.fromkeys([*_in_order(texts, verbs.values()), *_in_order(texts, pieces.values()), *texts])]


def _in_order(texts: Sequence[str], some: Iterable[str]) -> Iterator[str]:
    return filter({*some}.__contains__, texts)
