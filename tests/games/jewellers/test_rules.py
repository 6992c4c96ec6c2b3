"""Jewellers by the paragraphs of games/jewellers/RULES.md, and the worked example of the rule sheet."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from games.chance import NO_SEED, Chance
from games.contract import IllegalMove, InvalidMove
from games.jewellers.components import (
    CARDS,
    COLOURS,
    GEM_VALUE,
    GEMS,
    SIZES,
)
from games.jewellers.rules import RULES
from games.jewellers.state import Bid, Draw, Pass, Phase, Place, Sale, Stay, UpTo
from tests.games.jewellers.positions import (
    DEAL,
    SILVER,
    first_position,
    last_gem,
    play,
    play_with_events,
    refuse,
    with_hands,
)

# Components and set-up.


def test_everybody_owns_the_cards_two_to_ten() -> None:
    """Paragraph 1."""
    assert CARDS == (2, 3, 4, 5, 6, 7, 8, 9, 10)
    assert first_position(8).hands == (CARDS,) * 8


def test_there_are_fifteen_gems_in_five_colours_and_three_sizes() -> None:
    """Paragraph 2."""
    assert len(set(GEMS)) == 15
    assert set(GEMS) == set(GEM_VALUE)
    assert Counter(gem[0] for gem in GEMS) == dict.fromkeys("REPSL", 3)
    assert Counter(gem[1] for gem in GEMS) == dict.fromkeys("sml", 5)


def test_values_are_three_to_seven_and_bigger_is_dearer() -> None:
    """Paragraph 3."""
    assert set(GEM_VALUE.values()) == {3, 4, 5, 6, 7}
    for colour in COLOURS:
        assert GEM_VALUE[colour + "s"] < GEM_VALUE[colour + "m"] < GEM_VALUE[colour + "l"]


def test_the_plan_is_that_of_the_reconstruction() -> None:
    """Paragraph 4; the medium pearl is certain."""
    assert GEM_VALUE["Pm"] == 5
    assert {gem: value for gem, value in GEM_VALUE.items() if value in (3, 7)} == {"Ss": 3, "Ll": 7}
    assert sum(GEM_VALUE.values()) == 3 + 4 * 4 + 5 * 5 + 4 * 6 + 7


def test_the_first_starter_is_drawn() -> None:
    """Paragraph 5."""
    deals = [RULES.deal(seats=4, options={}, chance=Chance(str(number), "deal")) for number in range(40)]
    assert {state.starter for state in deals} == {0, 1, 2, 3}
    assert all(state.turn == state.starter for state in deals)


def test_the_deal_follows_the_chance_in_the_stated_order() -> None:
    """Small, medium and large colours are shuffled from the order of the plan, then the starter is drawn."""
    chance = Chance(NO_SEED, "deal")
    lists = []
    for _ in range(3):
        colours = ["R", "E", "P", "S", "L"]
        chance.shuffle(colours)
        lists.append(tuple(colours))
    state = RULES.deal(seats=5, options={}, chance=Chance(NO_SEED, "deal"))
    assert state.bag == tuple(lists)
    assert state.starter == chance.below(5)


# Drawing.


def test_the_nth_draw_of_a_size_takes_its_nth_colour() -> None:
    """Paragraph 6 and the `Deal:` line."""
    state = play(first_position(2), "draw small")
    assert state.gem == "Rs"
    state = play(state, "bid 2", "pass", "draw large")
    assert state.gem == "Ll"
    state = play(state, "bid 2", "pass", "draw small")
    assert state.gem == "Es"


def test_a_size_that_is_used_up_cannot_be_drawn() -> None:
    """Paragraph 6."""
    state = last_gem(2, "Em")
    assert list(RULES.legal_moves(state, 0)) == [Draw("medium")]
    refusal = refuse(state, "draw small")
    assert refusal.code == "size-gone"
    assert "medium" in str(refusal)


def test_nothing_but_a_draw_comes_first() -> None:
    assert refuse(first_position(2), "bid 2").code == "wrong-phase"
    assert refuse(first_position(2), "pass").code == "wrong-phase"
    assert refuse(first_position(2), "silver R3").code == "wrong-phase"


# Bidding.


def test_the_worked_example() -> None:
    """The rule sheet's auction of the medium pearl."""
    state = play(first_position(4), "draw medium", "bid 9", "bid 10", "pass", "bid 2 9", "bid 7", "pass")
    assert (state.turn, state.leader, sum(state.table[0])) == (3, 0, 16)
    state, events = play_with_events(state, "bid 6", "pass")
    assert state.sales == (Sale("Pm", 3, (2, 6, 9)),)
    assert state.hands[3] == (3, 4, 5, 7, 8, 10)
    assert state.hands[:3] == (CARDS,) * 3
    assert (state.phase, state.starter, state.turn) == (Phase.DRAW, 2, 2)
    assert list(RULES.standing(state)) == [9, 9, 9, 5 + 6]
    assert [event.kind for event in events] == ["bid", "pass", "sold"]


