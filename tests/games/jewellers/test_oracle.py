"""Whole random matches beside the plain bookkeeping of `oracle.py`: whose turn, moves, scores and ranks agree."""

from __future__ import annotations

import pytest

from games.chance import Chance
from games.contract import Seat
from games.jewellers.bidding import beating_sets
from games.jewellers.components import CARDS
from games.jewellers.rules import RULES
from games.jewellers.state import Bid, Move, Pass, Phase, State, UpTo, leading_total
from tests.games.jewellers.oracle import Table
from tests.quick import first, one_in

SETTINGS = [
    (seats, silver, thrifty)
    for seats in (2, 3, 5, 8)
    for silver in (False, True)
    for thrifty in (False, True)
]


@pytest.mark.parametrize(("seats", "silver", "thrifty"), one_in(5, SETTINGS))
def test_a_random_match_agrees_with_the_oracle(seats: int, silver: bool, thrifty: bool) -> None:
    seed = f"oracle {seats} {silver} {thrifty}"
    ages = [30 + seat % 2 for seat in range(seats)]
    options = {"silver": "yes" if silver else "no", "ages": " ".join(map(str, ages))}
    state = RULES.deal(seats=seats, options=options, chance=Chance(seed, "deal"))
    table = Table(seats, RULES.write_deal(state), state.starter, silver=silver, ages=ages)
    dice = Chance(seed, "players")
    while RULES.waiting_on(state):
        compare(state, table)
        move = choose(state, state.turn, dice, thrifty=thrifty)
        table.play(RULES.write(move))
        state = RULES.apply(state, state.turn, move, dice).state
    assert table.asking == "over"
    assert list(RULES.standing(state)) == table.scores()
    assert list(RULES.ranks(state)) == table.ranks()


def compare(state: State, table: Table) -> None:
    assert table.asking == {"place": "silver", "move": "silver"}.get(state.phase.value, state.phase.value)
    assert RULES.waiting_on(state) == {table.turn}
    listed = [RULES.write(move) for move in RULES.legal_moves(state, state.turn)]
    assert sorted(listed) == sorted(table.legal())
    assert list(RULES.standing(state)) == table.scores()
    assert list(RULES.ranks(state)) == table.ranks()
    assert [set(hand) for hand in state.hands] == table.hand
    assert [set(cards) for cards in state.table] == table.down


def choose(state: State, seat: Seat, dice: Chance, *, thrifty: bool) -> Move:
    """A random move; thrifty seats raise by little, so that auctions are long."""
    if not thrifty or state.phase is not Phase.BID:
        return RULES.random_move(state, seat, dice)
    few = [cards for cards, _ in zip(beating_sets(state, seat), range(3), strict=False)]
    if not few or (RULES.default_move(state, seat) == Pass() and dice.below(4) == 0):
        return Pass()
    return Bid(few[dice.below(len(few))])


@pytest.mark.parametrize("seed", first(1, range(3)))
def test_up_to_is_what_trying_every_set_finds(seed: int) -> None:
    """Paragraph 22, for every limit in random matches with three seats."""
    state = RULES.deal(seats=3, options={}, chance=Chance(f"up to {seed}", "deal"))
    table = Table(3, RULES.write_deal(state), state.starter, silver=False, ages=[])
    dice = Chance(f"up to {seed}", "players")
    resolved = refused = 0
    while RULES.waiting_on(state):
        if state.phase is Phase.BID:
            lead = leading_total(state)
            for limit in (0, *range(max(lead - 1, 0), lead + 12, 2 + seed % 2), sum(CARDS)):
                move = RULES.parse(state, state.turn, f"up to {limit}")
                expected = table.up_to(limit)
                if expected is None:
                    refused += 1
                    assert move == UpTo(limit)
                else:
                    resolved += 1
                    assert RULES.write(move) == expected
        move = choose(state, state.turn, dice, thrifty=seed % 2 == 0)
        table.play(RULES.write(move))
        state = RULES.apply(state, state.turn, move, dice).state
    assert resolved > 0
    assert refused > 0
