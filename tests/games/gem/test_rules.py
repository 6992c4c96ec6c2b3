"""GEM by the paragraphs of games/gem/RULES.md, and the worked examples of the rule sheet."""

from __future__ import annotations

from collections import Counter

import pytest

from games.chance import NO_SEED, Chance
from games.contract import IllegalMove
from games.gem.components import CARDS, COINS, COST, JEWELS, KINDS, PILE_SIZES, VALUE
from games.gem.payment import cheapest_payment, is_superfluous, payments, worth
from games.gem.rules import RULES
from games.gem.scoring import rank_active, score_active, score_seats
from games.gem.state import Bid, Invest, Keep, Pass, Phase, State, Take
from tests.games.gem.positions import ALL_COINS, first_position, on_day, play, play_with_events


def refuse(state: State, text: str) -> IllegalMove:
    """The refusal of this move by the seat to act."""
    move = RULES.parse(state, state.turn, text)
    with pytest.raises(IllegalMove) as refusal:
        RULES.apply(state, state.turn, move, Chance(NO_SEED, "ply 1"))
    return refusal.value


# Components and set-up.


def test_the_cards_show_six_jewels_of_each_kind_and_three_diamonds() -> None:
    """Paragraph 2."""
    shown = Counter("".join(card.jewels for card in CARDS))
    assert shown == {"S": 6, "R": 6, "E": 6, "A": 6, "T": 6, "D": 3}
    assert Counter(len(card.jewels) for card in CARDS) == {2: 15, 1: 3}
    assert set(shown) == set(KINDS)


def test_pairs_and_numbers_are_those_of_the_reconstruction() -> None:
    """Paragraph 4."""
    pairs = Counter("".join(sorted(card.jewels)) for card in CARDS if len(card.jewels) == 2)
    assert set(pairs.values()) == {1}
    assert len(pairs) == 10 + 5
    assert Counter(VALUE[card.code] for card in CARDS) == {1: 6, 2: 6, 3: 6}
    assert all(VALUE[code] == COST[code] for code in JEWELS)


@pytest.mark.parametrize(("seats", "sizes"), [(2, [4, 3, 3, 3, 3, 2]), (3, [3] * 6), (4, [4, 3, 3, 3, 3, 2])])
def test_the_piles_of_the_six_days(seats: int, sizes: list[int]) -> None:
    """Paragraph 5."""
    state = first_position(seats)
    assert [len(state.open), *(len(pile) for pile in state.piles)] == sizes
    assert list(PILE_SIZES[seats]) == sizes
    assert state.active == (COINS,) * seats
    assert state.inactive == ((),) * seats


def test_the_first_oya_is_drawn() -> None:
    """Paragraph 6."""
    first = {RULES.deal(seats=4, options={}, chance=Chance(str(number), "deal")).oya for number in range(40)}
    assert first == {0, 1, 2, 3}


def test_the_deal_follows_the_chance_in_the_stated_order() -> None:
    """The cards are shuffled as they stand in the table, then the Oya is drawn."""
    chance = Chance(NO_SEED, "deal")
    cards = [card.code for card in CARDS]
    chance.shuffle(cards)
    state = RULES.deal(seats=3, options={}, chance=Chance(NO_SEED, "deal"))
    assert RULES.write_deal(state).split() == cards
    assert state.oya == chance.below(3)


# Auctions.


def test_the_worked_auction() -> None:
    """The rule sheet's example: 0, 2, pass, 3; the fourth seat pays 1 + 2 and takes any open card, inactive."""
    state = play(first_position(4), "bid 0", "bid 2", "pass", "bid 3")
    assert state.phase is Phase.TAKE
    assert state.turn == 3
    takes = list(RULES.legal_moves(state, 3))
    assert {move.card for move in takes if isinstance(move, Take)} == {"SR", "RE", "EA", "AT"}
    after = play(state, "take EA pay 1 2")
    assert after.active[3] == ("3",)
    assert after.inactive[3] == ("1", "2", "EA")
    assert after.open == ("SR", "RE", "AT")