def test_the_starter_must_open() -> None:
    """Paragraph 7."""
    state = play(first_position(3), "draw small")
    assert refuse(state, "pass").code == "must-open"
    moves = list(RULES.legal_moves(state, 0))
    assert Pass() not in moves
    assert len(moves) == 2 ** len(CARDS) - 1


def test_one_card_or_more_may_be_added() -> None:
    """Paragraphs 7 and 8: the total on the table counts."""
    state = play(first_position(2), "draw small", "bid 2 3", "bid 6", "bid 4")
    assert state.table == ((2, 3, 4), (6,))
    assert state.hands[0] == (5, 6, 7, 8, 9, 10)
    assert (state.leader, state.turn) == (0, 1)


def test_the_total_must_be_higher_than_every_other() -> None:
    """Paragraph 8: an equal total is not enough."""
    state = play(first_position(2), "draw small", "bid 9")
    assert refuse(state, "bid 9").code == "too-low"
    assert refuse(state, "bid 2 3 4").code == "too-low"
    assert play(state, "bid 2 8").leader == 1


def test_only_cards_in_hand_can_be_added() -> None:
    """Paragraph 9: a card on the table is not in hand."""
    state = play(first_position(2), "draw small", "bid 5", "bid 6")
    assert refuse(state, "bid 5").code == "not-in-hand"
    assert refuse(state, "bid 4 4").code == "not-in-hand"
    with pytest.raises(IllegalMove):
        RULES.apply(state, 0, Bid(()), Chance(NO_SEED, "ply 1"))


def test_a_pass_is_final() -> None:
    """Paragraph 9: C is not asked again."""
    state = play(first_position(3), "draw small", "bid 2", "bid 3", "pass", "bid 4", "bid 5")
    assert state.turn == 0
    assert state.passed == (2,)


def test_who_has_no_card_takes_no_part() -> None:
    """Paragraph 10: B is neither asked nor the first to pass."""
    state = with_hands(first_position(3), "2 3", "", "4 5")
    state = play(state, "draw small", "bid 2")
    assert state.turn == 2
    assert RULES.bidders(state) == {0, 2}
    state = play(state, "bid 4", "pass")
    assert state.starter == 0
    assert state.hands == ((2, 3), (), (5,))


def test_a_starter_without_cards_still_chooses_the_size() -> None:
    """Paragraph 7: then B may open or pass, then C."""
    state = play(with_hands(first_position(3), "", "2", "9 10"), "draw large")
    assert state.turn == 1
    assert set(RULES.legal_moves(state, 1)) == {Pass(), Bid((2,))}
    state = play(state, "pass")
    assert state.turn == 2
    assert Pass() in set(RULES.legal_moves(state, 2))
    sold = play(state, "bid 9")
    assert sold.sales[-1] == Sale("Ll", 2, (9,))
    assert (sold.phase, sold.starter) == (Phase.DRAW, 1)


def test_a_gem_for_which_nobody_bids_leaves_the_game() -> None:
    """Paragraphs 12 and 13: B was the first to pass and starts the next round."""
    state = play(with_hands(first_position(3), "", "2", "9 10"), "draw large", "pass", "pass")
    assert state.sales == (Sale("Ll", None, ()),)
    assert state.hands == ((), (2,), (9, 10))
    assert (state.phase, state.starter) == (Phase.DRAW, 1)


def test_when_nobody_holds_cards_the_gem_is_unsold_at_once() -> None:
    """Paragraphs 12 and 13: nobody has passed, so the next seat starts."""
    state, events = play_with_events(with_hands(first_position(3), "", "", ""), "draw small")
    assert state.sales == (Sale("Rs", None, ()),)
    assert (state.phase, state.starter, state.turn) == (Phase.DRAW, 1, 1)
    assert [event.kind for event in events] == ["draw", "unsold"]


@pytest.mark.parametrize("hands", [("5 6", "", ""), ("", "5 6", "")])
def test_a_lone_bidder_wins_at_once_and_the_next_seat_starts(hands: tuple[str, str, str]) -> None:
    """Paragraphs 11 and 12: nobody passed, so it is the seat after the starter."""
    state = play(with_hands(first_position(3), *hands), "draw small", "bid 5")
    assert state.sales[-1].cards == (5,)
    assert state.sales[-1].buyer == (0 if hands[0] else 1)
    assert (state.phase, state.starter) == (Phase.DRAW, 1)


