"""Short ways to positions of Florentine Domino."""

from __future__ import annotations

from games.chance import NO_SEED, Chance
from games.contract import Event, IllegalMove, Step
from games.florentine.components import CARD_CODES, COLOURS
from games.florentine.rules import RULES
from games.florentine.square import CELL_NUMBER, EMPTY_SQUARE, turn_card
from games.florentine.state import Black, Phase, Square, State
from tests.games.playing import play_texts

DEAL = " ".join(CARD_CODES)
"""All cards in their canonical order: A has rrbb rrbg rrbo rrgb, B rrgg rrgo rrob rrog, …"""

CHANCE = Chance(NO_SEED, "ply 1")
"""No move of this game draws on chance."""


def first_position(seats: int = 4, deal: str = DEAL, first: int = 0) -> State:
    return RULES.deal_explicit(seats=seats, options={}, deal=deal, first=first)


def deal_first(*cards: str) -> str:
    """A deal that begins with these cards; the others follow in canonical order."""
    return " ".join([*cards, *(code for code in CARD_CODES if code not in cards)])


def lay(*placements: str) -> Square:
    """A square with these cards, each written as `rrbg d5 E`; nothing is checked."""
    square = list(EMPTY_SQUARE)
    for placement in placements:
        card, cell, facing = placement.split()
        square[CELL_NUMBER[cell]] = turn_card(card, facing)
    return tuple(square)


def position(
    square: Square,
    phase: Phase = Phase.POOL,
    *,
    turn: int = 0,
    colours: str = COLOURS,
    hand: str = "",
    pool: str = "",
    pile: str = "",
    blacks: tuple[Black | None, ...] | None = None,
    answered: int = 0,
) -> State:
    """A position with this square; `hand` is that of the seat to act."""
    hands = tuple(tuple(hand.split()) if seat == turn else () for seat in range(len(colours)))
    return State(
        phase=phase,
        turn=turn,
        colours=colours,
        square=square,
        hands=hands,
        pool=tuple(pool.split()),
        pile=tuple(pile.split()),
        blacks=blacks or (None,) * len(colours),
        answered=answered,
    )


def play(state: State, *texts: str) -> State:
    """The position after these moves, each by the seat to act."""
    return play_with_events(state, *texts)[0]


def play_with_events(state: State, *texts: str) -> tuple[State, list[Event]]:
    """The position after these moves and everything that happened."""
    return play_texts(RULES, state, texts)


def refuse(state: State, text: str) -> str:
    """Return the code with which this move by the seat to act is refused."""
    move = RULES.parse(state, state.turn, text)
    try:
        RULES.apply(state, state.turn, move, CHANCE)
    except IllegalMove as refusal:
        return refusal.code
    raise AssertionError(f"{text} was not refused")


def list_texts(state: State) -> list[str]:
    """The legal moves of the seat to act."""
    return [RULES.write(move) for move in RULES.legal_moves(state, state.turn)]


def play_steps_at_random(seats: int, seed: str) -> list[Step[State]]:
    """A random match from its first position, which has no events, to its end."""
    dice = Chance(seed, "random players")
    steps = [Step(RULES.deal(seats=seats, options={}, chance=Chance(seed, "deal")))]
    while RULES.waiting_on(state := steps[-1].state):
        steps.append(RULES.apply(state, state.turn, RULES.random_move(state, state.turn, dice), dice))
    return steps


def play_at_random(seats: int, seed: str) -> list[State]:
    """Every position of a random match."""
    return [step.state for step in play_steps_at_random(seats, seed)]