def test_the_oya_must_bid_and_may_bid_nothing() -> None:
    """Paragraph 8."""
    state = first_position(3)
    assert refuse(state, "pass").code == "oya-must-bid"
    assert play(state, "bid 0").calls == (0,)


def test_a_bid_must_beat_the_highest_one() -> None:
    """Paragraph 9."""
    state = play(first_position(3), "bid 2")
    assert refuse(state, "bid 2").code == "too-low"
    assert refuse(state, "bid 0").code == "too-low"
    assert play(state, "bid 3").calls == (2, 3)


def test_every_seat_is_asked_once() -> None:
    """Paragraph 9: the round ends with the seat to the Oya's right, whatever was bid."""
    state = play(first_position(3), "bid 0", "bid 1", "bid 2")
    assert (state.phase, state.turn) == (Phase.TAKE, 2)
    assert refuse(state, "bid 3").code == "wrong-phase"


def test_the_last_bidder_wins_even_when_others_pass_after() -> None:
    """Paragraph 10."""
    state = play(first_position(4), "bid 0", "bid 4", "pass", "pass")
    assert (state.phase, state.turn) == (Phase.TAKE, 1)


def test_the_buyers_left_is_the_next_oya() -> None:
    """Paragraph 11."""
    state = play(first_position(4), "bid 0", "bid 4", "pass", "pass", "take SR pay 1 3")
    assert (state.phase, state.oya, state.turn, state.auction) == (Phase.BID, 2, 2, 2)
    assert state.calls == ()


def test_nobody_bids_more_than_they_own() -> None:
    """Paragraph 12: coins and jewel cards count, when they are active."""
    assert refuse(first_position(2), "bid 7").code == "too-high"
    rich = on_day(2, "D1", active=(f"{ALL_COINS} SS", ALL_COINS), inactive=("RR", ""))
    assert play(rich, "bid 9").calls == (9,)
    assert refuse(rich, "bid 10").code == "too-high"


def test_no_change_is_given() -> None:
    """Paragraph 13: an overpayment without a superfluous piece is legal."""
    state = play(on_day(2, "D1 D2", active=("3", "1")), "bid 1", "pass", "take D1 pay 3")
    assert state.active[0] == ()
    assert state.inactive[0] == ("3", "D1")


def test_jewel_cards_pay_their_value() -> None:
    """Paragraph 13."""
    state = play(on_day(2, "D1 D2", active=("1 SS", ALL_COINS)), "bid 4", "pass", "take D2 pay SS 1")
    assert state.active[0] == ()
    assert state.inactive[0] == ("1", "D2", "SS")


def test_one_pays_with_active_pieces_of_ones_own_only() -> None:
    """Paragraph 13."""
    state = play(on_day(2, "D1 D2", active=("1 2", "3 SS"), inactive=("3 RR", "")), "bid 3", "pass")
    assert refuse(state, "take D1 pay 3").code == "not-active"
    assert refuse(state, "take D1 pay RR").code == "not-active"
    assert refuse(state, "take D1 pay SS").code == "not-active"
    assert refuse(state, "take D1 pay 2 2").code == "not-active"
    assert refuse(state, "take D1 pay 2").code == "too-little"
    assert refuse(state, "take D1").code == "too-little"


def test_a_superfluous_piece_is_refused_with_the_smaller_payment() -> None:
    """Paragraph 14."""
    state = play(first_position(2), "bid 3", "pass")
    refusal = refuse(state, "take SR pay 1 2 3")
    assert refusal.code == "superfluous"
    assert "take SR pay 3" in str(refusal)
    refusal = refuse(state, "take SR pay 1 3")
    assert "take SR pay 3" in str(refusal)


def test_a_bid_of_nothing_is_paid_with_nothing() -> None:
    """Paragraph 14."""
    state = play(first_position(2), "bid 0", "pass")
    refusal = refuse(state, "take SR pay 1")
    assert refusal.code == "superfluous"
    assert str(refusal).endswith("take SR")
    assert play(state, "take SR").inactive[0] == ("SR",)


