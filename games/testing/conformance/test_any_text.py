"""Any typed text is a move, the beginning of one, or refused with a code and a sentence."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from games.chance import Chance
from games.contract import GameError, IllegalMove, Seat
from games.testing.cases import Case, Played, list_moves, play_match
from games.testing.readers import TR


def mix_words(case: Case) -> st.SearchStrategy[str]:
    """Generate arbitrary text, and sentences made of the words of real moves."""
    match = play_match(case)
    words = sorted({word for played in match for word in case.rules.write(played.move).split()})
    typed = st.lists(st.sampled_from([*words, "+", "-", ".", "0", "99999999999", "²", "—"]), max_size=12)
    return st.one_of(st.text(max_size=60), typed.map(" ".join))


@settings(max_examples=60, deadline=None, database=None)
@given(data=st.data())
def test_any_text_is_a_move_or_a_game_error(case: Case, data: st.DataObject) -> None:
    rules = case.rules
    match = play_match(case)
    played: Played = data.draw(st.sampled_from(match))
    seat: Seat = data.draw(st.integers(0, case.seats - 1))
    text = data.draw(mix_words(case))
    try:
        move = rules.parse(played.before, seat, text)
    except IllegalMove as refusal:
        raise AssertionError(
            f"`parse` refuses {text!r} as {refusal}: it raises InvalidMove, `apply` IllegalMove"
        ) from refusal
    except GameError as refusal:
        assert_says_something(refusal)
        return
    written = rules.write(move)
    assert rules.parse(played.before, seat, written) == move
    legal = list_moves(rules, played.before, seat)
    try:
        rules.apply(played.before, seat, move, Chance(*played.chance))
    except IllegalMove as refusal:
        assert_says_something(refusal)
        assert_is_unlisted(move, legal)
    else:
        assert legal is None or move in legal


def assert_says_something(refusal: GameError) -> None:
    """A refusal has a code of plain words and a sentence."""
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", refusal.code), f"the code {refusal.code!r} is no plain words"
    assert refusal.message.text(TR).strip(), f"the refusal {refusal.code} has no sentence"


def assert_is_unlisted(move: Any, legal: list[Any] | None) -> None:
    assert legal is None or move not in legal


@settings(max_examples=30, deadline=None, database=None)
@given(data=st.data())
def test_any_partial_move_has_steps_or_is_a_game_error(case: Case, data: st.DataObject) -> None:
    played: Played = data.draw(st.sampled_from(play_match(case)))
    try:
        choices = case.rules.steps(played.before, played.seat, data.draw(mix_words(case)))
    except GameError:
        return
    for choice in choices:
        if choice.complete:
            case.rules.parse(played.before, played.seat, choice.text)
        else:
            assert case.rules.steps(played.before, played.seat, choice.text)
