"""The phases of a match, and its secrets (RULES.md, paragraphs 12 and 16 to 19)."""

from __future__ import annotations

import gettext
import re

import pytest

from games.chance import Chance
from games.contract import Event, IllegalMove
from games.florentine import words
from games.florentine.rules import META, RULES
from games.florentine.square import CELLS
from games.florentine.state import Decline, Discard, Phase, Place, State
from games.listing import say_unlisted
from tests.games.florentine.positions import (
    CHANCE,
    first_position,
    lay,
    list_texts,
    play,
    play_at_random,
    play_steps_at_random,
    play_with_events,
    position,
    refuse,
)

TR = gettext.NullTranslations()
NAMES = ("Ana", "Bob", "Cy", "Dee")


def discard_until_the_pile_is_empty(state: State) -> State:
    """Place one card, then play nothing but the default move."""
    state = play(state, RULES.write(RULES.default_move(state, state.turn)))
    while state.phase is Phase.HANDS:
        move = RULES.default_move(state, state.turn)
        assert isinstance(move, Discard)
        state = RULES.apply(state, state.turn, move, CHANCE).state
    return state


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_pile_lasts_for_thirty_two_turns_then_all_hands_lie_open(seats: int) -> None:
    """Paragraphs 8, 12 and 16."""
    states = play_at_random(seats, f"pile {seats}")
    assert [state.phase for state in states[:32]] == [Phase.HANDS] * 32
    assert [len(state.pile) for state in states[:32]] == list(range(32, 0, -1))
    opened = states[32]
    assert opened.phase is Phase.POOL
    assert opened.hands == ((),) * seats
    laid = sum(1 for look in opened.square if look)
    assert len(opened.pool) == 48 - laid
    assert opened.turn == (states[0].turn + 32) % seats


def test_the_longest_match_has_eighty_three_plies() -> None:
    """One card placed, 31 discards, 47 cards from the pool at most, four black cards."""
    state = discard_until_the_pile_is_empty(first_position(4))
    assert len(state.pool) == 47
    assert META.max_plies == 32 + 47 + 4


def test_from_the_pool_any_card_is_placed_and_nobody_may_pass() -> None:
    """Paragraph 17."""
    state = position(lay("rrbb d4 N"), pool="rrgg bgbg rogo")
    cards = {move.card for move in RULES.legal_moves(state, 0) if isinstance(move, Place)}
    assert cards == {"rrgg", "bgbg", "rogo"}
    assert all(isinstance(move, Place) for move in RULES.legal_moves(state, 0))
    assert refuse(state, "decline") == "wrong-phase"
    after = play(state, "place bgbg d3 N")
    assert (after.turn, after.pool) == (1, ("rrgg", "rogo"))


def test_the_default_from_the_pool_is_the_first_card_cell_and_facing() -> None:
    """Paragraph 26: bgbg comes after rrgg; a cell in the west comes before one in the east."""
    state = position(lay("rrbb d4 N"), pool="bgbg rrgg")
    assert RULES.default_move(state, 0) == Place("rrgg", "d5", "E")
    blue = position(lay("rrbb d4 N"), pool="bgbg")
    assert list_texts(blue) == ["place bgbg c4 E", "place bgbg d3 N"]
    assert RULES.write(RULES.default_move(blue, 0)) == "place bgbg c4 E"


def test_the_default_discard_is_the_first_card_of_the_hand_in_canonical_order() -> None:
    """Paragraph 26: red before blue before green before ochre, not the alphabet."""
    state = position(lay("rrbb d4 N"), Phase.HANDS, hand="bbgg ggoo rbrb roro", pile="bobo rrgg")
    assert RULES.default_move(state, 0) == Discard("rbrb")


ONE_RED_ARM = lay("rgrg d4 N", "rbgb d3 N")
"""The north arm asks for red, the other three for green."""


def test_the_only_placement_is_forced() -> None:
    """Paragraph 25."""
    assert RULES.forced_move(position(ONE_RED_ARM, pool="rbbo")) == (0, Place("rbbo", "d5", "S"))
    assert RULES.forced_move(position(ONE_RED_ARM, pool="rbbo rboo")) is None
    assert RULES.forced_move(position(ONE_RED_ARM, pool="rrbb")) is None


def test_the_last_placement_leads_to_the_black_cards() -> None:
    """Paragraph 18."""
    state, events = play_with_events(position(lay("rrbb d4 N"), pool="rrgg"), "place rrgg d5 S")
    assert state.phase is Phase.BLACK
    assert [event.kind for event in events] == ["place", "blacks"]


def test_an_unfinished_cross_stays_open_when_no_card_fits() -> None:
    """Paragraph 18: afterwards the arms ask for blue and green, and the pool has neither."""
    state = play(position(ONE_RED_ARM, pool="rbbo roro"), "place rbbo d5 S")
    assert (state.phase, state.pool) == (Phase.BLACK, ("roro",))
    assert not state.square[CELLS.index("d6")]


def test_over_means_over() -> None:
    state = play(position(lay("rrbb d4 N"), Phase.BLACK, turn=3, answered=3), "decline")
    assert state.phase is Phase.OVER
    assert RULES.waiting_on(state) == frozenset()
    with pytest.raises(IllegalMove, match="over"):
        RULES.apply(state, 3, Decline(), CHANCE)


def test_another_seat_is_refused() -> None:
    with pytest.raises(IllegalMove, match="not-your-turn"):
        RULES.apply(first_position(), 1, Place("rrgg", "d4", "N"), CHANCE)


