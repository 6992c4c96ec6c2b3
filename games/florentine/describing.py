"""Describes moves as players do: a card by its gem or colours, a cell by where it lies.

Paragraph numbers refer to RULES.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from games.contract import Seat
from games.florentine.components import COLOUR_NAMES, GEM, GEM_NAMES
from games.florentine.notation import SIDE_NAMES, write
from games.florentine.rules import RULES
from games.florentine.square import (
    CARD_OF,
    CELL_NUMBER,
    CELLS,
    CENTRE,
    GEM_OF,
    NEIGHBOURS,
    SIDES,
    SIZE,
    turn_card,
)
from games.florentine.state import Black, Decline, Discard, Place, Square, State
from games.phrases.described import NEVER, Described, Step, Traits, in_any_order

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
    moves = [*RULES.legal_moves(state, seat)]
    cells = {move.cell for move in moves if isinstance(move, Place)}
    sole = {"sole": _CELL} if len(cells) == 1 else {}
    for move in moves:
        match move:
            case Place(card, cell, facing):
                around = _name_cell(state.square, cell) | _name_facing(card, cell, facing) | sole
                if sum(isinstance(each, Place) and each.cell == cell for each in moves) == 1:
                    around["fits-alone"] = _CARD
                parts = dict.fromkeys((f"at-{part}" for part in _name_parts(cell)), _CELL)
                is_told = (
                    len({move.cell for move in moves if isinstance(move, Place) and move.card == card}) == 1
                )
                needs = _CARD if is_told else _CARD | _CELL
                step = Step(_name_card(card) | around, needs, parts)
                # With its code *on the left* tells a place; *the jade on the left* may be a card of the hand.
                coded = Step({card: _CARD} | around | parts, needs)
                yield Described(write(move), [coded], with_code=2)
                if not is_told:  # *bgoo to the south* may say how it is turned, or where it goes
                    yield Described(write(move), [replace(step, needs=_CARD)], with_verb=NEVER)
            case Discard(card) if cells:
                step = Step(_name_card(card), _CARD | _POOL, {"pool": _POOL, "useless": _NOTHING})
            case Discard(card):
                step = Step(_name_card(card), _CARD, {"pool": _NOTHING, "useless": _NOTHING})
            case Black(cell, edge):
                step = Step(_name_edge(state.square, cell, edge), _CELL, {"black": _NOTHING})
            case Decline():
                step = Step({}, _DECLINE, {"decline": _DECLINE})
        yield Described(
            write(move),
            [step],
            declines=isinstance(move, Discard | Decline),
            with_verb={Decline: 0, Discard: 1, Black: 1}.get(type(move), 2),
            alone=2 if isinstance(move, Place) else 1 if isinstance(move, Discard) and not cells else NEVER,
            with_code=2 if isinstance(move, Place) else NEVER,
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
    names += [] if GEM[card] else ["no gem", "gemless"]
    names += [f"no {colour}" for letter, colour in COLOUR_NAMES.items() if letter not in card]
    names += [f"only {colour}" for colour in present if colours.count(colour) == 1]
    names += [name for gem in [GEM[card]] if gem for name in _name_gem(GEM_NAMES[gem].split()[0], present)]
    return dict.fromkeys(names, _CARD)


def _name_gem(gem: str, present: Sequence[str]) -> Iterator[str]:
    """Name a gem alone, and with one or two of the colours of its card: *the amber with the ochre*."""
    yield gem
    for count in (1, 2):
        for some in combinations(present, count):
            for said in in_any_order(*some):
                yield from (f"{gem} {said}", f"{said} {gem}")


def _name_cell(square: Square, cell: str) -> Traits:
    """Name the cell by itself, as the end of an arm or a line, and by the cards next to it."""
    number = CELL_NUMBER[cell]
    names = [cell, *(["centre"] if number == CENTRE else []), *(f"end-{part}" for part in _name_ends(number))]
    laid = sum(map(bool, square))
    around = [CELLS[neighbour] for _, neighbour in NEIGHBOURS[number] if square[neighbour]]
    names += [f"between {one} {other}" for one, other in permutations(around, 2)]
    for side, neighbour in NEIGHBOURS[number]:
        if square[neighbour]:
            ways = [_OPPOSITE[SIDES[side]], "next-to"]
            ways += ["beyond"] if _far_out(number) > _far_out(neighbour) else []
            names += [f"{way} {name}" for way in ways for name in _name_laid(square, neighbour)]
            names += ways if laid == 1 else []
    return dict.fromkeys(names, _CELL)


def _name_parts(cell: str) -> Iterator[str]:
    """Name the parts of the square in which a cell lies, as seen from the centre."""
    for place, middle, (less, more) in _measure(CELL_NUMBER[cell]):
        if place != middle:
            yield less if place < middle else more


def _name_ends(cell: int) -> Iterator[str]:
    """Name the sides of the square to which a cell lies at the end: on an arm of the cross, or at the rim."""
    column, row = _measure(cell)
    for (place, middle, (less, more)), (other, other_middle, _) in ((column, row), (row, column)):
        if place != middle and (other == other_middle or place in (0, SIZE - 1)):
            yield less if place < middle else more


def _measure(cell: int) -> Sequence[tuple[int, int, tuple[str, str]]]:
    """The column and the row of a cell, each with the middle one and the words for both directions from there."""
    ways = (("left", "right"), ("down", "up"))
    return [*zip(divmod(cell, SIZE), divmod(CENTRE, SIZE), ways, strict=True)]


def _far_out(cell: int) -> int:
    """The steps from the centre."""
    return sum(abs(one - other) for one, other in zip(divmod(cell, SIZE), divmod(CENTRE, SIZE), strict=True))


def _name_laid(square: Square, cell: int) -> Iterator[str]:
    """Name a card that lies by its cell, its code, its gem, and whose it is."""
    look = square[cell]
    places = [CELLS[cell], *(["centre", "start"] if cell == CENTRE else [])]
    gem = GEM_OF[look]
    cards = [CARD_OF[look], *([GEM_NAMES[gem].split()[0]] if gem else [])]
    yield from places
    for card in cards:
        yield from (card, f"somebody {card}")
        yield from (f"{card} {place}" for place in places)


def _name_facing(card: str, cell: str, facing: str) -> Traits:
    """Say which colour looks where, and where the first letter does (paragraph 6)."""
    look = turn_card(card, facing)
    names: list[str] = []
    turned: list[str] = []
    parts = {*_name_parts(cell)}  # `b4 left` may say where the cell lies
    for place, letter in enumerate(look):
        for side in _SAYING[SIDE_NAMES[SIDES[place]]]:
            colour = COLOUR_NAMES[letter]
            names += [f"{colour} {side}", f"{side} {colour}", f"{colour} facing {side}"]
            names += [f"{colour} {side} facing", f"facing {side} {colour}"]
            names += [f"only {colour} {side}"] if look.count(letter) == 1 else []
    for one, other in combinations(range(4), 2):
        if look[one] == look[other]:
            sides = [_SAYING[SIDE_NAMES[SIDES[place]]] for place in (one, other)]
            colour = COLOUR_NAMES[look[one]]
            names += [
                f"{said} {a} {b}"
                for said in (colour, f"both {colour}", f"2 {colour}", f"{colour} facing")
                for a, b in [*zip(*sides, strict=True), *zip(*sides[::-1], strict=True)]
            ]
    for first in SIDES:
        if turn_card(card, first) == look:
            for side in _SAYING[SIDE_NAMES[first]]:
                names += [f"{cell} {side}"] if side not in parts else []
                first_colour = COLOUR_NAMES[card[0]]
                names += [f"first {first_colour} {side}"]
                turned += [f"facing {side}", f"{side} facing"]
    return dict.fromkeys(names, _CELL) | dict.fromkeys(turned, _NOTHING)


def _name_edge(square: Square, cell: str, edge: str) -> Traits:
    """Name an outer edge, and the colour that it shows (paragraph 19)."""
    sides = _SAYING[SIDE_NAMES[edge]]
    named = [cell, f"{_OUTSIDE[edge]} {cell}", *(each for side in sides for each in in_any_order(cell, side))]
    colour = COLOUR_NAMES[square[CELL_NUMBER[cell]][SIDES.index(edge)]]
    return dict.fromkeys([colour, *in_any_order(colour, "room"), *sides], _NOTHING) | dict.fromkeys(
        named, _CELL
    )