def test_a_lone_player_with_cards_may_pass_when_another_starts() -> None:
    """Paragraphs 7, 12 and 13: the player who passed starts the next round."""
    state = play(with_hands(first_position(3), "", "", "5"), "draw small", "pass")
    assert state.sales == (Sale("Rs", None, ()),)
    assert state.starter == 2
    state = play(state, "draw small")
    assert RULES.forced_move(state) == (2, Bid((5,)))


def test_the_winner_discards_and_the_others_take_back() -> None:
    """Paragraph 11."""
    state = play(first_position(3), "draw small", "bid 2", "bid 3", "bid 2 4", "bid 5", "pass", "pass")
    assert state.sales == (Sale("Rs", 0, (2, 5)),)
    assert state.hands == ((3, 4, 6, 7, 8, 9, 10), CARDS, CARDS)
    assert state.table == ((), (), ())


def test_the_first_who_passed_starts_the_next_round() -> None:
    """Paragraph 12."""
    state = play(first_position(4), "draw small", "bid 2", "bid 3", "pass", "bid 4", "pass", "pass")
    assert state.sales[-1].buyer == 3
    assert state.starter == 2


def test_who_cannot_beat_the_leader_has_only_the_pass() -> None:
    """Paragraph 21; it counts as a pass for paragraph 12."""
    state = play(with_hands(first_position(3), "9 10", "2 3", "4 8"), "draw small", "bid 9 10")
    assert RULES.forced_move(state) == (1, Pass())
    state = play(state, "pass")
    assert RULES.forced_move(state) == (2, Pass())
    state = play(state, "pass")
    assert (state.sales[-1].buyer, state.starter) == (0, 1)


def test_who_can_still_beat_the_leader_is_asked() -> None:
    """Paragraph 21: cards on the table count."""
    state = play(with_hands(first_position(2), "5 6", "3 9"), "draw small", "bid 5", "bid 9")
    assert RULES.forced_move(state) is None
    assert list(RULES.legal_moves(state, 0)) == [Pass(), Bid((6,))]


# `up to`.


def test_up_to_adds_as_little_as_possible() -> None:
    """Paragraph 22."""
    state = play(first_position(3), "draw small", "bid 9")
    assert RULES.parse(state, 1, "up to 17") == Bid((10,))
    state = play(state, "bid 10")
    assert RULES.parse(state, 2, "up to 17") == Bid((5, 6))
    state = play(state, "up to 17")
    assert state.table[2] == (5, 6)
    assert RULES.parse(state, 0, "up to 17") == Bid((3,))


def test_up_to_prefers_few_cards_then_low_high_cards() -> None:
    """Paragraph 22: of 12 = 2+10 = 3+9 = 4+8 = 5+7 the last has the lowest highest card; 3+4+5 has more cards."""
    state = play(first_position(2), "draw small", "bid 2 9")
    assert RULES.parse(state, 1, "up to 12") == Bid((5, 7))
    fewer = with_hands(state, "3", "2 4 5 6 10")
    assert RULES.parse(fewer, 1, "up to 99") == Bid((2, 10))


def test_up_to_stops_at_its_limit() -> None:
    """Paragraph 22: without a bid that fits it is illegal, so that the next order of a plan can be tried."""
    state = play(first_position(2), "draw small", "bid 9")
    assert RULES.parse(state, 1, "up to 9") == UpTo(9)
    assert refuse(state, "up to 9").code == "no-bid-within"
    assert RULES.parse(state, 1, "up to 10") == Bid((10,))


def test_up_to_opens_with_the_lowest_card() -> None:
    """Paragraph 22: before the first bid anything beats the others."""
    state = play(first_position(2), "draw small")
    assert RULES.parse(state, 0, "up to 17") == Bid((2,))
    assert refuse(state, "up to 1").code == "no-bid-within"


def test_up_to_waits_for_its_turn() -> None:
    """An order for later is kept as it is, and played when its time has come."""
    state = play(first_position(2), "draw small")
    order = RULES.parse(state, 1, "up to 17")
    assert order == UpTo(17)
    with pytest.raises(IllegalMove) as refusal:
        RULES.apply(state, 1, order, Chance(NO_SEED, "ply 1"))
    assert refusal.value.code == "not-your-turn"
    state = play(state, "bid 4")
    later = RULES.apply(state, 1, order, Chance(NO_SEED, "ply 2")).state
    assert later.table[1] == (5,)


# The end, and the server's part.


def test_the_match_is_over_after_the_last_gem() -> None:
    """Paragraph 18."""
    state = play(last_gem(3, "Ll"), "draw large", "bid 2", "pass")
    assert RULES.outcome(state) is None
    state, events = play_with_events(state, "pass")
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert (outcome.scores, outcome.ranks) == ((7 + 8, 9, 9), (1, 2, 2))
    assert RULES.waiting_on(state) == frozenset()
    assert events[-1].kind == "over"
    assert refuse(state, "pass").code == "over"


