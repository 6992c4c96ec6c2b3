"""Builds a move of Florentine Domino piece by piece: card, cell, facing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from games.contract import Choice, Message
from games.florentine.components import GEM
from games.florentine.notation import parse, read_placement, write
from games.florentine.square import turn_card
from games.florentine.state import Black, Decline, Discard, Move, Place, State
from games.prose import SIDE_WORDS


def build_steps(state: State, moves: Iterable[Move], partial: str) -> Sequence[Choice]:
    """The choices after `partial`, on the way to these legal moves of the seat to act.

    Raises GameError for a `partial` that cannot be read.
    """
    if not partial.strip():
        return tuple(_begin(moves))
    card, cell = read_placement(state, state.turn, partial)
    if card is None:
        parse(state, state.turn, partial)
        return ()
    placements = [move for move in moves if isinstance(move, Place) and move.card == card]
    if cell is None:
        return tuple(_choose_cell(placements))
    return tuple(_choose_facing([move for move in placements if move.cell == cell]))


def _begin(moves: Iterable[Move]) -> Iterator[Choice]:
    """A card to place, or a whole move of another kind."""
    begun: set[str] = set()
    for move in moves:
        match move:
            case Place(card):
                if card not in begun:
                    begun.add(card)
                    yield Choice(f"place {card}", _label_card(card), complete=False)
            case Discard(card):
                yield Choice(write(move), Message("Discard {card}", {"card": card}), complete=True)
            case Black(cell, edge):
                label = Message(
                    "Black card at {cell}, edge {edge}", {"cell": cell}, {"edge": SIDE_WORDS[edge]}
                )
                yield Choice(write(move), label, complete=True)
            case Decline():
                yield Choice(write(move), Message("Keep the black card"), complete=True)
            case _:
                assert_never(move)


def _label_card(card: str) -> Message:
    if GEM[card]:
        return Message("Place {card}, with gem", {"card": card})
    return Message("Place {card}", {"card": card})


def _choose_cell(placements: Sequence[Place]) -> Iterator[Choice]:
    """The cells on which the card fits; where it fits in one way only, that is the whole move."""
    for cell in dict.fromkeys(move.cell for move in placements):
        here = [move for move in placements if move.cell == cell]
        if len(here) == 1:
            label = Message(
                "on {cell}, facing {facing}", {"cell": cell}, {"facing": SIDE_WORDS[here[0].facing]}
            )
            yield Choice(write(here[0]), label, complete=True)
        else:
            yield Choice(f"place {here[0].card} {cell}", Message("on {cell}", {"cell": cell}), complete=False)


def _choose_facing(placements: Sequence[Place]) -> Iterator[Choice]:
    """The facings in which the card may lie on the cell."""
    for move in placements:
        label = Message(
            "facing {facing} ({sides})",  # clockwise from north
            {"sides": " ".join(turn_card(move.card, move.facing))},
            {"facing": SIDE_WORDS[move.facing]},
        )
        yield Choice(write(move), label, complete=True)