def test_only_open_cards_are_sold() -> None:
    """Paragraph 10."""
    state = play(first_position(2), "bid 0", "pass")
    assert refuse(state, "take D3").code == "not-open"


def test_a_bought_card_is_inactive() -> None:
    """Paragraph 15."""
    state = play(first_position(2), "bid 0", "pass", "take SR")
    assert "SR" in state.inactive[0]
    assert "SR" not in state.active[0]


def test_a_card_bought_on_the_sixth_day_is_active_and_may_pay_that_day() -> None:
    """Paragraph 16."""
    state = on_day(6, "SS D1", active=(ALL_COINS, "1"))
    state = play(state, "bid 0", "pass", "take SS")
    assert "SS" in state.active[0]
    state = play(state, "bid 0", "bid 3")
    after = play(state, "take D1 pay SS")
    assert "SS" in after.inactive[0]
    assert "D1" in after.active[0]


# Investments.


def test_the_last_buyer_invests_first_then_clockwise_everybody_once() -> None:
    """Paragraphs 11 and 17."""
    state = on_day(2, "SS", active=(ALL_COINS,) * 3)
    state = play(state, "bid 0", "bid 1", "pass", "take SS pay 1")
    assert (state.phase, state.turn) == (Phase.INVEST, 1)
    order = []
    while state.phase is Phase.INVEST:
        order.append(state.turn)
        state = play(state, "keep")
    assert order == [1, 2, 0]


def test_one_sum_is_paid_once() -> None:
    """Paragraph 18: two cards for 1 + 2, paid with the 3."""
    state = on_day(
        2, "", active=(ALL_COINS, ALL_COINS), inactive=("SR ET RR", ""), phase=Phase.INVEST, buyer=0
    )
    after = play(state, "invest SR ET pay 3")
    assert after.active[0] == ("1", "2", "SR", "ET")
    assert after.inactive[0] == ("3", "RR")
    assert refuse(state, "invest SR ET pay 2").code == "too-little"
    assert refuse(state, "invest SR ET pay 1 3").code == "superfluous"
    assert refuse(state, "invest SR").code == "too-little"


def test_a_card_activated_now_cannot_pay_now() -> None:
    """Paragraph 18."""
    state = on_day(2, "", active=("1", "1"), inactive=("SR SS", ""), phase=Phase.INVEST, buyer=0)
    assert refuse(state, "invest SR SS pay 1 SS").code == "not-active"


def test_an_active_card_may_pay_and_goes_to_sleep() -> None:
    """Paragraph 18."""
    state = on_day(2, "", active=("1 SS", "1"), inactive=("RR", ""), phase=Phase.INVEST, buyer=0)
    after = play(state, "invest RR pay SS")
    assert after.active[0] == ("1", "RR")
    assert after.inactive[0] == ("SS",)


@pytest.mark.parametrize("text", ["invest D3 pay 3", "invest SR SR pay 2", "invest SS pay 3"])
def test_only_inactive_cards_of_ones_own_are_activated(text: str) -> None:
    """Paragraph 17."""
    state = on_day(
        2, "", active=(f"{ALL_COINS} SS", ALL_COINS), inactive=("SR", "D3"), phase=Phase.INVEST, buyer=0
    )
    assert refuse(state, text).code == "not-inactive"


def test_coins_are_never_activated_by_investing() -> None:
    """Paragraph 17: only jewel cards; spent coins come back by themselves (paragraph 19)."""
    state = on_day(2, "", active=("3", "1"), inactive=("1 2", ""), phase=Phase.INVEST, buyer=0)
    assert list(RULES.legal_moves(state, 0)) == [Keep()]
    move = Invest(("1",), ("3",))
    with pytest.raises(IllegalMove, match="not-inactive"):
        RULES.apply(state, 0, move, Chance(NO_SEED, "ply 1"))


