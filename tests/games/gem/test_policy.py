"""GEM's quick player does what anybody at the table would see at once."""

from __future__ import annotations

from games.chance import Chance
from games.gem.policy import choose
from games.gem.rules import RULES
from games.gem.state import Phase, State
from tests.games.gem.positions import ALL_COINS, on_day


def decide(state: State) -> str:
    """The policy's move for the seat to act, in notation."""
    return RULES.write(choose(state, state.turn, Chance("s", "policy")))


def test_nobody_pays_for_what_nobody_else_can_pay() -> None:
    """The other seat has nothing left today."""
    assert decide(on_day(3, "SS RR", active=(ALL_COINS, ""), inactive=("", ALL_COINS))) == "bid 0"


def test_on_the_last_day_coins_buy_the_last_card() -> None:
    """They are worth nothing afterwards: the seat that speaks last overbids as long as it can pay."""
    state = on_day(6, "SS", active=(ALL_COINS, ALL_COINS), calls=(3,))
    assert decide(state) == "bid 4"


def test_the_evening_uses_coins_that_are_lost_otherwise() -> None:
    """Five are left: cards for 3 and 2 use all of them, others only a part."""
    state = on_day(2, "", active=("2 3", "1 2 3"), inactive=("1 SS SE SR", ""), phase=Phase.INVEST, buyer=0)
    assert decide(state) == "invest SE SS pay 2 3"


def test_a_card_of_one_jewel_pays_for_one_of_two_in_the_last_evening() -> None:
    state = on_day(6, "", active=("D3", ALL_COINS), inactive=("1 2 3 SS", ""), phase=Phase.INVEST, buyer=0)
    assert decide(state) == "invest SS pay D3"


def test_a_seat_goes_for_the_jewel_in_which_it_can_lead() -> None:
    """Behind by one sapphire, two more of them bring the lead; topazes would only be begun."""
    state = on_day(5, "SS TT", active=(f"{ALL_COINS} SR", f"{ALL_COINS} SE AS"), phase=Phase.TAKE, calls=(0,))
    assert decide(state) == "take SS"
