"""Places the stones of Nim on the picture; `templates/board.svg` only draws what is listed here."""

from collections.abc import Sequence
from dataclasses import dataclass

from games.contract import Asked, Seat
from games.picture import Box, Gesture
from games.simple import Panel, SimpleView, list_panels

from nim.rules import State

STEP = 50  # a stone and its gap: large enough for a finger


@dataclass(frozen=True, slots=True)
class Stone:
    x: int
    y: int
    text: str
    """The move that takes this stone and all above it."""


@dataclass(frozen=True, slots=True)
class Board:
    width: int
    height: int
    heaps: list[int]
    stones: list[Stone]
    panels: list[Panel]


# TODO: the picture of your game: about 480 units wide, so that it is readable on a phone.
def layout(view: SimpleView[State], names: Sequence[str], asked: Asked | None = None) -> Board:
    heaps = [100 + 140 * heap for heap in range(len(view.state.heaps))]
    stones = [
        Stone(heaps[heap], 290 - STEP * place, f"take {size - place} from {heap + 1}")
        for heap, size in enumerate(view.state.heaps)
        for place in range(size)
    ]
    return Board(480, 350, heaps, stones, list_panels(view, names, asked))


def find_gesture(board: Board, begun: str, text: str) -> Gesture:
    """Touch the stone, to take it and all above it."""
    stones = [stone for stone in board.stones if stone.text == text]
    return Gesture([[Box(stone.x - 25, stone.y - 25, STEP, STEP) for stone in stones]])


def find_marks(board: Board, seat: Seat, text: str) -> Sequence[Box]:
    """Nothing is seen of stones that were taken."""
    return ()
