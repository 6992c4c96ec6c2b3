"""Positions written as text, for tests that need a certain lay-out and certain hands."""

from __future__ import annotations

from games.chance import NO_SEED, Chance
from games.contract import Event, Step
from games.gembatan import notation
from games.gembatan.grid import point_of
from games.gembatan.rules import RULES
from games.gembatan.state import Codes, LaidGem, LaidTile, State


def set_up(
    tiles: str = "RB-- 0,0 N",
    gems: str = "",
    *,
    hands: tuple[str, ...] = ("", ""),
    tile_tray: str = "",
    gem_tray: str = "",
    points: tuple[int, ...] | None = None,
    idle: int = 0,
    turn: int = 0,
) -> State:
    """Set up a position with these pieces alone.

    `tiles` are `CODE x,y FACING` and `gems` `CODE x,y SIDE`, separated by semicolons; a hand is gems and tiles
    separated by blanks.
    """
    return State(
        turn=turn,
        is_over=False,
        tiles=tuple(LaidTile(read_cell(cell), code, facing) for code, cell, facing in split(tiles)),
        gems=tuple(LaidGem(point_of(read_cell(cell), side), code) for code, cell, side in split(gems)),
        latest=(0, 0),
        tile_hands=tuple(sort_codes(hand, 4) for hand in hands),
        gem_hands=tuple(sort_codes(hand, 2) for hand in hands),
        tile_tray=tuple(tile_tray.split()),
        gem_tray=tuple(gem_tray.split()),
        points=points or (0,) * len(hands),
        idle=idle,
    )


def split(pieces: str) -> list[list[str]]:
    return [piece.split() for piece in pieces.split(";") if piece.strip()]


def read_cell(text: str) -> tuple[int, int]:
    x, y = text.split(",")
    return int(x), int(y)


def sort_codes(hand: str, length: int) -> Codes:
    return tuple(sorted(code for code in hand.split() if len(code) == length))


def play(state: State, text: str, ply: int = 1) -> Step[State]:
    """Play this text for the seat to act."""
    move = RULES.parse(state, state.turn, text)
    return RULES.apply(state, state.turn, move, Chance(NO_SEED, f"ply {ply}"))


def points_of(step: Step[State]) -> object:
    """Return the points of the play, as the log says."""
    return find_event(step, "play").data["points"]


def find_event(step: Step[State], kind: str) -> Event:
    return next(event for event in step.events if event.kind == kind)


def list_texts(state: State) -> list[str]:
    """The texts of all legal moves of the seat to act."""
    return [notation.write(move) for move in RULES.legal_moves(state, state.turn)]
