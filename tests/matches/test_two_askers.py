"""Two people with the same request id: neither reads the other's request, and none is swallowed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from itertools import permutations

import pytest

from gemserver.accounts.models import User
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.store_plan import store_plan
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.models import ChatMessage, Match, Move, SealedOrder, Seat, StoredPlan
from gemserver.matches.refusal import Refused
from tests.builders import NOON, asked, make_match, make_user

pytestmark = pytest.mark.django_db

KEY = "11111111-1111-1111-1111-111111111111"
HOUR = timedelta(hours=1)


@pytest.fixture
def sealed(players: list[User]) -> Match:
    return make_match(players=players, options={"pace": "sealed"}, server_part="1" * 64)


@pytest.fixture
def table(players: list[User]) -> Match:
    return make_match(players=players, server_part="1" * 64)


def send(
    match: Match,
    user: User,
    text: str,
    *,
    key: str = KEY,
    way: Move.Source = Move.Source.WEB,
    now: datetime = NOON + HOUR,
) -> Accepted:
    return submit(Request(match.code, Actor.player(user), text, way, key), now=now)


def code_of(refused: Callable[[], object]) -> str:
    with pytest.raises(Refused) as caught:
        refused()
    return caught.value.code


def player(match: Match, index: int) -> User:
    user = Seat.objects.select_related("user").get(match=match, index=index).user
    assert user
    return user


@pytest.mark.parametrize(("first", "second"), list(permutations(range(3), 2)))
def test_the_same_key_of_two_seats_lays_two_sealed_orders(sealed: Match, first: int, second: int) -> None:
    mine = send(sealed, player(sealed, first), "bid 3").order
    other = send(sealed, player(sealed, second), "bid 1")
    assert mine
    assert other.order
    assert not other.is_repeat
    assert (other.order.seat, other.order.text) == (second, "bid 1")
    again = send(sealed, player(sealed, first), "bid 3")
    assert (again.is_repeat, again.order) == (True, mine), "one's own repetition answers the earlier result"
    assert sealed.sealed_orders.count() == 2


def test_a_stranger_with_a_players_key_reads_no_sealed_order(sealed: Match) -> None:
    send(sealed, player(sealed, 0), "bid 3")
    stranger = make_user("eve")
    assert code_of(lambda: send(sealed, stranger, "bid 3")) == "not-seated"
    for index, text in ((1, "bid 1"), (2, "pass")):
        send(sealed, player(sealed, index), text, key="other")
    assert sealed.moves.exists(), "the contest is settled"
    assert code_of(lambda: send(sealed, stranger, "bid 3")) == "not-seated"
    assert send(sealed, player(sealed, 0), "bid 3").is_repeat, "also after the contest"


def test_the_same_key_of_the_next_seat_plays_its_move_in_the_open(table: Match) -> None:
    first = asked(table)
    assert first.user
    send(table, first.user, "bid 1")
    second = asked(table)
    assert second.user
    assert second.pk != first.pk
    played = send(table, second.user, "pass")
    assert not played.is_repeat
    assert (played.moves[0].seat, played.moves[0].text) == (second.index, "pass")
    assert send(table, first.user, "bid 1").moves[0].text == "bid 1"
    assert code_of(lambda: send(table, make_user("eve"), "bid 1")) == "not-seated"


def test_the_key_of_a_plan_is_worth_nothing_to_another_seat_or_a_stranger(table: Match) -> None:
    waiting = [seat for seat in table.seats.select_related("user") if not seat.is_waiting]
    one, two = (seat.user for seat in waiting)
    assert one
    assert two

    def keep(user: User, text: str) -> Accepted:
        return store_plan(table.pk, user, text, source=Move.Source.WEB, request_id=KEY, now=NOON)

    plan = keep(one, "bid 5").plan
    other = keep(two, "bid 1").plan
    assert plan
    assert other
    assert (other.user, other.lines) == (two, [["bid 1"]])
    assert keep(one, "bid 5").plan == plan
    eve = make_user("eve")
    assert code_of(lambda: keep(eve, "bid 5")) == "not-seated"
    assert code_of(lambda: send(table, eve, "bid 5")) == "not-seated", "by the door for moves neither"
    with pytest.raises(Refused) as caught:
        send(table, two, "frobnicate", key=KEY, way=Move.Source.MAIL)
    assert caught.value.code == "not-your-turn", "another way in is another request"


def test_sitter_and_holder_with_the_same_key_are_two_askers(sealed: Match) -> None:
    ana, sam = player(sealed, 0), make_user("sam")
    sitting = propose_sitting(sealed.pk, ana, "sam", NOON.date(), NOON.date() + timedelta(days=3), now=NOON)
    agree_to_sit(sitting.pk, sam, now=NOON)
    send(sealed, ana, "bid 3")
    theirs = send(sealed, sam, "bid 1")
    assert not theirs.is_repeat
    assert theirs.order
    assert (theirs.order.text, theirs.order.version) == ("bid 1", 2)
    assert send(sealed, sam, "bid 1").order == theirs.order
    own = send(sealed, ana, "bid 3").order
    assert own
    assert own.text == "bid 3"
    late = NOON + timedelta(days=30)
    assert code_of(lambda: send(sealed, sam, "bid 1", now=late)) == "not-seated", (
        "when the time is over, nothing is told"
    )


def test_a_seat_that_was_handed_over_knows_no_request_of_its_former_holder(sealed: Match) -> None:
    ana, dee = player(sealed, 0), make_user("dee")
    send(sealed, ana, "bid 3")
    reassign_seat(sealed.pk, 0, dee, why="Ana has gone.", now=NOON + HOUR)
    assert code_of(lambda: send(sealed, ana, "bid 3")) == "not-seated"
    new = send(sealed, dee, "bid 1")
    assert not new.is_repeat
    assert new.order
    assert new.order.text == "bid 1"


def test_what_was_taken_back_is_not_answered_with_moves_of_the_new_line(table: Match) -> None:
    first = asked(table)
    assert first.user
    move = send(table, first.user, "bid 1").moves[0]
    void_moves(table.pk, from_ply=1, why="A test.", now=NOON + HOUR)
    send(table, first.user, "bid 2", key="two")
    Move.objects.create(match=table, ply=2, seat=1, text="pass", source="auto", created_at=NOON, events=[])
    assert [row.pk for row in send(table, first.user, "bid 1").moves] == [move.pk]


def test_nobodys_words_are_swallowed_by_anothers_key(table: Match) -> None:
    ana, ben = player(table, 0), player(table, 1)
    for user, text in ((ana, "mine"), (ben, "yours"), (ana, "mine")):
        say(table.pk, user, text, KEY, now=NOON)
    say(table.pk, ana, "by mail", KEY, source=Move.Source.MAIL, now=NOON)
    assert list(ChatMessage.objects.order_by("pk").values_list("text", flat=True)) == [
        "mine",
        "yours",
        "by mail",
    ]
    assert code_of(lambda: say(table.pk, make_user("eve"), "mine", KEY, now=NOON)) == "not-seated"


def test_two_players_resign_with_the_same_key_and_each_resigns_once(table: Match) -> None:
    first = asked(table)
    assert first.user
    send(table, first.user, "bid 1")

    def give_up(user: User) -> Match:
        return resign(table.pk, user, source=Move.Source.WEB, request_id=KEY, now=NOON)

    assert code_of(lambda: give_up(make_user("eve"))) == "not-seated"
    give_up(player(table, 0))
    assert code_of(lambda: give_up(User.objects.get(username="eve"))) == "not-seated"
    gone = Move.objects.filter(match=table, text="resign").get()
    assert gone.actor
    give_up(gone.actor)
    assert Move.objects.filter(match=table, text="resign").count() == 1
    give_up(player(table, 1))
    assert Move.objects.filter(match=table, text="resign").count() == 2


def test_two_players_propose_the_same_holiday_at_the_same_instant(table: Match) -> None:
    first, last = date(2026, 3, 10), date(2026, 3, 12)
    mine = propose_holiday(table.pk, player(table, 0), first, last, now=NOON)
    assert propose_holiday(table.pk, player(table, 0), first, last, now=NOON) == mine
    other = player(table, 1)
    assert code_of(lambda: propose_holiday(table.pk, other, first, last, now=NOON)) == "open-proposal"


@pytest.mark.parametrize("key", ["x" * 5000, "a\0b", "ключ", "0:" + KEY, "~" + "0" * 39, "\ud800"])
def test_whatever_key_a_program_chooses_acts_once_and_is_its_own(sealed: Match, key: str) -> None:
    for index in (0, 1):
        accepted = send(sealed, player(sealed, index), "bid 1", key=key)
        assert not accepted.is_repeat
        assert send(sealed, player(sealed, index), "bid 1", key=key).is_repeat
    assert sealed.sealed_orders.count() == 2


def test_long_keys_that_begin_alike_are_two(table: Match) -> None:
    seat = next(seat for seat in table.seats.select_related("user") if not seat.is_waiting)
    assert seat.user
    for end in "ab":
        store_plan(
            table.pk,
            seat.user,
            f"bid {ord(end) % 5}",
            source=Move.Source.WEB,
            request_id="x" * 90 + end,
            now=NOON,
        )
    assert StoredPlan.objects.filter(match=table).count() == 2


def test_without_a_key_each_request_is_one_of_its_own(sealed: Match) -> None:
    for text in ("bid 1", "bid 2"):
        assert not send(sealed, player(sealed, 0), text, key="").is_repeat
    assert SealedOrder.objects.get(match=sealed, version=2).text == "bid 2"


def test_rows_from_before_are_in_nobodys_way(sealed: Match) -> None:
    """Their ids consisted of the account's or the mail's alone, and equal none of today's names."""
    ana, ben = player(sealed, 0), player(sealed, 1)
    first = send(sealed, ana, "bid 3", key="").order
    assert first
    for old in (f"web:{ana.pk}:{KEY}", "mail:5:0", "bot:1:1", "clock:1:1", KEY):
        SealedOrder.objects.filter(pk=first.pk).update(request_id=old)
        for way in (Move.Source.WEB, Move.Source.MAIL):
            answered = send(sealed, ben, "bid 1", key=old, way=way).order
            assert answered
            assert answered.seat == 1
    assert {order.request_id for order in sealed.sealed_orders.filter(seat=1)}.isdisjoint({old, KEY})
