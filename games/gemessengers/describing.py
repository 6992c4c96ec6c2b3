"""What players say of a move besides its notation: gems by their colours, places by what lies there.

Paragraph numbers refer to RULES.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from games.contract import Seat
from games.describing import Described, Step, Traits
from games.gemessengers.components import ROW_NAMES, SUIT_NAMES
from games.gemessengers.notation import write
from games.gemessengers.rules import RULES
from games.gemessengers.state import ROW_SPOTS, Play, Proclaim, Spot, State, Workshop

_GEM, _SPOT, _PROCLAIM, _ROWS = (frozenset([part]) for part in ("gem", "spot", "proclaim", "rows"))
_NOTHING = frozenset[str]()
_COLOURS = {"A": "purple", "C": "yellow", "E": "green", "R": "red", "S": "blue"}
"""The colours by which gems are called; diamond and topaz have none that is theirs alone."""
_ORDINALS = ("1st", "2nd", "3rd")


def describe(state: State, seat: Seat) -> Iterator[Described]:
    """The legal moves of the seat with what players say of them."""
    moves = [*RULES.legal_moves(state, seat)]
    proclaimed = {move.suit for move in moves if isinstance(move, Proclaim)}
    for move in moves:
        match move:
            case Play(gem, spot):
                workshop = state.workshops[seat]
                traits = _name_gem(gem) | dict.fromkeys(_name_spot(workshop, spot), _SPOT)
                yield Described(write(move), [Step(traits, _GEM | (_SPOT if workshop else _NOTHING), {"play": _NOTHING})])
            case Proclaim(suit, rows):
                names = [ROW_NAMES[row] for row in rows]
                traits = {SUIT_NAMES[suit]: _GEM} | dict.fromkeys(_name_rows(names), _ROWS)
                needs = _PROCLAIM | _ROWS | (_GEM if len(proclaimed) > 1 else _NOTHING)
                yield Described(write(move), [Step(traits, needs, {"proclaim": _PROCLAIM})])


def _name_gem(gem: str) -> Traits:
    """Name a gem by its suit or its colour, or both."""
    suit, colour = SUIT_NAMES[gem], _COLOURS.get(gem)
    return dict.fromkeys([suit, *([colour, f"{colour} {suit}", f"{suit} {colour}"] if colour else [])], _GEM)


def _name_spot(workshop: Workshop, spot: Spot) -> Iterator[str]:
    """Name a row by its number, by what lies in it, or as a new one (paragraphs 12 to 15)."""
    if spot in ROW_SPOTS:
        place = ROW_SPOTS.index(spot)
        yield from (f"row {place + 1}", f"{_ORDINALS[place]} row", f"{place + 1} row")
        for gem in dict.fromkeys(workshop[place]):
            if sum(gem in row for row in workshop) == 1:
                yield from (f"beside {name}" for name in _name_gem(gem))
    elif spot is not Spot.FIRST:
        word, row, nearest = ("above", "1", workshop[0]) if spot is Spot.ABOVE else ("below", "", workshop[-1])
        edge = "up" if spot is Spot.ABOVE else "down"
        number = _ORDINALS[len(workshop)] if spot is Spot.BELOW and len(workshop) < len(_ORDINALS) else ""
        yield from (word, f"new {word}", f"{word} new", f"{word} new row", f"new row {word}", f"new {edge} row")
        yield from (f"new row {edge}", f"{edge} new row", f"{edge} new", f"{word} {edge} row", f"{edge} {word}")
        yield from (f"{word} {edge} new row", f"{edge} {word} new row", f"{word} all", f"new {edge}", f"{word} row {row}")
        for gem in dict.fromkeys(nearest):
            for name in _name_gem(gem):
                near = f"{word} {name}"
                yield from (near, f"new row {near}", f"new {near}", f"{near} new row", f"{near} new")
                if number:
                    yield from (f"{near} {number} row", f"{near} new {number} row")
        if number:
            yield from (f"new {number} row", f"{word} {number} row", f"{word} new {number} row")


def _name_rows(names: list[str]) -> Iterator[str]:
    """Name the rows of the guild in the order in which they are tried (paragraph 17)."""
    yield " ".join(names)
    for said in (_ORDINALS[: len(names)], ("", "2nd", "3rd")[: len(names)], ("", *["else"] * (len(names) - 1))):
        yield " ".join(word for pair in zip(said, names, strict=True) for word in pair if word)