def test_in_the_morning_coins_wake_and_cards_stay() -> None:
    """Paragraph 19, and the Oya of the next day is to the left of the last buyer."""
    state = on_day(2, "", active=("SS", "1 2"), inactive=("1 2 3 RR", "3"), phase=Phase.INVEST, buyer=1)
    after, events = play_with_events(state, "keep", "keep")
    assert (after.day, after.auction, after.phase, after.oya, after.turn) == (3, 1, Phase.BID, 0, 0)
    assert after.active == (("1", "2", "3", "SS"), ("1", "2", "3"))
    assert after.inactive == (("RR",), ())
    assert after.open == state.piles[0]
    assert events[-1].kind == "day"


def test_the_sixth_day_has_investments_and_then_the_match_is_over() -> None:
    """Paragraphs 19 and 20."""
    state = on_day(6, "", active=(ALL_COINS, "1"), inactive=("RR", ""), phase=Phase.INVEST, buyer=0)
    after = play(state, "invest RR pay 3", "keep")
    assert after.phase is Phase.OVER
    assert RULES.outcome(after) is not None
    assert list(RULES.standing(after)) == [2 + 3, 0]


# The count.


def test_the_worked_count() -> None:
    """The rule sheet's example for two players: 21 and 25."""
    counts = [
        dict(zip(KINDS, (3, 0, 3, 4, 2, 1), strict=True)),
        dict(zip(KINDS, (3, 3, 2, 1, 3, 2), strict=True)),
    ]
    assert score_seats(counts) == (21, 25)


def test_three_share_a_majority_and_an_absent_kind_scores_nobody() -> None:
    """Paragraphs 21 and 22."""
    state = on_day(3, "D1", active=("SR", "SE", "AS"))
    assert list(RULES.standing(state)) == [2 + 2 + 3, 2 + 2 + 3, 2 + 2 + 3]


def test_inactive_cards_count_nothing() -> None:
    """Paragraph 20."""
    state = on_day(3, "D1", active=("1", "SS"), inactive=("RR EE AA TT", ""))
    assert list(RULES.standing(state)) == [0, 2 + 3]


def test_equal_scores_are_decided_by_jewels_not_cards() -> None:
    """Paragraph 23: 6 points each with three cards each, but six jewels against three."""
    many_jewels, diamonds = ("SR", "EA", "TS"), ("D1", "D2", "D3")
    rich = ("SE", "SS", "RR", "EE", "AA", "TT")
    assert score_active([many_jewels, diamonds, rich])[:2] == (6, 6)
    assert rank_active([many_jewels, diamonds, rich]) == (2, 3, 1)


def test_equal_scores_and_jewels_share_the_place() -> None:
    """Paragraph 23."""
    assert rank_active([("SS",), ("RR",), ("D1",)]) == (1, 1, 3)


# On this server.


@pytest.mark.parametrize(
    ("state", "forced"),
    [
        (on_day(2, "D1", active=("3", "1 2"), calls=(3,)), Pass()),
        (on_day(2, "D1", active=("", "1 2")), Bid(0)),
        (on_day(2, "D1", active=(ALL_COINS, "1"), phase=Phase.TAKE, calls=(0, None)), Take("D1", ())),
        (on_day(2, "D1", active=("1 3", "1"), phase=Phase.TAKE, calls=(4, None)), Take("D1", ("1", "3"))),
        (on_day(2, "", active=(ALL_COINS, "1"), phase=Phase.INVEST, buyer=0), Keep()),
        (on_day(2, "", active=("1", "1"), inactive=("SS", ""), phase=Phase.INVEST, buyer=0), Keep()),
        (on_day(2, "D1 D2", active=(ALL_COINS, "1"), phase=Phase.TAKE, calls=(0, None)), None),
        (on_day(2, "D1", active=(ALL_COINS, "1"), phase=Phase.TAKE, calls=(3, None)), None),
        (on_day(2, "", active=("1", "1"), inactive=("SR", ""), phase=Phase.INVEST, buyer=0), None),
        (on_day(2, "D1", active=("1", "1 2"), calls=(1,)), None),
    ],
)
def test_forced_moves(state: State, forced: object) -> None:
    """Paragraph 24: the server plays a move that is the only legal one, and no other."""
    found = RULES.forced_move(state)
    assert (found and found[1]) == forced
    assert (len(list(RULES.legal_moves(state, state.turn))) == 1) is (forced is not None)


