"""Moderators' actions on clocks and seats, as the table notices them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, end_sitting, propose_sitting
from gemserver.matches.actions.seats.hand_over import reassign_seat, take_seat
from gemserver.matches.actions.time.extend_clock import extend_clock
from gemserver.matches.log.notices import sentence
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from gemserver.operating import retention
from tests.builders import NOON, make_match, make_user, play

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user(name) for name in ("ana", "ben", "cy")])


@pytest.fixture
def asked(match: Match) -> Seat:
    return match.seats.get(is_waiting=True)


def log_of(match: Match) -> list[str]:
    return [sentence(notice, ["ana", "ben", "cy"]) for notice in match.notices.all()]


def test_more_time_moves_the_deadline_and_is_told(match: Match, asked: Seat) -> None:
    before = asked.due_at
    assert before is not None
    seat = extend_clock(match.pk, asked.index, 5, "the post was late", now=NOON + HOUR)
    assert seat.due_at == before + 5 * HOUR
    assert log_of(match) == [f"A moderator gives {asked.name} more time (hours: 5): the post was late."]


def test_who_is_overdue_gets_the_whole_of_it_from_now_on(match: Match, asked: Seat) -> None:
    assert asked.due_at is not None
    late = asked.due_at + 30 * HOUR
    assert extend_clock(match.pk, asked.index, 5, "ill", now=late).due_at == late + 5 * HOUR


def test_a_clock_that_stands_is_filled_up_for_the_next_turn(match: Match, asked: Seat) -> None:
    other = match.seats.exclude(pk=asked.pk).first()
    assert other is not None
    assert extend_clock(match.pk, other.index, 2, "a present", now=NOON).clock_left == timedelta(
        days=3, hours=2
    )


@pytest.mark.parametrize("hours", [0, -3, 24 * 61])
def test_odd_spans_are_refused(match: Match, asked: Seat, hours: int) -> None:
    with pytest.raises(Refused, match="bad-span"):
        extend_clock(match.pk, asked.index, hours, "why", now=NOON)


def test_bots_have_no_clock(asked: Seat) -> None:
    match = make_match(players=[make_user("dee")], bots=2)
    bot = match.seats.exclude(bot="").first()
    assert bot is not None
    with pytest.raises(Refused, match="no-player"):
        extend_clock(match.pk, bot.index, 5, "why", now=NOON)


def test_a_seat_given_to_somebody_else_is_told_to_all_and_works(match: Match, asked: Seat) -> None:
    old_token, eve = asked.token, make_user("eve")
    seat = reassign_seat(match.pk, asked.index, eve, "ana asked for it", now=NOON + HOUR)
    assert (seat.user, seat.bot) == (eve, "")
    assert seat.token != old_token
    assert seat.due_at == NOON + HOUR + timedelta(days=3)
    told = OutboxMessage.objects.filter(created_at=NOON + HOUR).values_list("kind", "user__username")
    assert set(told) == {("replaced", asked.name), ("seat-given", "eve"), ("turn", "eve")}
    assert log_of(match)[-1].endswith(": ana asked for it.")
    match.refresh_from_db()
    assert play(match, seat.index, "bid 0", now=NOON + 2 * HOUR).moves[0].actor == eve


def test_nobody_gets_a_second_seat(match: Match, asked: Seat) -> None:
    other = match.seats.exclude(pk=asked.pk).first()
    assert other is not None
    with pytest.raises(Refused, match="already-seated"):
        reassign_seat(match.pk, asked.index, other.user, "why", now=NOON)


def knows_of(match: Match, other: Seat, way: str) -> User:
    """Somebody without a seat who knows the hand of the other seat."""
    assert other.user is not None
    if way == "sat there":
        eve = make_user("eve")
        sitting = propose_sitting(match.pk, other.user, "eve", NOON.date(), NOON.date(), now=NOON)
        agree_to_sit(sitting.pk, eve, now=NOON)
        end_sitting(sitting.pk, other.user, now=NOON + HOUR)
        return eve
    if way == "played there":
        play(match, other.index, "bid 0", now=NOON)
    reassign_seat(match.pk, other.index, None, "gone", now=NOON, is_open=True)
    return other.user


@pytest.mark.parametrize("way", ["sat there", "played there", "held it"])
def test_nobody_gets_a_seat_who_knows_another_hand(match: Match, asked: Seat, way: str) -> None:
    knows = knows_of(match, asked, way)
    retention.forget(NOON + timedelta(days=60))
    third = match.seats.exclude(pk=asked.pk).first()
    assert third is not None
    with pytest.raises(Refused, match="has-seen") as refused:
        reassign_seat(match.pk, third.index, knows, "why", now=NOON + 2 * HOUR)
    assert refused.value.text().startswith(f"{knows.username} has held, played or sat in another seat of")
    unchanged = Seat.objects.select_related("user").get(pk=third.pk)
    assert unchanged.user == third.user
    Seat.objects.filter(pk=third.pk).update(user=None, bot=Seat.Bot.NORMAL, is_open=True)
    with pytest.raises(Refused, match="has-seen"):
        take_seat(match.pk, third.index, knows, now=NOON + 2 * HOUR)


def test_who_has_left_a_seat_may_have_it_back(match: Match, asked: Seat) -> None:
    ana = asked.user
    assert ana is not None
    reassign_seat(match.pk, asked.index, make_user("eve"), "she is ill", now=NOON)
    assert reassign_seat(match.pk, asked.index, ana, "she is well", now=NOON + HOUR).user == ana


def test_an_opened_seat_can_be_taken_and_a_bots_cannot(match: Match, asked: Seat) -> None:
    reassign_seat(match.pk, asked.index, None, "gone", now=NOON, is_open=True)
    eve = make_user("eve")
    assert take_seat(match.pk, asked.index, eve, now=NOON).user == eve
    assert set(OutboxMessage.objects.filter(user=eve).values_list("kind", flat=True)) == {
        "seat-given",
        "turn",
    }
    seat = reassign_seat(match.pk, asked.index, None, "gone again", now=NOON)
    assert (seat.bot, seat.is_open) == ("normal", False)
    with pytest.raises(Refused, match="not-open-seat"):
        take_seat(match.pk, asked.index, make_user("fay"), now=NOON)
    with pytest.raises(Refused, match="bot-already"):
        reassign_seat(match.pk, asked.index, None, "once more", now=NOON)
