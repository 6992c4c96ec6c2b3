"""A match at the keyboard: typed and shown lines are lists."""

from __future__ import annotations

import re

import pytest

from games.record import read_record
from games.record_headers import read_options
from games.registry import OWN, game
from games.replay import replay
from games.terminal import playing
from tests.games.terminal.keyboard import type_lines


def sit(
    *typed: str, seats: int = 2, people: int = 1, seed: str = "ab" * 32, language: str = "en"
) -> tuple[list[str], playing.Sitting]:
    console, shown = type_lines(game("gem"), *typed, language=language)
    sitting = playing.sit_down(
        console, seats=seats, people=people, level="random", seed=seed, options={"pace": "table"}
    )
    playing.play_sitting(sitting)
    return shown, sitting


def test_a_person_plays_against_bots_and_the_record_replays() -> None:
    shown, sitting = sit("bid 1", "quit")
    assert "You bid 1." in shown
    assert replay(read_record(shown[-1])).refusal is None
    assert sitting.match.lines[0].text == "bid 1"


def test_a_refused_move_is_explained_and_asked_again() -> None:
    shown, sitting = sit("bid 99", "fly", "bid 0")
    assert any("99 is more than you can pay" in text for text in shown)
    assert any("not understood" in text for text in shown)
    assert sitting.match.lines[0].text == "bid 0"


def test_a_move_is_built_from_menus() -> None:
    shown, sitting = sit("", "3", "quit")
    assert "    3  Bid 2" in shown
    assert sitting.match.lines[0].text == "bid 2"


def test_a_menu_can_be_left() -> None:
    _, sitting = sit("", "", "", "99", "bid 4", "quit")
    assert sitting.match.lines[0].text == "bid 4"


@pytest.mark.slow
def test_commands_at_the_keyboard() -> None:
    shown, sitting = sit("help", "moves", "board", "log", "hint", "undo", "bid 0", "undo", "quit")
    text = "\n".join(shown)
    for expected in (
        "Words may be shortened",
        "  bid 6",
        "There is nothing to take back yet",
        "is taken back",
    ):
        assert expected in text
    assert re.search(
        r"A computer player would write: bid \d+\nIt expects \d+ of 100 from it; from others: bid \d+ \d+, ",
        text,
    )
    assert sitting.match.lines == []


def test_the_rules_can_be_read_at_the_keyboard() -> None:
    shown, _ = sit("rules", "quit")
    assert any(text.startswith("# GEM") and "three coins, worth 1, 2 and 3" in text for text in shown)
    assert "rules" in playing.HELP.template


def test_no_line_of_a_match_at_the_keyboard_is_wider_than_the_others() -> None:
    """Sentences of the log are wrapped as boards and prompts are; records keep their hashes whole."""
    for slug in OWN:
        entry = game(slug)
        seats = entry.rules.meta.max_seats
        for language in ("en", "fr", "de"):
            console, shown = type_lines(entry, language=language)
            options = read_options(entry.rules.meta, "", seats)
            sitting = playing.sit_down(
                console, seats=seats, people=0, level="random", seed="ab" * 32, options=options
            )
            playing.play_sitting(sitting)
            assert [line for text in shown[:-1] for line in text.splitlines() if len(line) > 72] == []


def test_resigning_ends_a_match_of_two() -> None:
    shown, _ = sit("resign", "no", "resign", "yes")
    assert any("wins, for the other has resigned" in text for text in shown)
    record = read_record(shown[-1])
    assert record.ending == "resigned"
    assert replay(record).refusal is None


def test_after_a_resignation_bots_finish_a_larger_match() -> None:
    shown, sitting = sit("resign", "yes", seats=3, seed="cd" * 32)
    record = read_record(shown[-1])
    assert record.ending == "played out"
    assert replay(record).refusal is None
    assert sitting.match.is_over


def test_bots_alone_play_a_whole_match() -> None:
    shown, _ = sit(people=0, seats=4)
    played = replay(read_record(shown[-1]))
    assert (played.refusal, played.ended) == (None, True)
    assert any("The match is over: " in text for text in shown)


def test_two_people_share_a_keyboard() -> None:
    shown, _ = sit("", "bid 0", "", "pass", "quit", people=2)
    assert any("Press Enter when you sit at the keyboard" in text for text in shown)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "de",
            (
                "GEM, von Chris Handy. Mit help kommt jederzeit Hilfe.",
                "das Brett noch einmal zeigen",
                "Es gibt noch nichts zurückzunehmen.",
                "Du bietest 1.",
                "Du hast den Tisch verlassen.",
            ),
        ),
        (
            "fr",
            (
                "GEM, de Chris Handy. Tapez help à tout moment.",
                "montrer le plateau à nouveau",
                "Il n’y a encore rien à reprendre.",
                "Vous misez 1.",
                "Vous avez quitté la table.",
            ),
        ),
    ],
)
def test_a_match_is_played_in_the_readers_language(language: str, sentences: tuple[str, ...]) -> None:
    shown, sitting = sit("help", "undo", "bid 99", "bid 1", "log", "quit", language=language)
    said = "\n".join(shown[:-1])
    for sentence in sentences:
        assert sentence in said
    for english in ("You ", "Your ", " is ", "the ", "Open cards", "Waiting"):
        assert english not in said
    assert replay(read_record(shown[-1])).refusal is None
    assert sitting.match.lines[0].text == "bid 1"
