"""Help, rules and the like, asked for in plain words; and what must never be taken for a command."""

from __future__ import annotations

import pytest

from gemserver.lib import clock
from gemserver.mailgate.lines.short_words import read_command
from gemserver.matches.models import Match, Seat
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.mailgate.test_ordinary_mail import sentences
from tests.mailgate.test_tutorial_mails import reply
from tests.puzzles.puzzles import pose

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    players = [make_user("ana"), make_user("ben")]
    return make_match("florentine", players=players, server_part="22" * 32, now=clock.now())


@pytest.fixture
def seat(match: Match) -> Seat:
    """The one that has the turn."""
    return match.seats.select_related("user", "match").get(is_waiting=True)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("Help me!", "help"),
        ("Hilfe", "help"),
        ("aide, svp", "help"),
        ("Regeln bitte", "rules"),
        ("Wie geht das Spiel?", "rules"),
        ("How do I play?", "rules"),
        ("Comment joue-t-on ?", "rules"),
        ("my games", "games"),
        ("What is my rating?", "ratings"),
    ],
)
def test_plain_words_are_answered_in_a_match(line: str, command: str, seat: Seat) -> None:
    row = receive(seat, letter(seat, f"Hi,\n\n{line}\n\nAna"))
    assert [result["line"] for result in row.results if result["outcome"] != "unread"] == [command]
    assert row.state == "done"


@pytest.mark.parametrize(
    "line",
    [
        *("I resign", "I give up!", "Ich gebe auf.", "J'abandonne la partie"),
        *("I want to quit this match", "Ich gebe die Partie verloren", "J'abandonne, bien joué"),
    ],
)
def test_who_gives_up_in_words_is_asked_for_the_code_first(line: str, seat: Seat) -> None:
    receive(seat, letter(seat, line))
    assert "You have NOT resigned yet" in one_line(sent_to(seat.user)[-1])
    seat.match.refresh_from_db()
    assert seat.match.is_running


def test_no_more_mails_ends_them() -> None:
    ana = make_user("ana")
    assert codes(write(ana, "Please no more mails, thanks")) == ["done"]
    ana.refresh_from_db()
    assert ana.mail_mode == "off"


@pytest.mark.parametrize(
    "body",
    [
        "I give up on the ruby",
        "Should I resign?",
        "I resign, or not?",
        "Do you give up?",
        "I think that\nI give up",
        "What a day.\n\nNo more mails\n\nfrom the shop, I hope.",
        "I resign\n\nat least I thought about it",
    ],
)
def test_talk_of_giving_up_does_nothing(body: str, seat: Seat) -> None:
    row = receive(seat, letter(seat, body))
    assert {result["outcome"] for result in row.results} == {"unread"}
    seat.user.refresh_from_db()
    assert seat.user.mail_mode != "off"


def test_a_move_in_these_words_is_the_move() -> None:
    """In an auction of GEM *j'abandonne* passes, which whoever opens it cannot."""
    match = make_match(players=[make_user("ana"), make_user("ben")], server_part="22" * 32, now=clock.now())
    seat = match.seats.select_related("user", "match").get(is_waiting=True)
    assert codes(receive(seat, letter(seat, "j'abandonne"))) == ["oya-must-bid"]


def test_the_refusal_of_an_unread_line_names_help_and_rules(seat: Seat) -> None:
    receive(seat, letter(seat, "was nun"))
    assert "Answer with the word “help”" in one_line(sent_to(seat.user)[-1])
    assert "Answer with the word “help”" in str(sent_to(seat.user)[-1].alternatives[0][0])


def test_who_asks_for_help_in_a_puzzle_gets_it() -> None:
    pose()
    ana = make_user("ana")
    write(ana, "puzzle")
    assert [result["line"] for result in reply(ana, sent_to(ana)[-1], "Hilfe").results] == ["help"]


@pytest.mark.slow
def test_no_sentence_of_ordinary_mail_is_a_command_in_plain_words() -> None:
    assert [text for _, text in sentences() if read_command(text)] == []
