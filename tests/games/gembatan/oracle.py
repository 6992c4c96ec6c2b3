"""Works out the rules of a play once more, as plainly as can be: everything is tried, nothing is looked up.

Independent of `games.gembatan` but for the position's types; places are complex numbers, x + iy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from games.gembatan.state import State

COMPASS = {"N": 1j, "E": 1, "S": -1j, "W": -1}
NAMES = "NESW"

Layout = dict[complex, dict[str, str]]
"""By cell: what is on each side."""


def read_layout(state: State) -> tuple[Layout, dict[complex, set[str]]]:
    """The tiles, and the colours of the gem at each middle of a side."""
    layout = {complex(*tile.cell): rotate(tile.code, tile.facing) for tile in state.tiles}
    gems = {complex(gem.point[0] / 2, gem.point[1] / 2): set(gem.code) for gem in state.gems}
    return layout, gems


def rotate(code: str, facing: str) -> dict[str, str]:
    """Turn the first letter to `facing`, the others clockwise from there."""
    start = NAMES.index(facing)
    return {NAMES[(start + place) % 4]: code[place] for place in range(4)}


def list_play_texts(state: State) -> set[str]:
    """The texts of every play of the seat to act, found by trying all combinations of words."""
    layout, gems = read_layout(state)
    tiles, in_hand = list(state.tile_hands[state.turn]), list(state.gem_hands[state.turn])
    return set(extend(layout, gems, tiles, in_hand, [], ""))


def extend(
    layout: Layout,
    gems: dict[complex, set[str]],
    tiles: list[str],
    in_hand: list[str],
    laid: list[complex],
    before: str,
) -> Iterator[str]:
    for gem in set(in_hand):
        rest = list(in_hand)
        rest.remove(gem)
        for text, cell, side in try_gem_steps(layout, gems, gem):
            yield before + text
            filled = gems | {cell + COMPASS[side] / 2: set(gem)}
            yield from extend(layout, filled, tiles, rest, laid, f"{before}{text} + ")
        for text, cell, tile, facing, side in try_tile_steps(layout, gem, tiles, laid):
            yield before + text
            left = list(tiles)
            left.remove(tile)
            wider = layout | {cell: rotate(tile, facing)}
            filled = gems | {cell + COMPASS[side] / 2: set(gem)}
            yield from extend(wider, filled, left, rest, [*laid, cell], f"{before}{text} + ")


def try_gem_steps(
    layout: Layout, gems: dict[complex, set[str]], gem: str
) -> Iterator[tuple[str, complex, str]]:
    for cell, side in product(layout, "NE"):
        place = cell + COMPASS[side] / 2
        if place not in gems and borders_of(layout, cell, side) == set(gem):
            yield f"gem {gem} {name(cell)} {side}", cell, side


def try_tile_steps(
    layout: Layout, gem: str, tiles: list[str], laid: list[complex]
) -> Iterator[tuple[str, complex, str, str, str]]:
    for cell in list_cells_around(layout):
        neighbours = [cell + step for step in COMPASS.values()]
        if cell in layout or not any(neighbour in layout for neighbour in neighbours):
            continue
        if laid and not any(neighbour in laid for neighbour in neighbours):
            continue
        for tile, facing in product(set(tiles), NAMES):
            wider = layout | {cell: rotate(tile, facing)}
            if looks_like_an_earlier_facing(tile, facing) or not all(meets(wider, cell, s) for s in NAMES):
                continue
            for side in NAMES:
                if borders_of(wider, cell, side) == set(gem):
                    yield f"play {tile} {name(cell)} {facing} gem {gem} {side}", cell, tile, facing, side


def list_cells_around(layout: Layout) -> Iterator[complex]:
    """Every cell of the rectangle that is one wider than the lay-out on each side."""
    columns = [int(cell.real) for cell in layout]
    rows = [int(cell.imag) for cell in layout]
    for x in range(min(columns) - 1, max(columns) + 2):
        for y in range(min(rows) - 1, max(rows) + 2):
            yield complex(x, y)


def looks_like_an_earlier_facing(tile: str, facing: str) -> bool:
    earlier = NAMES[: NAMES.index(facing)]
    return any(rotate(tile, other) == rotate(tile, facing) for other in earlier)


def meets(layout: Layout, cell: complex, side: str) -> bool:
    """Return whether nothing is cut off on this side of the cell."""
    beyond = layout.get(cell + COMPASS[side])
    return beyond is None or (layout[cell][side] == "-") == (beyond[opposite(side)] == "-")


def borders_of(layout: Layout, cell: complex, side: str) -> set[str]:
    """The colours of the socket there; empty when there is none."""
    beyond = layout.get(cell + COMPASS[side])
    if beyond is None or layout[cell][side] == "-" or beyond[opposite(side)] == "-":
        return set()
    return {layout[cell][side], beyond[opposite(side)]}


def opposite(side: str) -> str:
    return NAMES[(NAMES.index(side) + 2) % 4]


def name(cell: complex) -> str:
    return f"{int(cell.real)},{int(cell.imag)}"


def count_points(before: State, after: State) -> int:
    """Score the play between two positions: every diagonal is cut into runs, colour by colour."""
    _, old = read_layout(before)
    _, gems = read_layout(after)
    new = set(gems) - set(old)
    points = len(new) + (4 if len(new) == 4 else 0)
    for colour, step in product("RBGYPO", (0.5 + 0.5j, 0.5 - 0.5j)):
        for start in gems:
            if colour in gems[start] and colour not in gems.get(start - step, ()):
                run = [start]
                while colour in gems.get(run[-1] + step, ()):
                    run.append(run[-1] + step)
                if len(run) >= 3 and new & set(run):
                    points += len(run)
    return points