def test_the_match_may_end_with_an_unsold_gem() -> None:
    """Paragraphs 13 and 18."""
    state = play(last_gem(2, "Ll", "", ""), "draw large")
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert (outcome.scores, outcome.ranks) == ((0, 0), (1, 1))


def test_out_of_turn() -> None:
    with pytest.raises(IllegalMove) as refusal:
        RULES.apply(first_position(2), 1, Draw("small"), Chance(NO_SEED, "ply 1"))
    assert refusal.value.code == "not-your-turn"


def test_default_moves() -> None:
    """Paragraph 23."""
    state = first_position(2, options=SILVER)
    assert RULES.default_move(state, 0) == Place("R3")
    state = play(state, "silver R3")
    assert RULES.default_move(state, 0) == Draw("small")
    assert RULES.default_move(last_gem(2, "Pl"), 0) == Draw("large")
    state = play(state, "draw small")
    assert RULES.default_move(state, 0) == Bid((2,))
    state = play(state, "bid 3")
    assert RULES.default_move(state, 1) == Pass()
    state = play(state, "pass")
    assert state.phase is Phase.MOVE
    assert RULES.default_move(state, 0) == Stay()


def test_the_default_of_a_seat_that_need_not_open_is_to_pass() -> None:
    """Paragraph 23: the starter has no card."""
    state = play(with_hands(first_position(2), "", "4"), "draw small")
    assert RULES.default_move(state, 1) == Pass()


def test_the_context_is_one_gem_from_the_draw_to_the_sale() -> None:
    """Paragraph 24: sealed orders are collected after the draw, from all who hold cards."""
    state = with_hands(first_position(3, options=SILVER), "2 3", "", "4 5")
    assert (RULES.context(state), RULES.bidders(state)) == (None, frozenset())
    state = play(state, "silver R3")
    assert (RULES.context(state), RULES.bidders(state)) == ("gem 1", frozenset())
    state = play(state, "draw small")
    assert (RULES.context(state), RULES.bidders(state)) == ("gem 1", frozenset({0, 2}))
    state = play(state, "bid 2 3")
    assert RULES.bidders(state) == {0, 2}
    state = play(state, "pass")
    assert state.phase is Phase.MOVE
    assert (RULES.context(state), RULES.bidders(state)) == (None, frozenset())
    state = play(state, "silver stay")
    assert RULES.context(state) == "gem 2"


def test_only_the_order_of_colours_is_hidden() -> None:
    """Paragraphs 1 and 6."""
    state = play(first_position(3), "draw small")
    view = RULES.view(state, 1)
    assert view.bag == (("E", "P", "S", "L"), tuple(COLOURS), tuple(COLOURS))
    other = first_position(3, "small: R L S P E; medium: E R P S L; large: R E P S L")
    assert RULES.view(play(other, "draw small"), 1) == view


def test_redrawing_changes_the_bag_alone() -> None:
    state = play(first_position(3), "draw small", "bid 2")
    redrawn = [RULES.resample(state, 0, Chance(str(number), "redraw")) for number in range(200)]
    assert len({other.bag for other in redrawn}) > 150
    for other in redrawn:
        assert [sorted(colours) for colours in other.bag] == [sorted(colours) for colours in state.bag]
        assert replace(other, bag=state.bag) == state


@pytest.mark.parametrize(
    "deal",
    [
        "",
        "small: R E P S L",
        "small: R E P S L; medium: R E P S L",
        "small: R E P S L; medium: R E P S L; large: R E P S",
        "small: R E P S L; medium: R E P S L; large: R E P S S",
        "small: R E P S L; medium: R E P S L; huge: R E P S L",
        "small: R E P S L; small: R E P S L; large: R E P S L",
        DEAL + "; small: R E P S L",
        DEAL + "; tiny: R",
    ],
)
def test_a_deal_that_is_none(deal: str) -> None:
    with pytest.raises(InvalidMove) as refusal:
        first_position(2, deal)
    assert refusal.value.code == "bad-deal"


def test_a_deal_may_be_written_carelessly() -> None:
    careless = "LARGE:l s p e r ;small: R E P S L;  Medium: P R E S L;"
    assert first_position(2, careless) == first_position(2)
    assert RULES.write_deal(first_position(2, careless)) == DEAL


def test_sizes_are_drawn_in_any_order() -> None:
    """Every size has five gems; fifteen rounds empty the bag."""
    state = with_hands(first_position(2), "", "")
    for number in range(len(GEMS)):
        state = play(state, f"draw {SIZES[number % 3]}")
    assert state.phase is Phase.OVER
    assert [sale.gem for sale in state.sales[:6]] == ["Rs", "Pm", "Ll", "Es", "Rm", "Sl"]
