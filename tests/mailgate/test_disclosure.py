"""The time from which moderators may read a player's mail."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate.disclosure import may_read
from gemserver.matches import replay
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.models import Match, Move, Seat
from tests.builders import NOON, make_match, make_user, play
from tests.mailgate.letters import letter, receive, receive_at

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    players = [make_user(name) for name in ("ana", "ben")]
    return make_match(players=players, options={"pace": "sealed"}, server_part="1" * 64)


def seat_of(match: Match, index: int) -> Seat:
    return match.seats.select_related("user", "match").get(index=index)


def order(match: Match, index: int, text: str, number: int) -> None:
    user = seat_of(match, index).user
    assert isinstance(user, User)
    submit(Request(match.code, Actor.player(user), text, Move.Source.WEB, f"web:{number}"), now=NOON)


def play_default(match: Match) -> None:
    """Let the only seat that is asked make its default move."""
    rules, seat = match.rules, match.seats.get(is_waiting=True)
    state = replay.position(Match.objects.get(pk=match.pk))
    play(match, seat.index, rules.write(rules.default_move(state, seat.index)))


def again(row: InboundEmail) -> InboundEmail:
    return InboundEmail.objects.select_related("seat__match").get(pk=row.pk)


def test_an_order_by_mail_stays_closed_until_its_contest_has_resolved(match: Match) -> None:
    row = receive_at(
        seat_of(match, 0).reply_address,
        letter(seat_of(match, 0), "bid 3"),
        sender="ana@example.org",
        at=NOON,
    )
    assert row.results[0]["outcome"] == "done"
    assert not may_read(again(row))
    order(match, 1, "bid 1", 1)
    assert not may_read(again(row)), "the winner is still to pay"
    play_default(match)
    assert may_read(again(row))


def test_an_order_that_waited_to_be_read_counts_for_the_contest_that_it_is_for(match: Match) -> None:
    """Received during one contest, read during the next: it tells of the present one."""
    order(match, 0, "bid 1", 1)
    order(match, 1, "bid 2", 2)
    play_default(match)
    assert match.seats.filter(is_waiting=True).count() == 2
    early = NOON - timedelta(hours=1)
    seat = seat_of(match, 0)
    row = receive_at(seat.reply_address, letter(seat, "bid 3"), sender="ana@example.org", at=early)
    assert row.results[0]["outcome"] == "done"
    assert not may_read(again(row))


def test_a_mail_whose_move_was_taken_back_is_closed_again() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], server_part="1" * 64)
    first = match.seats.select_related("user", "match").get(is_waiting=True)
    row = receive(first, letter(first, "bid 1"))
    ply = row.results[0]["ply"]
    assert ply
    void_moves(match.pk, from_ply=1, why="A mistake.", now=NOON)
    assert not may_read(again(row))


def test_an_order_that_was_taken_back_is_closed_until_the_match_is_over(match: Match) -> None:
    """Its contest has been held again with another order; the bid that nobody has seen still tells of the hand."""
    seat = seat_of(match, 0)
    row = receive_at(seat.reply_address, letter(seat, "bid 3"), sender="ana@example.org", at=NOON)
    order(match, 1, "bid 1", 1)
    play_default(match)
    assert may_read(again(row))
    void_moves(match.pk, from_ply=1, why="A mistake.", now=NOON)
    assert not may_read(again(row))
    order(match, 0, "bid 1", 2)
    order(match, 1, "bid 2", 3)
    play_default(match)
    assert not may_read(again(row))
    adjudicate(match.pk, [0], "Enough.", now=NOON)
    assert may_read(again(row))


def test_a_pick_that_was_taken_back_face_down_is_closed_until_the_match_is_over() -> None:
    match = make_match("gemessengers", players=[make_user("ana"), make_user("ben")], server_part="1" * 64)
    seat = seat_of(match, 0)
    row = receive_at(seat.reply_address, letter(seat, pick(match, 0, -1)), sender="ana@example.org", at=NOON)
    assert row.results[0]["outcome"] == "done"
    void_moves(match.pk, from_ply=1, why="A mistake.", now=NOON)
    before = context(match)
    for index in (0, 1):
        order(match, index, pick(match, index, 0), index)
    while context(match) == before:
        seat = match.seats.filter(is_waiting=True).first()
        assert seat
        order(match, seat.index, pick(match, seat.index, 0), match.moves.count() + 10)
    assert not may_read(again(row))
    adjudicate(match.pk, [0], "Enough.", now=NOON)
    assert may_read(again(row))


def pick(match: Match, seat: int, number: int) -> str:
    """One of the moves that the seat may make."""
    state = replay.position(Match.objects.get(pk=match.pk))
    return match.rules.write(list(match.rules.legal_moves(state, seat))[number])


def context(match: Match) -> str | None:
    return match.rules.context(replay.position(Match.objects.get(pk=match.pk)))