def test_default_moves() -> None:
    """Paragraph 25."""
    opening = first_position(2)
    assert RULES.default_move(opening, 0) == Bid(0)
    assert RULES.default_move(play(opening, "bid 2"), 1) == Pass()
    buying = on_day(2, "D1 SS ET SE RE", active=(f"{ALL_COINS} SS", "1"), phase=Phase.TAKE, calls=(3, None))
    assert RULES.default_move(buying, 0) == Take("RE", ("3",))
    ties = on_day(2, "D1 ET SE", active=(ALL_COINS, "1"), phase=Phase.TAKE, calls=(0, None))
    assert RULES.default_move(ties, 0) == Take("SE", ())
    investing = on_day(2, "", active=(ALL_COINS, "1"), inactive=("SR", ""), phase=Phase.INVEST, buyer=0)
    assert RULES.default_move(investing, 0) == Keep()


@pytest.mark.parametrize(
    ("pieces", "cost", "paid"),
    [
        ("1 2 3", 3, "3"),
        ("1 2 SS", 3, "SS"),
        ("2 3 SR", 4, "3 SR"),
        ("1 2 3 SR", 3, "3"),
        ("1 2 3 SS", 4, "1 3"),
        ("2 SE", 2, "2"),
        ("2 3", 1, "2"),
        ("3 SS RR", 5, "3 SS"),
        ("1 2 3", 0, ""),
    ],
)
def test_the_default_payment_is_exact_then_short_then_in_coins(pieces: str, cost: int, paid: str) -> None:
    """Paragraph 25."""
    assert cheapest_payment(tuple(pieces.split()), cost) == tuple(paid.split())


def test_payments_are_all_those_without_a_superfluous_piece() -> None:
    """Paragraph 14, against a list of every subset."""
    pieces = ("1", "2", "3", "SR", "SE", "SS")
    subsets = [
        tuple(piece for place, piece in enumerate(pieces) if number >> place & 1)
        for number in range(1 << len(pieces))
    ]
    for cost in range(worth(pieces) + 2):
        expected = {
            subset for subset in subsets if worth(subset) >= cost and not is_superfluous(subset, cost)
        }
        found = list(payments(pieces, cost))
        assert set(found) == expected
        assert len(found) == len(expected)


def test_the_payment_that_would_be_the_default_is_offered_first() -> None:
    state = play(first_position(3), "bid 3", "pass", "pass")
    begun = f"take {state.open[0]}"
    offered = [choice.text for choice in RULES.steps(state, state.turn, begun)]
    assert offered == [f"{begun} pay 3", f"{begun} pay 1 2"]


def test_contexts_and_bidders() -> None:
    """Paragraph 26: an auction collects everybody's bid; its winner is then asked for card and payment."""
    state = first_position(3)
    assert RULES.context(state) == "day 1 auction 1"
    assert RULES.bidders(state) == {0, 1, 2}
    state = play(state, "bid 0", "pass", "pass")
    assert RULES.context(state) == "day 1 auction 1"
    assert RULES.bidders(state) == frozenset()
    state = play(state, "take SR")
    assert RULES.context(state) == "day 1 auction 2"
    investing = on_day(3, "", active=(ALL_COINS, "1"), phase=Phase.INVEST, buyer=0)
    assert RULES.context(investing) == "day 3 investments"
    assert RULES.bidders(investing) == {0, 1}


def test_a_seat_that_is_not_to_act_is_refused() -> None:
    with pytest.raises(IllegalMove, match="not-your-turn"):
        RULES.apply(first_position(2), 1, Bid(0), Chance(NO_SEED, "ply 1"))


def test_what_is_redrawn_is_the_order_of_the_cards_to_come() -> None:
    """Nobody knows the later days' cards, everybody knows the rest."""
    state = first_position(4)
    redrawn = RULES.resample(state, 2, Chance(NO_SEED, "redraw"))
    assert redrawn.open == state.open
    assert redrawn.piles != state.piles
    assert [len(pile) for pile in redrawn.piles] == [len(pile) for pile in state.piles]
