"""Gemessengers in words: log, prompt, board."""

from __future__ import annotations

import gettext
import re
from dataclasses import replace

from games.contract import GameError, Seat
from games.gemessengers import words
from games.gemessengers.rules import RULES
from games.gemessengers.state import State
from games.match import Match
from tests.games.gemessengers.positions import deal, play, watch, with_workshops

TR = gettext.NullTranslations()
NAMES = ("Ana", "Bob", "Cy")
HANDS = ("A C D E R *S", "T T T T T *A", "E E E E E *C")


def draw(state: State, reader: Seat | None) -> str:
    return words.draw(RULES.view(state, reader), TR, NAMES[: len(state.hands)])


def ask(state: State, reader: Seat | None) -> str:
    return words.prompt(RULES.view(state, reader), TR, NAMES[: len(state.hands)])


def test_the_board_shows_the_own_hand_and_nobody_elses() -> None:
    state = deal(*HANDS)
    assert (
        "your hand: amethyst (A), citrine (C), diamond (D), emerald (E), ruby\n      (R), sapphire"
        in draw(state, 0)
    )
    assert "topaz" not in draw(state, 0)
    assert "your hand" not in draw(state, None)


def test_rows_say_where_they_may_lie() -> None:
    state = with_workshops(deal(*HANDS), "A / C C", "D", "E / E / E E")
    board = draw(state, None)
    assert "row 1 (headstone or decoration, not settled): amethyst" in board
    assert "row 2 (decoration or base, not settled): citrine, citrine" in board
    assert "row 1 (headstone or decoration or base, not settled): diamond" in board
    assert "row 3 (base): emerald, emerald" in board


def test_the_guild_is_told_in_words() -> None:
    state = replace(deal(*HANDS), guild=(("R", "C"), (), ("S", "D", "T")), tokens=(1, 3, 0))
    board = draw(state, None)
    assert "headstone: ruby, citrine, worth 3 each here; 1 token left" in board
    assert "decoration: no proclamation; 3 tokens left" in board
    assert "base (full): sapphire, diamond, topaz, worth 2 each here; 0 tokens\n" in board


def test_revealed_picks_stand_on_the_board_for_one_turn() -> None:
    state = play(deal(*HANDS), "A play ruby", "B proclaim amethyst base headstone", "C play emerald")
    board = draw(state, None)
    assert "Ana (A): ruby as the first gem" in board
    assert "Bob (B): amethyst proclamation to base, else headstone" in board


def test_what_was_passed_on_is_told() -> None:
    state = play(deal(*HANDS), "A play ruby", "B play topaz", "C play emerald")
    assert "6 cards, of which you have passed on: 4 topazes (T T T T), amethyst\n" in draw(state, 1)


def test_a_seat_is_asked_with_its_hand_and_with_examples() -> None:
    state = deal(*HANDS)
    prompt = ask(state, 0)
    assert "To play, write:  play ruby" in prompt
    assert "To play, write:  proclaim sapphire headstone" in prompt
    state = with_workshops(state, "A / C C", "", "")
    assert "A gem can go: row 1 (beside amethyst), row 2 (beside citrine, citrine)," in ask(state, 0)


def test_who_has_picked_is_reminded_of_it_and_may_change_it() -> None:
    state = play(deal(*HANDS), "A play ruby")
    prompt = " ".join(ask(state, 0).split())
    assert "Your pick lies sealed: ruby as the first gem." in prompt
    assert "Waiting for: Bob (B), Cy (C)." in prompt
    assert "ruby" not in ask(state, 1)
    assert "has picked" in draw(state, 1)


def test_a_finished_seat_is_told_that_it_rests() -> None:
    state = with_workshops(deal(*HANDS), "A / C C / A A A", "", "")
    assert "Your circlet is finished" in ask(state, 0)
    assert "Waiting for a pick of: Bob (B), Cy (C)." in ask(state, None)


def test_the_end_names_the_winners() -> None:
    state = replace(deal(*HANDS), results=((9, 9, 8), (7, 7, 7), (6, 6, 6)))
    assert ask(state, 2) == "The match is over. Ana and Bob share the victory with 22 points."
    state = replace(state, results=((9, 9, 8), (7, 7, 7), (6, 7, 6)))
    assert ask(state, 2) == "The match is over. Bob wins with 23 points."


def test_the_log_of_a_turn() -> None:
    state = with_workshops(deal(*HANDS), "A / C C / A A", "", "E E")
    state = play(state, "A play ruby row 3", "B proclaim amethyst base")
    _, events = watch(state, "C play emerald row 1")
    assert [words.describe(event, TR, NAMES) for event in events] == [
        "Cy has picked.",
        "Ana places ruby in row 3.",
        "Ana has finished the circlet.",
        "Cy places emerald in row 1.",
        "Cy's rows are settled: base.",
        "Bob proclaims amethyst at the base and takes a token.",
        "Round 1, turn 2 begins.",
    ]


def test_a_row_is_read_by_its_name_where_the_prompt_says_so() -> None:
    match = Match.new("gemessengers", players=["Ana", "Bob", "Cy"], seed="00" * 32)
    read = 0
    while not match.is_over and match.ply < 120:
        seat = match.waiting[0]
        said = " ".join(words.prompt(match.game.rules.view(match.state, seat), TR, match.players).split())
        gem = re.search(r"write: play (\w+) row", said)
        names = ["headstone", "decoration", "base"]
        refused = [name for name in names if gem and not _is_read(match, seat, f"play {gem[1]} {name}")]
        if gem and "is read too" in said:
            assert len(refused) < 3
            read += 1
        elif gem:
            assert refused == names
        match.play_bot("easy")
    assert read


def _is_read(match: Match, seat: int, text: str) -> bool:
    try:
        match.game.rules.parse(match.state, seat, text)
    except GameError:
        return False
    return True
