"""Moves and commands that the lines around them take back, deny or ask about, and what is cut off."""

from __future__ import annotations

import pytest

from gemserver.lib import clock
from gemserver.matches.models import ChatMessage, Match, Seat
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.mailgate.phrasing_sets import ask_ana, play_by_mail

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    """Ana, Ben and Cy at GEM, just started; the Oya, whoever it is, has the turn."""
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")], now=clock.now())


@pytest.mark.parametrize("text", ["No wait, 4.", "Is that ok?", "Forget it, I think about it."])
def test_a_text_that_takes_its_subject_back_is_heard(match: Match, seat: Seat, text: str) -> None:
    receive(seat, letter(seat, text, Subject="bid 1"))
    assert match.moves.count() == 0


def test_stop_in_a_subject_above_a_text_ends_no_mails(match: Match, seat: Seat) -> None:
    assert seat.user is not None
    receive(seat, letter(seat, "Please call me", Subject="stop"))
    seat.user.refresh_from_db()
    assert seat.user.mail_mode != "off"


@pytest.mark.parametrize(
    "below",
    [
        "actually bid 2",
        "Sorry, bid 2",
        "EDIT: bid 2",
        "better: bid 2",
        "Entschuldigung, bid 2",
        "PS: actually 2",
        "or pass",
        "plutôt passe",
    ],
)
def test_a_second_thought_below_a_move_takes_it_back(match: Match, seat: Seat, below: str) -> None:
    receive(seat, letter(seat, f"bid 1\n\n{below}"))
    assert [move.text for move in match.moves.all()] in ([], ["bid 2"])


@pytest.mark.parametrize(
    "below", ["Actually I like this game!", "Sorry for the delay.", "Better late than never."]
)
def test_a_remark_that_begins_like_a_second_thought_is_none(match: Match, seat: Seat, below: str) -> None:
    receive(seat, letter(seat, f"bid 1\n\n{below}"))
    assert match.moves.get().text == "bid 1"


@pytest.mark.parametrize(
    ("game", "position", "text", "move"),
    [
        ("gem", "bid", "I bid 3, no hang on, 4", "bid 4"),
        ("gem", "bid", "4, äh nein, lieber 3", "bid 3"),
        ("gem", "fivehx", "7, ah non 8 plutôt", "bid 8"),
        ("gemessengers", "later", "sapphire in row 1, or wait, row 2", "play sapphire row 2"),
        ("gemessengers", "later", "saphir en rangée 1, ah non, rangée 2", "play sapphire row 2"),
        ("gembatan", "fivewp", "Tausche BYBY ein, nein halt, lieber RBRB", "trade tiles RBRB"),
        ("jewellers", "sixwp", "R5... nein, lieber E4", "silver E4"),
    ],
)
def test_a_move_that_its_line_puts_in_the_place_of_another_is_played(
    game: str, position: str, text: str, move: str
) -> None:
    assert play_by_mail(ask_ana(game, position), text) == [move]


@pytest.mark.parametrize(
    ("game", "position", "text"),
    [
        ("gem", "bid", "bid 3, no wait, maybe 4"),
        ("gem", "bid", "bid 3, no wait, is 4 ok?"),
        ("gem", "bid", "I have 2 rubies, no, 3"),
        ("gembatan", "fivewp", "trade YP and GO, no wait, GP"),
        ("jewellers", "onewp", "2 and 3, no wait, 4"),
    ],
)
def test_a_correction_that_leaves_a_doubt_plays_nothing(game: str, position: str, text: str) -> None:
    assert play_by_mail(ask_ana(game, position), text) == []


@pytest.mark.parametrize(
    "above", ["Don't", "I won't:", "Should I", "Can I do this:", "I wrote", "Soll ich", "J'ai écrit"]
)
def test_a_line_above_that_denies_a_move_or_asks_about_it_is_heard(
    match: Match, seat: Seat, above: str
) -> None:
    receive(seat, letter(seat, f"{above}\n\nbid 1"))
    assert match.moves.count() == 0


@pytest.mark.parametrize("text", ["STOP!", "Stop please", "please stop", "Stop\n\nBen", "stop."])
def test_stop_unsubscribes_however_politely(match: Match, seat: Seat, text: str) -> None:
    assert seat.user is not None
    receive(seat, letter(seat, text))
    seat.user.refresh_from_db()
    assert seat.user.mail_mode == "off"


@pytest.mark.parametrize("text", ["Stop?", "Stop bidding so high", "stop it", "Don't stop"])
def test_a_sentence_about_stopping_ends_no_mails(match: Match, seat: Seat, text: str) -> None:
    assert seat.user is not None
    receive(seat, letter(seat, text))
    seat.user.refresh_from_db()
    assert seat.user.mail_mode != "off"


def test_talk_on_a_line_that_is_too_long_is_refused_and_not_cut(match: Match, seat: Seat) -> None:
    row = receive(seat, letter(seat, f"say {'word ' * 500}"))
    assert (row.state, row.code) == ("refused", "nothing-read")
    assert row.results[0]["code"] == "too-long"
    assert ChatMessage.objects.count() == 0
