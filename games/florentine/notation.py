"""Florentine Domino's move texts, written canonically and read leniently."""

from __future__ import annotations

from typing import assert_never

from games.contract import AmbiguousMove, InvalidMove, Seat
from games.florentine.components import COLOUR_NAMES, COLOURS, GEM, sort_cards
from games.florentine.square import (
    CELL_NUMBER,
    CENTRE,
    LOOKS,
    RIM,
    SIDES,
    find_facing,
    find_needs,
    fitting_looks,
    open_cells,
)
from games.florentine.state import Black, Cards, Decline, Discard, Move, Phase, Place, State
from games.reading import echo, read_word, refuse_rest, split_line

WORDS: dict[Phase, tuple[str, ...]] = {
    Phase.HANDS: ("place", "discard"),
    Phase.POOL: ("place",),
    Phase.BLACK: ("black", "decline"),
    Phase.OVER: (),
}
ALL_WORDS = ("place", "discard", "black", "decline")
SIDE_NAMES = {"N": "north", "E": "east", "S": "south", "W": "west"}


def write(move: Move) -> str:
    """Write the move in canonical notation."""
    match move:
        case Place(card, cell, facing):
            return f"place {card} {cell} {facing}"
        case Discard(card):
            return f"discard {card}"
        case Black(cell, edge):
            return f"black {cell} {edge}"
        case Decline():
            return "decline"
        case _:
            assert_never(move)


def possible_words(state: State) -> tuple[str, ...]:
    """List the words with which a move can begin now."""
    if state.phase is Phase.HANDS and not state.square[CENTRE]:
        return ("place",)
    return WORDS[state.phase]


def parse(state: State, seat: Seat, text: str) -> Move:
    """Read the move that is meant; `apply` checks whether it is legal. Raises InvalidMove or AmbiguousMove."""
    head, *rest = split_line(text)
    match read_word(head, possible_words(state), known=ALL_WORDS):
        case "place":
            return _read_place(state, seat, rest)
        case "discard":
            card, _, rest = read_card(rest, state.hands[seat])
            refuse_rest(rest)
            return Discard(card)
        case "black":
            return _read_black(rest)
        case _:
            refuse_rest(rest)
            return Decline()


def read_placement(state: State, seat: Seat, text: str) -> tuple[str | None, str | None]:
    """Read the card and the cell of an incomplete placement; None stands for a part that is missing.

    Both are None for a whole placement and for a move of another kind. Raises InvalidMove or AmbiguousMove.
    """
    head, *rest = split_line(text)
    if read_word(head, possible_words(state), known=ALL_WORDS) != "place":
        return None, None
    card, _, rest = read_card(rest, _placeable(state, seat))
    if not rest:
        return card, None
    cell, *rest = _read_cell(rest)
    return (None, None) if rest else (card, cell)


def _placeable(state: State, seat: Seat) -> Cards:
    return state.pool if state.phase is Phase.POOL else state.hands[seat]


def _read_place(state: State, seat: Seat, rest: list[str]) -> Place:
    among = _placeable(state, seat)
    card, shift, rest = read_card(rest, among)
    cell, *rest = _read_cell(rest)
    if not rest:
        return Place(card, cell, _infer_facing(state, card, cell, among))
    refuse_rest(rest[1:])
    faced = SIDES.index(_read_side(rest[0]))
    return Place(card, cell, find_facing(card, SIDES[faced - shift]))


def _infer_facing(state: State, card: str, cell: str, among: Cards) -> str:
    """Find the only facing that fits. Where none does, the first: `apply` will say why. Raises AmbiguousMove."""
    number = CELL_NUMBER[cell]
    need = find_needs(state.square).get(number)
    facings = [LOOKS[card][look] for look in fitting_looks(need).get(card, ())] if need else []
    if len(facings) > 1 and card in among and number in open_cells(state.square):
        raise AmbiguousMove(
            "ambiguous-facing",
            "{card} fits on {cell} in several ways. Say where its first letter faces: {facings}.",
            card=card,
            cell=cell,
            facings=", ".join(facings),
        )
    return facings[0] if facings else SIDES[0]


def _read_black(rest: list[str]) -> Black:
    cell, *rest = _read_cell(rest)
    if rest:
        refuse_rest(rest[1:])
        return Black(cell, _read_side(rest[0]))
    edges = [SIDES[triangle % 4] for triangle in RIM if triangle // 4 == CELL_NUMBER[cell]]
    if len(edges) > 1:
        raise AmbiguousMove(
            "ambiguous-edge",
            "{cell} has two outer edges. Add the one you mean: {edges}.",
            cell=cell,
            edges=", ".join(edges),
        )
    if not edges:
        raise InvalidMove(
            "no-edge", "{cell} has no outer edge. Name a cell on the rim and its edge, as in a3 W.", cell=cell
        )
    return Black(cell, edges[0])


def read_card(words: list[str], among: Cards) -> tuple[str, int, list[str]]:
    """Read the card at the beginning of the words; return it with the number below and the words after it.

    A card is named by its four colours clockwise, as letters or names, from any edge: the number between says
    how many letters of its code come before the one that was written first. Fewer colours will do when only one
    card of `among` begins so. Raises InvalidMove (`no-card`, `unknown-card`) or AmbiguousMove
    (`ambiguous-card`).
    """
    letters, used = _read_colours(words)
    if not letters:
        raise InvalidMove("no-card", "Name a card by the letters of its colours, for example: rrbg")
    rest = words[used:]
    for shift in range(4):
        code = letters[-shift:] + letters[:-shift]
        if code in GEM:
            return code, shift, rest
    meant = [card for card in sort_cards(among) if card.startswith(letters)]
    if len(meant) == 1:
        return meant[0], 0, rest
    if meant:
        raise AmbiguousMove(
            "ambiguous-card",
            "“{word}” could be {cards}. Write all four letters.",
            word=letters,
            cards=", ".join(meant),
        )
    raise InvalidMove(
        "unknown-card",
        "“{word}” is no card that can be meant here. Write the four letters of its code, for example rrbg.",
        word=echo(letters),
    )


def _read_colours(words: list[str]) -> tuple[str, int]:
    """The colour letters at the beginning of the words, and how many words they take."""
    letters, used = "", 0
    for word in words:
        parts = [_read_colour(part) for part in word.split("-")]
        if not all(parts) or len(letters) >= 4:
            break
        letters += "".join(parts)
        used += 1
    return letters, used


def _read_colour(word: str) -> str:
    """The letters of a colour's name, or the beginning of one, or of a code; empty for anything else."""
    for letter, name in COLOUR_NAMES.items():
        if word and name.startswith(word):
            return letter
    return word if set(word) <= set(COLOURS) else ""


def _read_cell(words: list[str]) -> list[str]:
    """Check that the first word is a cell, and return the words. Raises InvalidMove (`no-cell`, `unknown-cell`)."""
    if not words:
        raise InvalidMove("no-cell", "Name a cell too, for example: place rrbg d5 E, or black a3 W")
    if words[0] not in CELL_NUMBER:
        raise InvalidMove(
            "unknown-cell",
            "“{word}” is no cell. Cells go from a1 in the south-west to g7 in the north-east.",
            word=echo(words[0]),
        )
    return words


def _read_side(word: str) -> str:
    """Read the letter of an edge or facing. Raises InvalidMove (`unknown-side`)."""
    for letter, name in SIDE_NAMES.items():
        if name.startswith(word):
            return letter
    raise InvalidMove("unknown-side", "“{word}” is no direction. Write N, E, S or W.", word=echo(word))
