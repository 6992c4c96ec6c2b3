"""Describes moves as players do: a card by its gem or colours, a cell by where it lies.

Paragraph numbers refer to RULES.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from games.contract import Seat
from games.describing import NEVER, Described, Step, Traits, in_any_order
from games.florentine.components import COLOUR_NAMES, GEM, GEM_NAMES
from games.florentine.notation import SIDE_NAMES, write
from games.florentine.rules import RULES
from games.florentine.square import CELL_NUMBER, CENTRE, NEIGHBOURS, SIDES, turn_card
from games.florentine.state import Black, Decline, Discard, Place, Square, State

_CARD, _CELL, _POOL, _DECLINE = (frozenset([part]) for part in ("card", "cell", "pool", "decline"))
_NOTHING = frozenset[str]()
_SAYING = {
    "north": ("north", "up"),
    "east": ("east", "right"),
    "south": ("south", "down"),
    "west": ("west", "left"),
}
"""How a side is said; the words of places stand for its directions too."""
_OPPOSITE = {"N": "below", "E": "left-of", "S": "above", "W": "right-of"}
"""Where a cell lies as seen from its neighbour on that side."""
_OUTSIDE = {"N": "above", "E": "right-of", "S": "below", "W": "left-of"}


def describe(state: State, seat: Seat) -> Iterator[Described]:
    """The legal moves of the seat with what players say of them."""
    for move in RULES.legal_moves(state, seat):
        match move:
            case Place(card, cell, facing):
                traits = {
                    **_name_card(card),
                    **_name_cell(state.square, cell),
                    **_name_facing(card, cell, facing),
                }
                step = Step(traits, _CARD)
            case Discard(card):
                step = Step(_name_card(card), _CARD | _POOL, {"pool": _POOL})
            case Black(cell, edge):
                step = Step(_name_edge(state.square, cell, edge), _CELL, {"black": _NOTHING})
            case Decline():
                step = Step({}, _DECLINE, {"decline": _DECLINE})
        yield Described(
            write(move),
            [step],
            declines=isinstance(move, Discard | Decline),
            with_verb={Decline: 0, Discard: 1, Black: 1}.get(type(move), 2),
            alone=2 if isinstance(move, Place) else NEVER,
        )


def _name_card(card: str) -> Traits:
    """Name the card by its code, its colours or its gem (paragraph 1)."""
    colours = [COLOUR_NAMES[letter] for letter in card]
    names = [card, " ".join(colours)]
    present = [*dict.fromkeys(colours)]
    if len(present) == 2:
        names += [f"{prefix}{name}" for name in in_any_order(*present) for prefix in ("", "double ")]
        names += [f"{name} double" for name in in_any_order(*present)]
    if len(present) == 2 and card[0] == card[1]:
        names += [f"double {one} double {other}" for one, other in (present, present[::-1])]
    for letter, colour in COLOUR_NAMES.items():
        names += [f"2 {colour}", f"double {colour}"] if card.count(letter) == 2 else []
    names += [] if GEM[card] else ["no gem"]
    names += [f"no {colour}" for letter, colour in COLOUR_NAMES.items() if letter not in card]
    names += [f"only {colour}" for colour in present if colours.count(colour) == 1]
    names += [GEM_NAMES[gem].split()[0] for gem in [GEM[card]] if gem]
    return dict.fromkeys(names, _CARD)


def _name_cell(square: Square, cell: str) -> Traits:
    """Name the cell by itself, and by the cards that lie next to it."""
    names = [cell]
    number = CELL_NUMBER[cell]
    if number == CENTRE:
        names.append("centre")
    laid = sum(map(bool, square))
    for side, neighbour in NEIGHBOURS[number]:
        if square[neighbour]:
            where = _OPPOSITE[SIDES[side]]
            cells = [each for each, at in CELL_NUMBER.items() if at == neighbour]
            cells += ["centre", "start"] if neighbour == CENTRE else []
            names += [f"{where} {each}" for each in cells]
            names += [where] if laid == 1 else []
    return dict.fromkeys(names, _NOTHING)


def _name_facing(card: str, cell: str, facing: str) -> Traits:
    """Say which colour looks where, and where the first letter does (paragraph 6)."""
    look = turn_card(card, facing)
    names: list[str] = []
    for place, letter in enumerate(look):
        for side in _SAYING[SIDE_NAMES[SIDES[place]]]:
            colour = COLOUR_NAMES[letter]
            names += [f"{colour} {side}", f"{side} {colour}", f"{colour} facing {side}"]
            names += [f"only {colour} {side}"] if look.count(letter) == 1 else []
    for one, other in combinations(range(4), 2):
        if look[one] == look[other]:
            sides = [_SAYING[SIDE_NAMES[SIDES[place]]] for place in (one, other)]
            names += [
                f"{COLOUR_NAMES[look[one]]} {a} {b}"
                for a, b in [*zip(*sides, strict=True), *zip(*sides[::-1], strict=True)]
            ]
    for first in SIDES:
        if turn_card(card, first) == look:
            for side in _SAYING[SIDE_NAMES[first]]:
                first_colour = COLOUR_NAMES[card[0]]
                names += [
                    f"facing {side}",
                    f"{side} facing",
                    f"first {first_colour} {side}",
                    f"{cell} {side}",
                ]
    return dict.fromkeys(names, _NOTHING)


def _name_edge(square: Square, cell: str, edge: str) -> Traits:
    """Name an outer edge, and the colour that it shows (paragraph 19)."""
    sides = _SAYING[SIDE_NAMES[edge]]
    named = [cell, f"{_OUTSIDE[edge]} {cell}", *(each for side in sides for each in in_any_order(cell, side))]
    colour = COLOUR_NAMES[square[CELL_NUMBER[cell]][SIDES.index(edge)]]
    return dict.fromkeys([colour, *in_any_order(colour, "room"), *sides], _NOTHING) | dict.fromkeys(
        named, _CELL
    )
