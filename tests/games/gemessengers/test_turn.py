"""Turns, proclamations, tokens, rounds (RULES.md, paragraphs 5 to 11 and 16 to 23)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.chance import NO_SEED, Chance
from games.contract import IllegalMove
from games.gemessengers.components import DECK, PIECES
from games.gemessengers.rules import RULES
from games.gemessengers.state import State, is_over
from tests.games.gemessengers.positions import deal, play, watch, with_workshops

FULL = "A / A A / A A"
"""One gem short of a circlet."""
DONE = "A / A A / A A A"


def refuse(state: State, line: str) -> str:
    """Return the code with which this line is refused."""
    with pytest.raises(IllegalMove) as refusal:
        play(state, line)
    return refusal.value.code


def test_the_deck_has_six_gems_and_a_proclamation_of_each_suit() -> None:
    """Paragraphs 1 and 2."""
    assert len(DECK) == 49
    assert " ".join(DECK[:8]) == "A A A A A A *A C"
    assert [DECK.count(code) for code in ("C", "*C", "T", "*T")] == [6, 1, 6, 1]


def test_every_piece_takes_six_gems_in_rows_of_one_two_and_three() -> None:
    """Paragraph 5."""
    assert [piece.capacities for piece in PIECES] == [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    assert [piece.passes for piece in PIECES] == [1, -1, 1]


def test_six_cards_to_each_seat_and_the_rest_to_the_draw_pile() -> None:
    """Paragraph 6."""
    state = deal("A A A A A A", "C C C C C C", "*A D D D D D")
    assert state.hands == (("A",) * 6, ("C",) * 6, ("D",) * 5 + ("*A",))
    assert len(state.pile) == 49 - 18
    assert state.tokens == (3, 3, 3)
    assert [len(deck) for deck in state.decks] == [49, 49]


def test_with_a_seed_all_three_decks_are_shuffled_at_the_deal_one_after_the_other() -> None:
    seed = "ab" * 32
    state = RULES.deal(seats=4, options={}, chance=Chance(seed, "deal"))
    chance = Chance(seed, "deal")
    decks = []
    for number in (1, 2, 3):
        deck = list(DECK)
        chance.shuffle(deck)
        decks.append(deck)
        assert RULES.write_deal(state).split(" ; ")[number - 1].startswith(f"{number}: ")
    assert [list(deck) for deck in state.decks] == decks[1:]
    assert sorted(state.hands[1]) == sorted(decks[0][6:12])
    assert list(state.pile) == decks[0][24:]


def test_picks_are_carried_out_only_when_all_lie() -> None:
    """Paragraph 8."""
    state = play(deal("A C D E R S", "T T T T T T"), "A play ruby")
    assert RULES.waiting_on(state) == {1}
    assert state.workshops == ((), ())
    assert len(state.hands[0]) == 6
    state = play(state, "B play topaz")
    assert state.workshops == ((("R",),), (("T",),))
    assert RULES.waiting_on(state) == {0, 1}
    assert state.turn == 2


def test_a_pick_may_be_changed_until_the_reveal() -> None:
    """Paragraph 29."""
    state = play(deal("A C D E R S", "T T T T T T"), "A play ruby")
    assert list(RULES.legal_moves(state, 0)) == list(RULES.legal_moves(deal("A C D E R S", "T T T T T T"), 0))
    state = play(state, "A play emerald", "A play amethyst", "A play amethyst", "B play topaz")
    assert state.workshops[0] == (("A",),)
    assert state.hands[1] == ("A", "C", "D", "E", "R", "S"), (
        "the five cards that were not picked and one drawn"
    )


def test_a_gem_may_be_changed_to_a_proclamation_and_back() -> None:
    state = play(deal("A C D E R *S", "T T T T T T"), "A proclaim sapphire base", "A play ruby")
    assert RULES.write(state.sealed.of(0) or pytest.fail("no pick")) == "play ruby"
    state = play(state, "A proclaim sapphire headstone", "B play topaz")
    assert state.guild == (("S",), (), ())
    assert state.workshops[0] == ()


@pytest.mark.parametrize(("number", "receives"), [(1, [2, 0, 1]), (2, [1, 2, 0]), (3, [2, 0, 1])])
def test_hands_go_left_right_and_left_again(number: int, receives: list[int]) -> None:
    """Paragraph 5; each seat receives the hand of the one that is named."""
    state = replace(deal("A A A A A A", "C C C C C C", "D D D D D D"), round=number, pile=())
    state = play(state, "A play amethyst", "B play citrine", "C play diamond")
    assert state.hands == tuple(("ACD"[seat],) * 5 for seat in receives)


def test_all_draw_up_in_seat_order_while_the_pile_lasts() -> None:
    """Paragraph 10."""
    state = replace(deal("A A A A A A", "C C C C C C", "D D D D D D"), pile=("T", "S"))
    state = play(state, "A play amethyst", "B play citrine", "C play diamond")
    assert state.hands == (("D",) * 5 + ("T",), ("A",) * 5 + ("S",), ("C",) * 5)
    assert state.pile == ()


def test_a_seat_without_cards_has_no_pick() -> None:
    """Paragraph 11."""
    state = replace(deal("A A A A A A", "C C C C C C"), hands=(("A", "A"), ()), pile=())
    assert RULES.waiting_on(state) == {0}
    assert list(RULES.legal_moves(state, 1)) == []
    assert refuse(state, "B play citrine") == "no-cards"
    state = play(state, "A play amethyst")
    assert state.workshops == ((("A",),), ())
    assert state.turn == 2
    assert state.hands == ((), ("A",))
    assert RULES.waiting_on(state) == {1}


def test_turns_without_any_pick_are_carried_out() -> None:
    """Paragraph 11: hands wander and tokens are taken until somebody who crafts holds a card again."""
    state = with_workshops(deal("A A A A A A", "C C C C C C", "D D D D D D"), DONE, FULL, "T / E")
    state = replace(state, hands=(("E", "S"), ("T",), ()), pile=())
    state, events = watch(state, "B play topaz row 3")
    # Turn 1: B finishes, A takes a token and passes its cards to B. Turn 2: C, who alone still crafts, holds no
    # card; A and B take tokens, and C receives the cards.
    assert [event.seat for event in events if event.kind == "token"] == [0, 0, 1]
    assert (state.turn, state.taken, state.tokens) == (3, (2, 1, 0), (2, 2, 2))
    assert state.hands == ((), (), ("E", "S"))
    assert RULES.waiting_on(state) == {2}


def test_proclamations_are_placed_in_the_order_of_their_numbers() -> None:
    """Paragraph 17 and the worked example: citrine before topaz, whatever the order of the seats."""
    state = deal("*T A A A A A", "*C C C C C C", "*R R R R R R")
    state = play(state, "A proclaim topaz base", "B proclaim citrine headstone", "C proclaim ruby headstone")
    assert state.guild == (("C", "R"), (), ("T",))
    assert state.taken == (1, 1, 1)
    assert state.tokens == (1, 3, 2)


def test_the_first_open_row_of_the_preferences_is_used() -> None:
    """Paragraph 17: two proclamations want the last place."""
    state = replace(deal("*T A A A A A", "*C C C C C C"), guild=(("A", "D"), (), ()), tokens=(0, 3, 3))
    state = play(state, "A proclaim topaz headstone base", "B proclaim citrine headstone decoration")
    assert state.guild == (("A", "D", "C"), (), ("T",))
    assert state.taken == (1, 0)
    assert state.tokens == (0, 3, 2)


def test_when_all_named_rows_fill_up_the_first_open_row_is_used() -> None:
    """Paragraph 18."""
    state = replace(deal("*T A A A A A", "*C C C C C C"), guild=((), ("E",), ("A", "D")))
    state, events = watch(state, "A proclaim topaz base", "B proclaim citrine base")
    assert state.guild == (("T",), ("E",), ("A", "D", "C"))
    diverted = [event for event in events if event.kind == "proclamation" and not event.data["named"]]
    assert [event.seat for event in diverted] == [0]
    state = replace(deal("*T A A A A A", "*C C C C C C"), guild=(("E", "R", "S"), (), ("A", "D")))
    assert play(state, "A proclaim topaz base", "B proclaim citrine base").guild[1] == ("T",)


def test_a_guild_row_takes_three_and_must_be_open_when_named() -> None:
    """Paragraph 16."""
    state = replace(deal("*T A A A A A", "C C C C C C"), guild=(("E", "R", "S"), (), ()))
    assert refuse(state, "A proclaim topaz headstone") == "row-full"
    assert refuse(state, "A proclaim topaz base headstone") == "row-full"
    assert refuse(state, "A proclaim topaz base base") == "row-twice"
    assert refuse(state, "A proclaim topaz") == "no-row"
    assert refuse(state, "A proclaim ruby base") == "not-in-hand"
    assert refuse(state, "B proclaim topaz base") == "not-in-hand"


def test_without_a_token_left_a_proclamation_brings_none() -> None:
    """Paragraph 19."""
    state = replace(deal("*T A A A A A", "C C C C C C"), tokens=(0, 3, 3))
    state = play(state, "A proclaim topaz headstone", "B play citrine")
    assert (state.taken, state.tokens) == ((0, 0), (0, 3, 3))


def test_a_finished_seat_takes_tokens_from_the_next_turn_on() -> None:
    """Paragraph 20."""
    state = with_workshops(deal("A A A A A A", "C C C C C C"), FULL, "")
    state, events = watch(state, "A play amethyst row 3", "B play citrine")
    assert "finished" in [event.kind for event in events]
    assert state.taken == (0, 0)
    assert RULES.waiting_on(state) == {1}
    assert refuse(state, "A play citrine") == "finished"
    held = state.hands[0]
    state = play(state, "B play amethyst above")
    assert state.taken == (1, 0)
    assert state.tokens == (2, 3, 3)
    assert state.hands[1] == held, "a finished seat passes its whole hand"
    assert len(state.hands[0]) == 6


def test_in_the_last_turn_too_but_not_by_who_finishes_in_it() -> None:
    """Paragraphs 20 and 23."""
    state = with_workshops(deal("A A A A A A", "C C C C C C", "D D D D D D"), DONE, FULL, FULL)
    state, events = watch(state, "B play citrine row 3", "C play diamond row 3")
    counted = next(event for event in events if event.kind == "score")
    assert counted.data["tokens"] == (1, 0, 0)
    assert (state.round, state.turn) == (2, 1)


def test_finished_seats_take_in_the_order_of_their_totals_after_proclamations() -> None:
    """Paragraphs 21 and 22."""
    state = with_workshops(
        deal("A A A A A A", "C C C C C C", "D D D D D D", "*T E E E E E"), DONE, DONE, DONE, ""
    )
    state = replace(state, tokens=(1, 2, 0), results=((9, 7, 7, 1),))
    state = replace(state, round=1)
    state, events = watch(state, "D proclaim topaz headstone")
    takers = [(event.seat, event.data["row"]) for event in events if event.kind == "token"]
    assert takers == [(1, 1), (2, 1)]
    assert state.tokens == (0, 0, 0)
    assert state.taken == (0, 1, 1, 1)


def test_the_row_with_most_tokens_is_used_and_the_upper_one_of_equal_rows() -> None:
    """Paragraph 22."""
    state = with_workshops(deal("A A A A A A", "C C C C C C"), DONE, "")
    for tokens, after in [
        ((1, 2, 2), (1, 1, 2)),
        ((3, 3, 3), (2, 3, 3)),
        ((1, 2, 3), (1, 2, 2)),
        ((0,) * 3, (0,) * 3),
    ]:
        assert play(replace(state, tokens=tokens), "B play citrine").tokens == after


def test_after_a_round_the_next_deck_is_dealt_and_tokens_go_back() -> None:
    """Paragraphs 6, 7, 23 and 26."""
    state = with_workshops(deal("A A A A A A", "C C C C C C"), FULL, FULL)
    state = replace(state, tokens=(0, 1, 2), taken=(4, 2))
    state = play(state, "A play amethyst row 3", "B play citrine row 3")
    assert state.results == ((10, 8),)
    assert (state.round, state.turn, state.tokens, state.taken) == (2, 1, (3, 3, 3), (0, 0))
    assert state.workshops == ((), ())
    assert state.guild == ((), (), ())
    assert state.hands == (("A",) * 6, ("C",) * 5 + ("*A",))
    assert len(state.decks) == 1


def test_after_the_third_round_the_match_is_over() -> None:
    """Paragraph 27; nothing is passed or drawn any more (23)."""
    state = with_workshops(deal("A A A A A A", "C C C C C C"), "A A A / A / A", "C C C / C / C")
    state = replace(state, round=3, results=((9, 8), (7, 8)), decks=())
    state, events = watch(state, "A play amethyst row 3", "B play citrine row 3")
    assert is_over(state)
    outcome = RULES.outcome(state)
    assert outcome is not None
    assert (outcome.scores, outcome.ranks) == ((22, 22), (1, 1))
    assert state.hands == (("A",) * 5, ("C",) * 5)
    assert [event.kind for event in events][-2:] == ["score", "over"]
    assert RULES.context(state) is None
    assert refuse(state, "A play amethyst row 1") == "over"


def test_context_and_bidders() -> None:
    state = with_workshops(deal("A A A A A A", "C C C C C C", "D D D D D D"), DONE, "", "")
    assert RULES.context(state) == "round 1 turn 1"
    assert RULES.bidders(state) == {1, 2}
    state = play(state, "B play citrine")
    assert RULES.bidders(state) == {1, 2}
    state = play(state, "C play diamond")
    assert RULES.context(state) == "round 1 turn 2"


@pytest.mark.parametrize(
    ("hand", "workshop", "text"),
    [
        ("T R S *A *C D", "", "play diamond"),
        ("T R S *A *C T", "D / E", "play ruby row 1"),
        ("T R S *A *C T", "D D D", "play ruby above"),
        ("T R S *A *C T", "D / E / S", "play ruby row 2"),
        ("T R S *A *C T", "D / D D / E", "play ruby row 3"),
        ("T R S *A *C T", "D / D D D", "play ruby row 1"),
        ("*T *R *S *A *C *E", "D", "proclaim amethyst headstone decoration base"),
    ],
)
def test_default_moves(hand: str, workshop: str, text: str) -> None:
    """Paragraph 32."""
    state = with_workshops(deal(hand, "D D D E E E"), workshop, "")
    assert RULES.write(RULES.default_move(state, 0)) == text
    play(state, f"A {text}")


def test_the_default_proclamation_names_open_rows_only() -> None:
    state = replace(deal("*T *R *S *A *C *E", "D D D E E E"), guild=((), ("D", "R", "S"), ()))
    assert RULES.write(RULES.default_move(state, 0)) == "proclaim amethyst headstone base"


def test_only_the_last_seat_that_crafts_is_ever_forced() -> None:
    """Paragraph 31: an early pick by the server would tell the others about the hand."""
    state = with_workshops(deal("A A A A A A", "C C C C C C"), FULL, FULL)
    assert len(list(RULES.legal_moves(state, 0))) == len(list(RULES.legal_moves(state, 1))) == 1
    assert RULES.forced_move(state) is None
    state = play(state, "A play amethyst row 3")
    assert RULES.forced_move(state) is None, "A may still change its pick"
    state = with_workshops(deal("A A A A A A", "C C C C C C"), DONE, FULL)
    forced = RULES.forced_move(state)
    assert forced is not None
    assert (forced[0], RULES.write(forced[1])) == (1, "play citrine row 3")
    assert RULES.forced_move(with_workshops(state, DONE, "A")) is None
    assert RULES.apply(state, forced[0], forced[1], Chance(NO_SEED, "ply 1")).state.round == 2
