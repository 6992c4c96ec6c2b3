"""Moves that a moderator took back and puts back: the match stands as it did, and everybody is told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.matches import codec, replay
from gemserver.matches.actions.play.play_bot import play_bot
from gemserver.matches.actions.play.restore_moves import can_restore, restore_moves
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play
from tests.logs import read_log

pytestmark = pytest.mark.django_db

DEAL = "1" * 64
HOUR = timedelta(hours=1)


@pytest.fixture
def match(players: list[User]) -> Match:
    """Three bids are made, the second and third are taken back two hours later."""
    match = make_match(players=players, server_part=DEAL)
    for number, text in enumerate(("bid 1", "bid 2", "bid 3")):
        play(match, asked(match).index, text, now=NOON + number * HOUR)
    return match


def fresh(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def void(match: Match, ply: int, hour: int = 5) -> None:
    void_moves(match.pk, from_ply=ply, why="A wrong card.", now=NOON + hour * HOUR)


def restore(match: Match, hour: int = 6) -> list[Move]:
    return restore_moves(match.pk, why="It was the right one.", now=NOON + hour * HOUR)


def stand(match: Match) -> list[tuple[int, int, str, str]]:
    moves = match.moves.filter(voided_at=None).order_by("ply")
    return list(moves.values_list("ply", "seat", "text", "source"))


def is_sound(match: Match) -> bool:
    """True if the position is the one that follows from the moves."""
    match = fresh(match)
    return codec.dump(list(replay.steps(match))[-1][1].state) == match.position


def clocks(match: Match) -> list[tuple[timedelta, int, bool]]:
    return list(match.seats.order_by("index").values_list("clock_left", "misses", "is_waiting"))


def turn_mails(seat: Seat) -> int:
    return OutboxMessage.objects.filter(user=seat.user, kind="turn").count()


def refusal(match: Match) -> str:
    with pytest.raises(Refused) as refused:
        restore(match)
    return refused.value.code


def test_the_match_stands_as_it_did(match: Match) -> None:
    before = fresh(match).position, stand(match), clocks(match)
    void(match, 2)
    assert fresh(match).ply == 1
    assert [move.ply for move in restore(match)] == [2, 3]
    assert (fresh(match).position, stand(match), clocks(match)) == before
    assert is_sound(match)
    state, seat = replay.position(fresh(match)), asked(match).index
    play(match, seat, match.rules.write(match.rules.default_move(state, seat)), now=NOON + 7 * HOUR)


def test_the_log_keeps_what_was_void_and_says_why(match: Match) -> None:
    void(match, 2)
    restore(match)
    told = read_log(fresh(match), None)
    plies = [f"{entry.ply}{'-' * entry.is_taken_back}" for entry in told if entry.seat is not None]
    assert plies == ["1", "2-", "3-", "2", "3"]
    lines = [line for entry in told for line in entry.sentences]
    assert "A moderator puts back what was taken back, up to move 3: It was the right one." in lines


def test_whoever_is_asked_is_mailed_the_turn_again_and_the_others_that_theirs_is_gone(match: Match) -> None:
    fourth = asked(match)
    void(match, 2)
    second = asked(match)
    assert second != fourth
    turns = turn_mails(fourth)
    restore(match)
    assert asked(match) == fourth
    assert turn_mails(fourth) == turns + 1
    told = OutboxMessage.objects.filter(kind="restored")
    others = match.seats.exclude(pk=fourth.pk)
    assert {row.user for row in told} == {seat.user for seat in others.select_related("user")}


def test_once_somebody_has_answered_they_are_not_put_back(match: Match) -> None:
    void(match, 2)
    assert can_restore(fresh(match))
    play(match, asked(match).index, "pass", now=NOON + 6 * HOUR)
    assert not can_restore(fresh(match))
    assert refusal(match) == "played-since"


def test_nothing_is_put_back_twice_and_nothing_that_was_never_taken_back(match: Match) -> None:
    assert not can_restore(fresh(match))
    assert refusal(match) == "nothing-to-restore"
    void(match, 2)
    restore(match)
    assert refusal(match) == "nothing-to-restore"
    void(match, 3, hour=7)
    restore(match, hour=8)
    assert [move[0] for move in stand(match)] == [1, 2, 3]


def test_restored_moves_are_taken_back_with_the_clocks_of_before(match: Match) -> None:
    void(match, 2)
    first = clocks(match)
    restore(match)
    void(match, 2, hour=7)
    assert clocks(match) == first


def test_what_bots_have_played_since_is_taken_back_in_its_turn() -> None:
    match = make_match(players=[make_user("ana")], bots=1, server_part=DEAL)
    while not match.seats.get(index=1).is_waiting:
        play(match, 0, "bid 0")
    assert play_bot(match.seats.get(index=1).pk)
    before = stand(match)
    ply = match.moves.get(source=Move.Source.BOT, voided_at=None).ply
    void(match, ply)
    assert play_bot(match.seats.get(index=1).pk)
    restore(match)
    assert stand(match) == before
    assert is_sound(match)


def test_sealed_orders_are_laid_again_and_settled_as_before() -> None:
    users = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(players=users, options={"pace": "sealed"}, server_part=DEAL)
    oya = replay.position(match).oya
    for step, text in enumerate(("bid 1", "bid 2", "pass")):
        seat = match.seats.select_related("user").get(index=(oya + step) % 3)
        assert seat.user
        request = Request(match.code, Actor.player(seat.user), text, Move.Source.WEB, f"{step}")
        submit(request, now=NOON)
    before = fresh(match).position, stand(match)
    void(match, 1)
    assert match.seats.filter(is_waiting=True).count() == 3
    restore(match)
    assert (fresh(match).position, stand(match)) == before
    assert match.sealed_orders.filter(voided_at=None).exclude(resolved_ply=None).count() == 3
    assert is_sound(match)


def test_an_order_laid_since_is_an_answer() -> None:
    users = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(players=users, options={"pace": "sealed"}, server_part=DEAL)
    oya = replay.position(match).oya
    for hour, step, text in ((0, 0, "bid 1"), (0, 1, "bid 2"), (0, 2, "pass"), (6, 0, "bid 3")):
        if hour:
            void(match, 1)
        seat = match.seats.select_related("user").get(index=(oya + step) % 3)
        assert seat.user
        request = Request(match.code, Actor.player(seat.user), text, Move.Source.WEB, f"{hour}.{step}")
        submit(request, now=NOON + hour * HOUR)
    assert refusal(match) == "played-since"


def test_picks_lie_face_down_again() -> None:
    match = make_match("gemessengers", players=[make_user("ana"), make_user("ben")], server_part=DEAL)

    def pick(index: int) -> None:
        state = replay.position(fresh(match))
        play(match, index, match.rules.write(match.rules.default_move(state, index)))

    pick(0)
    void(match, 1)
    restore(match)
    seen = fresh(match).rules.view(replay.position(fresh(match)), None)
    assert seen.has_picked == (True, False)
    pick(1)
    assert is_sound(match)
