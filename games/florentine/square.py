"""The 7 × 7 square: its cells, those that are open to a card, and the cards that fit there.

Cells are numbered 0 to 48 in the canonical order a1, a2 … g7, sides 0 to 3 clockwise from north. A *triangle*
is one side of one cell, numbered `4 * cell + side`. Paragraph numbers refer to RULES.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import product

from games.florentine.components import CARD_CODES, COLOURS, GEM, sort_cards
from games.florentine.state import Black, Place, Square

SIZE = 7
CELLS = tuple(f"{column}{row}" for column in "abcdefg" for row in range(1, SIZE + 1))
CELL_NUMBER = {cell: number for number, cell in enumerate(CELLS)}
SIDES = "NESW"
CENTRE = CELL_NUMBER["d4"]
OUTSIDE = -1
EMPTY_SQUARE: Square = ("",) * len(CELLS)

_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def _list_neighbours(cell: int) -> Iterator[tuple[int, int]]:
    column, row = divmod(cell, SIZE)
    for side, (right, up) in enumerate(_STEPS):
        if 0 <= column + right < SIZE and 0 <= row + up < SIZE:
            yield side, (column + right) * SIZE + row + up


NEIGHBOURS = tuple(tuple(_list_neighbours(cell)) for cell in range(len(CELLS)))
"""For every cell, its (side, neighbour beyond that side); sides on the rim of the square are left out."""


def _find_across(cell: int, side: int) -> int:
    neighbour = dict(NEIGHBOURS[cell]).get(side)
    return OUTSIDE if neighbour is None else 4 * neighbour + (side + 2) % 4


ACROSS = tuple(_find_across(cell, side) for cell in range(len(CELLS)) for side in range(4))
"""For every triangle the one that touches it across the edge, or OUTSIDE."""

_BEYOND = tuple(
    tuple(dict(NEIGHBOURS[cell]).get(side, OUTSIDE) for side in range(4)) for cell in range(len(CELLS))
)
"""For every cell the neighbours north, east, south, west, or OUTSIDE."""

RIM = tuple(triangle for triangle, across in enumerate(ACROSS) if across == OUTSIDE)
"""The triangles that look out of the square, in canonical order of cells and sides."""

ARMS = tuple(tuple(CENTRE + step * distance for distance in (1, 2, 3)) for step in (1, SIZE, -1, -SIZE))
"""The cells of the cross, from the centre outwards: north, east, south, west."""


@cache
def turn_card(card: str, facing: str) -> str:
    """The card's look when the first letter of its code faces that way."""
    turns = SIDES.index(facing)
    return card[4 - turns :] + card[: 4 - turns]


def _list_looks(card: str) -> Mapping[str, str]:
    facings: dict[str, str] = {}
    for facing in SIDES:
        facings.setdefault(turn_card(card, facing), facing)
    return facings


LOOKS = {card: _list_looks(card) for card in CARD_CODES}
"""The different looks of every card with the facing of each; of equal looks the first (paragraph 6)."""

CARD_OF = {look: card for card, looks in LOOKS.items() for look in looks}
"""The card that has this look."""
GEM_OF = {look: GEM[card] or "" for look, card in CARD_OF.items()}
"""The colour of the gem on the card with this look; empty without one."""


_NORTH, _EAST, _SOUTH, _WEST = [{"": "."} | {look: look[side] for look in CARD_OF} for side in range(4)]
"""The colour that a look shows on this side; `.` where no card lies."""


def find_facing(card: str, facing: str) -> str:
    """The canonical one of the facings that look the same as this one."""
    return LOOKS[card][turn_card(card, facing)]


def find_tips(square: Square) -> list[int]:
    """The next free cell of every unfinished arm of the cross, in canonical order (paragraph 13)."""
    tips = []
    for arm in ARMS:
        for cell in arm:
            if not square[cell]:
                tips.append(cell)
                break
    tips.sort()
    return tips


