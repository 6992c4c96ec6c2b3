"""The rules of Nim (RULES.md)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.chance import Chance
from games.contract import GameMeta, Options, Seat
from games.simple import SimpleRules

HEAPS = (3, 4, 5)


# TODO: the position of your game: frozen, of plain data, because servers store it as JSON.
@dataclass(frozen=True, slots=True)
class State:
    """The heaps and the seat to act; when no stone is left, the other seat has taken the last."""

    heaps: tuple[int, ...]
    turn: Seat


# TODO: one such class for each kind of move.
@dataclass(frozen=True, slots=True)
class Take:
    """Take `stones` from one heap."""

    stones: int
    heap: int


class Nim(SimpleRules[State, Take]):
    """Two take turns; whoever takes the last stone wins."""

    # TODO: title, designer, year and seats; no match may be longer than `max_plies`.
    meta = GameMeta(
        slug="nim",
        title="Nim",
        designer="unknown",
        year=None,
        version=1,  # raise it with every change after which an old record would play differently
        min_seats=2,
        max_seats=2,
        max_plies=sum(HEAPS),
    )
    state_type = State

    # TODO: the six functions that make your game.
    def start(self, seats: int, options: Options, first: Seat) -> State:
        return State(HEAPS, first)

    def turn(self, state: State) -> Seat | None:
        return state.turn if any(state.heaps) else None

    def moves(self, state: State) -> Iterator[Take]:
        for heap, size in enumerate(state.heaps):
            for stones in range(1, size + 1):
                yield Take(stones, heap)

    def play(self, state: State, move: Take, chance: Chance) -> State:
        heaps = list(state.heaps)
        heaps[move.heap] -= move.stones
        return State(tuple(heaps), 1 - state.turn)

    def standing(self, state: State) -> Sequence[int]:
        winner = None if any(state.heaps) else 1 - state.turn
        return [int(seat == winner) for seat in range(2)]

    def write(self, move: Take) -> str:
        return f"take {move.stones} from {move.heap + 1}"
