"""Draws the square in plain text: as a picture of letters, and card by card in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from games.contract import Translator
from games.florentine.names import name_colour, name_gem
from games.florentine.scoring import find_closed_triangles, list_walls
from games.florentine.square import CELL_NUMBER, CELLS, GEM_OF, SIDES, SIZE, open_cells
from games.florentine.state import Black, Square
from games.prose import head, list_line, name_side

CELL_WIDTH = 8
_LEFT = "   "


def draw_square(square: Square, blacks: Sequence[Black | None], *, show_open: bool) -> Iterator[str]:
    """The picture from north to south, three lines for a row; capital letters are closed rooms.

    With `show_open` the cells on which a card may be put show their names.
    """
    walls = list_walls(blacks)
    closed = find_closed_triangles(square, walls)
    named = frozenset(open_cells(square)) if show_open else frozenset()
    yield (_LEFT + "".join(f"{column:^{CELL_WIDTH}}" for column in "abcdefg")).rstrip()
    yield from _draw_rim_line(SIZE, 0, walls)
    for row in range(SIZE, 0, -1):
        cells = [CELL_NUMBER[f"{column}{row}"] for column in "abcdefg"]
        lines = zip(*(_draw_cell(square, cell, closed, cell in named) for cell in cells), strict=True)
        for place, parts in enumerate(lines):
            middle = place == 1
            label = f"{row} " if middle else "  "
            west = "#" if middle and 4 * cells[0] + 3 in walls else " "
            east = "#" if middle and 4 * cells[-1] + 1 in walls else " "
            yield (label + west + "".join(parts) + east).rstrip()
    yield from _draw_rim_line(1, 2, walls)


def _draw_cell(square: Square, cell: int, closed: Collection[int], named: bool) -> tuple[str, str, str]:
    """The three lines of one cell."""
    look = square[cell]
    if not look:
        return " " * CELL_WIDTH, f"{CELLS[cell] if named else '.':^{CELL_WIDTH}}", " " * CELL_WIDTH
    north, east, south, west = (
        letter.upper() if 4 * cell + side in closed else letter for side, letter in enumerate(look)
    )
    middle = "*" if GEM_OF[look] else " "
    return f"{north:^{CELL_WIDTH}}", f" {west} {middle} {east}  ", f"{south:^{CELL_WIDTH}}"


def _draw_rim_line(row: int, side: int, walls: Collection[int]) -> Iterator[str]:
    """The line beyond the northern or southern rim, when a black card lies there."""
    marks = ["#" if 4 * CELL_NUMBER[f"{column}{row}"] + side in walls else " " for column in "abcdefg"]
    if "#" in marks:
        yield (_LEFT + "".join(f"{mark:^{CELL_WIDTH}}" for mark in marks)).rstrip()


def list_cards(square: Square, tr: Translator) -> Iterator[str]:
    """One line for every card on the square, from north to south and west to east."""
    for row in range(SIZE, 0, -1):
        for column in "abcdefg":
            cell = f"{column}{row}"
            look = square[CELL_NUMBER[cell]]
            if look:
                edges = [
                    f"{name_side(side, tr)} {name_colour(letter, tr)}"
                    for side, letter in zip(SIDES, look, strict=True)
                ]
                gem = GEM_OF[look]
                if gem:
                    edges.append(tr.gettext("gem: {gem}").format(gem=name_gem(gem, tr)))
                yield list_line(head(cell, tr), edges, indent="  ")