_latest: tuple[Square, Mapping[int, str]] = (EMPTY_SQUARE, dict.fromkeys(range(len(CELLS)), "...."))


def find_needs(square: Square) -> Mapping[int, str]:
    """For every free cell the colours that a card there must show north, east, south, west; `.` where any will do.

    The latest are kept: who looks for a move asks, who plays it does, and a card that is laid changes few of them.
    """
    latest, needs = _latest
    return needs if square is latest else _keep(square, _find_needs_anew(square))


def _find_needs_anew(square: Square) -> dict[int, str]:
    padded = (*square, "")
    return {
        cell: f"{_SOUTH[padded[north]]}{_WEST[padded[east]]}{_NORTH[padded[south]]}{_EAST[padded[west]]}"
        for cell, (north, east, south, west) in enumerate(_BEYOND)
        if not square[cell]
    }


def _keep(square: Square, needs: dict[int, str]) -> Mapping[int, str]:
    global _latest
    _latest = (square, needs)
    return needs


def lay_card(square: Square, cell: int, look: str) -> Square:
    """The square with a card on this free cell."""
    needs = {**find_needs(square)}
    del needs[cell]
    for side, neighbour in NEIGHBOURS[cell]:
        if need := needs.get(neighbour):
            opposite = (side + 2) % 4
            needs[neighbour] = f"{need[:opposite]}{look[side]}{need[opposite + 1 :]}"
    laid = (*square[:cell], look, *square[cell + 1 :])
    _keep(laid, needs)
    return laid


def _is_corner(need: str) -> bool:
    """Return whether exactly one neighbour beside and one above or below are occupied (paragraph 14)."""
    return (need[0] == ".") != (need[2] == ".") and (need[1] == ".") != (need[3] == ".")


_CORNERS = frozenset(filter(_is_corner, map("".join, product(f"{COLOURS}.", repeat=4))))


@lru_cache(maxsize=1)
def open_cells(square: Square) -> Mapping[int, str]:
    """The free cells on which a card may be put if its colours fit, in canonical order, with the need of each.

    The latest are kept: who looks for a move asks, and who checks it.
    """
    needs = find_needs(square)
    if not square[CENTRE]:
        return {CENTRE: needs[CENTRE]}
    if tips := find_tips(square):
        return {cell: needs[cell] for cell in tips}
    return {cell: need for cell, need in needs.items() if need in _CORNERS}


@lru_cache(maxsize=5**4)
def fitting_looks(need: str) -> Mapping[str, tuple[str, ...]]:
    """The looks of every card that fits, by their facing N E S W; cards that do not are left out."""
    fitting = {}
    for card in CARD_CODES:
        looks = tuple(look for look in LOOKS[card] if _shows(look, need))
        if looks:
            fitting[card] = looks
    return fitting


def _shows(look: str, need: str) -> bool:
    return all(wanted in (".", shown) for shown, wanted in zip(look, need, strict=True))


def list_placements(square: Square, cards: Sequence[str]) -> Iterator[Place]:
    """Every legal placement of one of these cards, lazily: by card, cell, facing."""
    opened = [(CELLS[cell], fitting_looks(need)) for cell, need in open_cells(square).items()]
    for card in sort_cards(cards):
        for cell, fitting in opened:
            for look in fitting.get(card, ()):
                yield Place(card, cell, LOOKS[card][look])


def has_placement(square: Square, cards: Sequence[str]) -> bool:
    """Return whether any of these cards fits anywhere."""
    for need in open_cells(square).values():
        fitting = fitting_looks(need)
        for card in cards:
            if card in fitting:
                return True
    return False


def list_black_edges(square: Square, colour: str) -> Iterator[Black]:
    """The outer edges that show this colour, in canonical order (paragraph 19)."""
    for triangle in RIM:
        look = square[triangle // 4]
        if look and look[triangle % 4] == colour:
            yield Black(CELLS[triangle // 4], SIDES[triangle % 4])