# Secrets.


def test_who_draws_what_is_told_to_nobody_else() -> None:
    """Paragraphs 8 and 12."""
    before = first_position()
    _, events = play_with_events(before, "place rrbb d4 N")
    assert [event.kind for event in events] == ["place", "draw"]
    drawn = events[1]
    assert drawn.audience == frozenset({0})
    assert drawn.data == {"card": before.pile[0]}
    assert [drawn.visible_to(reader) for reader in (0, 1, None)] == [True, False, False]


def test_nothing_but_draws_is_private() -> None:
    for seats in (2, 3, 4):
        for step in play_steps_at_random(seats, f"private {seats}"):
            for event in step.events:
                assert (event.audience is not None) == (event.kind == "draw")


def test_the_view_holds_the_own_hand_and_the_sizes_of_the_others() -> None:
    """Paragraph 8."""
    state = first_position()
    own = RULES.view(state, 1)
    assert own.hand == ("rrgg", "rrgo", "rrob", "rrog")
    assert own.hand_sizes == (4, 4, 4, 4)
    assert own.pile_size == 32
    assert RULES.view(state, None).hand == ()


def test_redrawing_moves_every_hidden_card_and_no_other() -> None:
    """The cards a seat cannot see are mixed; its own, the pool and the square stay."""
    state = play_at_random(3, "redraw")[12]
    hidden = {*state.hands[0], *state.hands[2], *state.pile}
    held: set[str] = set()
    for number in range(300):
        redrawn = RULES.resample(state, 1, Chance(str(number), "redraw"))
        assert (redrawn.hands[1], redrawn.pool, redrawn.square) == (state.hands[1], state.pool, state.square)
        assert {*redrawn.hands[0], *redrawn.hands[2], *redrawn.pile} == hidden
        held |= {redrawn.hands[0][0], redrawn.pile[-1]}
    assert held == hidden


def test_open_hands_leave_nothing_to_redraw() -> None:
    """Paragraph 16."""
    state = play_at_random(2, "open")[32]
    assert RULES.resample(state, 0, Chance("any", "redraw")) == state


# Words.


def test_the_log_of_a_turn() -> None:
    state = first_position(2)
    _, events = play_with_events(state, "place rrbb d4 N", "discard rrgg")
    assert [words.describe(event, TR, NAMES[:2]) for event in events] == [
        "Ana puts rrbb on d4, first letter facing north.",
        f"Ana draws {state.pile[0]}.",
        "Bob lays rrgg face up in the pool.",
        f"Bob draws {state.pile[1]}.",
    ]


def test_the_log_of_the_end() -> None:
    said = [
        words.describe(event, TR, NAMES)
        for event in (
            Event("open", None, {"cards": ["rrbb", "rrgg"]}),
            Event("closed", 1, {"colour": "b", "gems": 2}),
            Event("blacks", 2),
            Event("black", 2, {"cell": "a3", "edge": "W"}),
            Event("decline", 3),
            Event("over", None, {"scores": [1, 2, 0, 0], "ranks": [2, 1, 3, 3]}),
        )
    ]
    assert said == [
        "The last card is drawn, and all hands go into the pool: rrbb rrgg.",
        "A blue room is closed: 2 gems for Bob.",
        "No more cards fit. Cy begins with the black cards.",
        "Cy puts the black card at a3, edge west.",
        "Dee keeps the black card.",
        "The match is over: Ana 1, Bob 2, Cy 0, Dee 0.",
    ]


def test_the_board_says_everything_in_words() -> None:
    """For a screen reader: cells, directions, colours, gems and what the free cells ask for."""
    state = position(lay("rrbg d4 N"), Phase.HANDS, hand="rrgb rroo rbrb bobo", pile="ggoo gogo")
    text = words.draw(RULES.view(state, 0), TR, NAMES)
    assert "d4: north red, east red, south blue, west green, gem: jade" in text
    assert "d5 (south red)" in text
    assert "Your hand: rrgb (rr: jade), rroo, rbrb, bobo" in text


def test_the_prompt_offers_placements_and_discards() -> None:
    state = position(lay("rrbg d4 N"), Phase.HANDS, hand="rrgb rroo rbrb bobo", pile="ggoo gogo")
    prompt = words.prompt(RULES.view(state, 0), TR, NAMES)
    assert prompt.count("To play, write:  place ") == words.MOST_EXAMPLES
    assert prompt.count("To play, write:  discard ") == 4
    listed = [line.removeprefix("To play, write:  ") for line in prompt.splitlines() if ":  " in line]
    told = say_unlisted(RULES, state, 0, listed, TR)
    assert told.startswith(f"Listed here: {words.MOST_EXAMPLES + 4} of {len(list(list_texts(state)))} ways;")


def test_the_listed_placements_show_each_card_and_each_free_cell_that_one_fits() -> None:
    state = position(lay("rrbg d4 N"), Phase.HANDS, hand="rrgb rroo rbrb bobo", pile="ggoo gogo")
    possible = [text.split() for text in list_texts(state) if text.startswith("place")]
    assert len(possible) > words.MOST_EXAMPLES
    listed = re.findall(
        r"place (\S+) (\S+) [NESW]$", words.prompt(RULES.view(state, 0), TR, NAMES), re.MULTILINE
    )
    assert {card for card, _ in listed} == {card for _, card, *_ in possible}
    assert {cell for _, cell in listed} == {cell for _, _, cell, _ in possible}
