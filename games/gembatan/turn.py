"""A turn as it is built up step by step, and all the steps and plays that the rules allow.

What is listed here is right by construction; `play` checks a given move on its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from games.chance import Chance
from games.gembatan.components import CODE_OF_PAIR, COLOURS, FACINGS, FLAT, HAND, LAID, SIDES
from games.gembatan.grid import NO_TILE, Grid, build_grid, point_of, step_to
from games.gembatan.notation import write_step
from games.gembatan.scoring import score_play
from games.gembatan.state import Cell, Codes, GemStep, Play, Point, State, Steps, TileStep, View

MEETINGS = {
    own + border: CODE_OF_PAIR.get(own + border, "")
    for own in (*COLOURS, FLAT)
    for border in (*COLOURS, FLAT, NO_TILE)
    if border == NO_TILE or (own == FLAT) == (border == FLAT)
}
"""The gem for the socket that two borders make, empty where there is none; no entry where a cutout is cut off."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The lay-out and the hand after the steps made so far."""

    grid: Grid
    tiles: Codes
    gems: Codes
    laid: tuple[Cell, ...] = ()
    """Where this turn's tiles lie."""
    filled: tuple[Point, ...] = ()
    """Where this turn's gems lie."""

    def make(self, step: TileStep | GemStep) -> Turn:
        """The turn after a step that is known to be allowed."""
        gems = take_out(self.gems, step.gem)
        if isinstance(step, GemStep):
            grid = self.grid.with_gem(step.point, step.gem)
            return Turn(grid, self.tiles, gems, self.laid, (*self.filled, step.point))
        point = point_of(step.cell, step.side)
        grid = self.grid.with_tile(step.cell, LAID[step.tile][step.facing]).with_gem(point, step.gem)
        tiles = take_out(self.tiles, step.tile)
        return Turn(grid, tiles, gems, (*self.laid, step.cell), (*self.filled, point))


def begin_turn(position: State | View, seat: int) -> Turn:
    """The seat's turn before its first step."""
    grid = build_grid(position.tiles, position.gems)
    return Turn(grid, position.tile_hands[seat], position.gem_hands[seat])


def take_out(codes: Codes, code: str) -> Codes:
    """The codes without one copy of this one, which is among them."""
    place = codes.index(code)
    return codes[:place] + codes[place + 1 :]


def list_steps(turn: Turn) -> Iterator[TileStep | GemStep]:
    """Every step that may come next, in no particular order."""
    yield from _list_gem_steps(turn)
    yield from _list_tile_steps(turn)


def _list_gem_steps(turn: Turn) -> Iterator[GemStep]:
    for point, borders in turn.grid.list_empty_sockets():
        gem = CODE_OF_PAIR.get(borders)
        if gem is not None and gem in turn.gems:
            yield GemStep(gem, point)


def _list_tile_steps(turn: Turn) -> Iterator[TileStep]:
    grid = turn.grid
    if not turn.gems or not turn.tiles:
        return
    for cell in grid.list_cells_beside(turn.laid) if turn.laid else grid.list_open_cells():
        yield from _list_tile_steps_at(turn, cell)


def _list_tile_steps_at(turn: Turn, cell: Cell) -> list[TileStep]:
    borders, gems = turn.grid.borders(cell), turn.gems
    return [
        TileStep(tile, cell, facing, gem, side)
        for tile in dict.fromkeys(turn.tiles)
        for facing, side, gem in _list_fits(tile, borders)
        if gem in gems
    ]


@lru_cache(maxsize=1 << 16)
def _list_fits(tile: str, borders: str) -> tuple[tuple[str, str, str], ...]:
    """Every (facing, side, gem) with which a tile can be laid into a cell with these borders."""
    fits = []
    for facing in FACINGS[tile]:
        gems = [MEETINGS.get(own + border) for own, border in zip(LAID[tile][facing], borders, strict=True)]
        if None not in gems:
            fits += [(facing, side, gem) for side, gem in zip(SIDES, gems, strict=True) if gem]
    return tuple(fits)


def list_plays(turn: Turn, made: Steps = ()) -> Iterator[Play]:
    """Every play that goes on from the steps made, lazily, in ASCII order of the texts."""
    for step in sorted(list_steps(turn), key=write_step):
        steps = (*made, step)
        yield Play(steps)
        if len(steps) < HAND:
            yield from list_plays(turn.make(step), steps)


def draw_play(turn: Turn, chance: Chance) -> Play | None:
    """Any play; None when there is none. After every step it goes on with a chance of one half."""
    steps: list[TileStep | GemStep] = []
    while step := _draw_step(turn, chance):
        steps.append(step)
        if chance.below(2):
            break
        turn = turn.make(step)
    return Play(tuple(steps)) if steps else None


def _draw_step(turn: Turn, chance: Chance) -> TileStep | GemStep | None:
    """Any step that may come next, into a cutout of the first tile, from any on, that has one; else None."""
    if not turn.gems:
        return None
    cells = list(turn.grid.sides)
    start = chance.below(len(cells))
    # Beside a tile of this turn there is mostly nothing more: this is quicker seen than by going round all tiles.
    if turn.laid and next(list_steps(turn), None) is None:
        return None
    beside = set(turn.grid.list_cells_beside(turn.laid))
    for cell in (*cells[start:], *cells[:start]):
        if possible := _list_steps_into(turn, cell, beside):
            return possible[chance.below(len(possible))]
    return None


def _list_steps_into(turn: Turn, cell: Cell, beside: set[Cell]) -> list[TileStep | GemStep]:
    """The steps into the cutouts of the tile on this cell; `beside`: the empty cells next to this turn's tiles."""
    grid = turn.grid
    found: list[TileStep | GemStep] = []
    for side, gem in _list_cutouts(grid.sides[cell], grid.borders(cell)):
        if gem == NO_TILE:
            neighbour = step_to(cell, side)
            if not turn.laid or neighbour in beside:
                found += _list_tile_steps_at(turn, neighbour)
        elif gem in turn.gems and (point := point_of(cell, side)) not in grid.gems:
            found.append(GemStep(gem, point))
    return found


@lru_cache(maxsize=1 << 14)
def _list_cutouts(own: str, borders: str) -> tuple[tuple[str, str], ...]:
    """The cutouts of a tile between these borders: (side, gem for the socket there, or `NO_TILE`)."""
    beyond = zip(SIDES, own, borders, strict=True)
    found = [
        (side, NO_TILE if border == NO_TILE else MEETINGS[one + border])
        for side, one, border in beyond
        if one != FLAT
    ]
    return tuple(found)


def value_step(turn: Turn, step: TileStep | GemStep) -> int:
    """What the turn is worth with this step as its last."""
    after = turn.make(step)
    return score_play(after.grid.gems, after.filled).points


def rank_steps(turn: Turn) -> list[TileStep | GemStep]:
    """The steps that may come next, those that make the turn worth most first, equals in ASCII order."""
    return sorted(list_steps(turn), key=lambda step: (-value_step(turn, step), write_step(step)))
