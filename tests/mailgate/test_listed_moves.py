"""Replies that name a move by its place in the list of the mail: *the third one on your list*, *option 2*."""

from __future__ import annotations

import pytest
from django.core import mail

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.models import Match, Move
from gemserver.notify import delivery
from tests.builders import play
from tests.mailgate.letters import letter, receive
from tests.mailgate.phrasing_sets import Asked, answer, ask_ana, play_by_mail

pytestmark = pytest.mark.django_db

LISTED = ["place rrbb a3 S", "place rrob b5 E", "place rrog f2 E"]
"""The first moves that the text of the mail lists; its page shows three others as buttons."""


@pytest.fixture
def asked() -> Asked:
    """Ana has 35 moves, of which the text lists twelve."""
    return ask_ana("florentine", "oneq")


def reply_without_quote(asked: Asked, text: str) -> InboundEmail:
    return receive(asked.seat, letter(asked.seat, text, In_Reply_To=asked.mail.extra_headers["Message-ID"]))


def moves_of(asked: Asked) -> list[str]:
    found = Move.objects.filter(match=asked.seat.match_id, source=Move.Source.MAIL)
    return [*found.values_list("text", flat=True)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("The third one on your list", 2),
        ("I'll take the second suggestion, please.\n\nAna", 1),
        ("Hi Ben,\noption 1\ncheers", 0),
        ("ich nehme den 3. Vorschlag", 2),
        ("Nr. 2", 1),
        ("Nr. 2 bitte", 1),
        ("option #2", 1),
        ("Vorschlag #3", 2),
        ("la première proposition, merci", 0),
        ("Le coup numéro 3 de votre liste", 2),
        ("Option 2, it closes a room.", 1),
    ],
)
def test_a_place_in_the_list_that_the_reply_quotes_is_a_move(asked: Asked, text: str, place: int) -> None:
    assert play_by_mail(asked, text) == [LISTED[place]]


def test_the_last_one_is_the_last_that_is_listed(asked: Asked) -> None:
    assert play_by_mail(asked, "the last one on your list") == ["place roob e1 E"]
    assert play_by_mail(asked, "den vorletzten Vorschlag bitte") == ["place rogo c7 W"]


@pytest.mark.parametrize(
    "text",
    [
        "the third one",
        "option 40",
        "option #40",
        "not option #2",
        "the second option #3",
        "option 2, is that okay",
        "option 2 or 3",
        "Is it option 2?",
        "the second option is bad",
        "not option 2",
        "I would have taken option 2",
        "Ben, take option 2",
        "option 2, no wait",
        "option 2\nNo wait, rrob.",
        "I am last on your list",
        "option 2, rrbb a3",
        "Thanks for waiting, I was away and thought of\noption 2",
    ],
)
def test_what_may_mean_something_else_plays_nothing(asked: Asked, text: str) -> None:
    assert play_by_mail(asked, text) == []


def test_what_may_be_a_piece_is_offered(asked: Asked) -> None:
    assert answer(asked, "the third one").results[0]["candidates"] == [LISTED[2]]


def test_the_second_one_is_played_where_the_list_has_each_piece_once() -> None:
    """The mail lists one way to take each of the three open cards, in their order."""
    assert play_by_mail(ask_ana("gem", "sixhx"), "the second one") == ["take D2 pay 1 2 3"]


def test_a_place_in_two_lists_is_offered_from_both(asked: Asked) -> None:
    """Without a quote nobody knows whether Ana looked at the text of the mail or at its page."""
    row = reply_without_quote(asked, "the first one on your list")
    assert len(row.results[0]["candidates"]) == 2
    assert LISTED[0] in row.results[0]["candidates"]
    assert moves_of(asked) == []


def test_a_place_that_one_list_alone_has_needs_no_quote(asked: Asked) -> None:
    reply_without_quote(asked, "number 12 please")
    assert moves_of(asked) == ["place roob e1 E"]


def test_a_number_that_may_be_one_of_a_move_is_no_place() -> None:
    asked = ask_ana("jewellers", "oneq")
    assert play_by_mail(asked, "number 3") == []
    assert play_by_mail(asked, "Vorschlag 3") == ["bid 4"]


def test_an_older_list_plays_nothing() -> None:
    asked = ask_ana("jewellers", "twoq")
    play(asked.seat.match, asked.seat.index, "bid 5", now=clock.now())
    match = Match.objects.get(pk=asked.seat.match_id)
    while not match.seats.get(index=asked.seat.index).is_waiting:
        seat = match.seats.get(is_waiting=True)
        play(match, seat.index, first_move(match, seat.index), now=clock.now())
        match = Match.objects.get(pk=match.pk)
    row = answer(asked, "the third one on your list")
    assert row.results[0]["outcome"] != "done"
    assert moves_of(asked) == []


def first_move(match: Match, seat: int) -> str:
    return match.rules.write(next(iter(match.rules.legal_moves(replay.position(match), seat))))


def test_a_number_alone_may_be_that_of_a_turn(asked: Asked) -> None:
    assert play_by_mail(asked, "#2") == []
    assert play_by_mail(asked, f"option 2 #{asked.seat.prompt_ply}") == []


def test_what_others_lay_face_down_makes_no_list_older() -> None:
    """Ana is asked at once with two who have picked since then."""
    asked = ask_ana("gemessengers", "twoaa")
    assert asked.seat.match.ply >= asked.seat.prompt_ply  # type: ignore[operator]
    assert play_by_mail(asked, "option 2") == ["play diamond row 2"]
    assert play_by_mail(asked, "{code}: option 2") == ["play diamond row 2"]


def test_what_a_receipt_offers_is_a_list_too() -> None:
    """*Option 2* in reply to *Did you mean* is offered with what else it may be, and not played."""
    asked = ask_ana("gem", "fourq")
    offered = answer(asked, "Je prends les rubis").results[0]["candidates"]
    assert {*offered} == {"take RR pay 3", "take RR pay 1 2"}
    delivery.send_queued()
    receipt = mail.outbox[-1]
    row = receive(asked.seat, letter(asked.seat, "option 2", answering=receipt))
    assert moves_of(asked) == []
    assert offered[1] in row.results[0]["candidates"]
