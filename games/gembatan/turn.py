"""A turn as it is built up step by step, and all the steps and plays that the rules allow.

The steps listed here are legal by construction; `play` checks a given move independently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from games.chance import Chance
from games.gembatan.components import CODE_OF_PAIR, COLOURS, FACINGS, HAND, LAID, SIDES
from games.gembatan.grid import NO_TILE, Grid, build_grid, list_neighbours, point_of
from games.gembatan.notation import write_step
from games.gembatan.scoring import score_play
from games.gembatan.state import Cell, Codes, GemStep, Play, Point, State, Steps, TileStep, View

_CUTOUT = "o"
_COLOURS_TO_CUTOUTS = str.maketrans(dict.fromkeys(COLOURS, _CUTOUT))

_Fit: TypeAlias = tuple[str, Cell, str, str, str]
"""The parts of a `TileStep`: a random move looks at many and makes one."""

GEM_STEPS_OF_RANDOM_STEPS = 4
"""One random step in so many is a gem step, if there are both kinds."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The lay-out and the hand after the steps made so far."""

    grid: Grid
    tiles: Codes
    gems: Codes
    laid: tuple[Cell, ...] = ()
    """The cells of this turn's tiles."""
    filled: tuple[Point, ...] = ()
    """The points of this turn's gems."""

    def make(self, step: TileStep | GemStep) -> Turn:
        """The turn after a step that is known to be allowed."""
        gems = take_out(self.gems, step.gem)
        if isinstance(step, GemStep):
            grid = self.grid.with_gem(step.point, step.gem)
            return Turn(grid, self.tiles, gems, self.laid, (*self.filled, step.point))
        point = point_of(step.cell, step.side)
        grid = self.grid.with_tile(step.cell, LAID[step.tile][step.facing], point, step.gem)
        tiles = take_out(self.tiles, step.tile)
        return Turn(grid, tiles, gems, (*self.laid, step.cell), (*self.filled, point))


def begin_turn(position: State | View, seat: int) -> Turn:
    """The seat's turn before its first step."""
    grid = build_grid(position.tiles, position.gems)
    return Turn(grid, position.tile_hands[seat], position.gem_hands[seat])


def take_out(codes: Codes, code: str) -> Codes:
    """Return the codes without one copy of this one, which is among them."""
    place = codes.index(code)
    return codes[:place] + codes[place + 1 :]


def list_steps(turn: Turn) -> Iterator[TileStep | GemStep]:
    """Every step that may come next, in no particular order."""
    yield from _list_gem_steps(turn)
    yield from _list_tile_steps(turn)


def _list_gem_steps(turn: Turn) -> list[GemStep]:
    gems = turn.gems
    sockets = turn.grid.empty_sockets.items()
    return [GemStep(gem, point) for point, borders in sockets if (gem := CODE_OF_PAIR.get(borders)) in gems]


def _list_tile_steps(turn: Turn) -> Iterator[TileStep]:
    for cell in _list_cells(turn):
        for fit in _list_fits(turn, cell):
            yield TileStep(*fit)


def _list_cells(turn: Turn) -> Collection[Cell]:
    """The empty cells on which the turn's next tile would be connected."""
    borders = turn.grid.borders
    if not turn.gems or not turn.tiles:
        return ()
    if not turn.laid:
        return borders
    beside = [cell for laid in turn.laid for cell in list_neighbours(laid) if cell in borders]
    return dict.fromkeys(beside)


def _list_fits(turn: Turn, cell: Cell) -> list[_Fit]:
    borders, gems = turn.grid.borders[cell], turn.gems
    outline = _outline_of(borders)
    if _CUTOUT not in outline:
        return []
    return [
        (tile, cell, facing, gem, SIDES[place])
        for tile in dict.fromkeys(turn.tiles)
        for facing, place, own in _list_sockets(tile, outline)
        if (gem := CODE_OF_PAIR.get(own + borders[place])) in gems
    ]


@cache
def _outline_of(sides: str) -> str:
    """Reduce borders to flat side, cutout, or no tile."""
    return sides.translate(_COLOURS_TO_CUTOUTS)


@cache
def _list_sockets(tile: str, outline: str) -> tuple[tuple[str, int, str], ...]:
    """The sockets that a tile can make between such borders: its facing, the place in `SIDES`, its colour."""
    return tuple(
        (facing, place, own)
        for facing in FACINGS[tile]
        if _meets(LAID[tile][facing], outline)
        for place, own in enumerate(LAID[tile][facing])
        if outline[place] == _CUTOUT
    )


def _meets(sides: str, outline: str) -> bool:
    """Return whether no socket is cut off: flat meets flat, and cutout meets cutout."""
    return all(border in (own, NO_TILE) for own, border in zip(_outline_of(sides), outline, strict=True))


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
    """Any step that may come next; None when there is none."""
    gem_steps = _list_gem_steps(turn)
    if not gem_steps or chance.below(GEM_STEPS_OF_RANDOM_STEPS):
        tile_step = _draw_tile_step(turn, chance)
        if tile_step is not None:
            return tile_step
    return gem_steps[chance.below(len(gem_steps))] if gem_steps else None


def _draw_tile_step(turn: Turn, chance: Chance) -> TileStep | None:
    """Any tile step onto the first cell, from any on, that has one; None when there is none."""
    cells = tuple(_list_cells(turn))
    if not cells:
        return None
    start = chance.below(len(cells))
    for cell in cells[start:] + cells[:start]:
        if fits := _list_fits(turn, cell):
            return TileStep(*fits[chance.below(len(fits))])
    return None


def value_step(turn: Turn, step: TileStep | GemStep) -> int:
    """The score of the turn with this step as its last."""
    point = step.point if isinstance(step, GemStep) else point_of(step.cell, step.side)
    return score_play({**turn.grid.gems, point: step.gem}, (*turn.filled, point)).points


def rank_steps(turn: Turn) -> list[TileStep | GemStep]:
    """The steps that may come next, those that make the turn worth most first, equals in ASCII order."""
    return sorted(list_steps(turn), key=lambda step: (-value_step(turn, step), write_step(step)))
