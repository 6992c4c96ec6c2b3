"""The end of a sitting: the player's return, the end of the period, a seat that changes hands."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import pytest
from django.core.mail import EmailMultiAlternatives
from django.test import Client

from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.inbox.erasure import erase
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.addresses import find_recipient
from gemserver.matches.actions.people.snooze import snooze
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, end_sitting, propose_sitting
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.actions.time.remind_seat import remind_seat
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user
from tests.mailgate.letters import letter, receive_at
from tests.mailgate.posting import account_address, codes
from tests.matches.sitters.sitting import (
    DAY,
    HOUR,
    MONDAY,
    SUNDAY,
    TODAY,
    log_of,
    mails_to,
    play_as,
    sit,
    write,
)
from tests.matches.sweeping import sweep
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


def test_on_return_the_address_is_dead_and_the_sitter_is_told(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva)
    assert find_recipient(sitting.reply_address, NOON)
    mails_to(eva)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    assert find_recipient(sitting.reply_address, NOON + HOUR) is None
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, sitting.seat, "bid 1", NOON + HOUR)
    monkeypatch.setattr(clock, "now", lambda: NOON + HOUR)
    (told,) = mails_to(eva)
    assert "You do not play for" in told.body
    assert write(sitting, "bid 1", at=NOON + 2 * HOUR).state == "dropped"
    assert "Your move" not in read(signed_in(eva).get(match.get_absolute_url())).text


def test_a_mail_counts_by_its_receipt_even_if_the_sitting_ends_before_it_is_read(
    match: Match, eva: User
) -> None:
    sitting = sit(match, eva)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    assert write(sitting, "bid 1", at=NOON + HOUR - timedelta(seconds=1)).results[0]["outcome"] == "done"


def test_it_ends_with_its_period_and_the_player_is_asked(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva)
    mails_to(sitting.player)
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, sitting.seat, "bid 1", MONDAY)
    for _ in range(3):
        sweep(monkeypatch, MONDAY)
    sitting.refresh_from_db()
    assert sitting.ended_at == MONDAY
    told = [told for told in mails_to(sitting.player) if "yourself again" in told.body]
    assert len(told) == 1
    assert "Your move is due" in told[0].body
    assert told[0].reply_to == [sitting.seat.reply_address]


def test_it_begins_when_its_time_has_come(match: Match, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(match, eva, first=SUNDAY)
    assert not OutboxMessage.objects.filter(kind="turn", user=eva).exists()
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, sitting.seat, "bid 1", NOON)
    begins = datetime(2026, 3, 8, tzinfo=NOON.tzinfo)
    sweep(monkeypatch, begins - timedelta(seconds=1))
    assert "eva" not in log_of(match)
    for _ in range(3):
        sweep(monkeypatch, begins)
    assert OutboxMessage.objects.filter(kind="turn", user=eva).count() == 1
    assert log_of(match).count("eva plays for") == 1


def words(letter: EmailMultiAlternatives) -> str:
    return " ".join(str(letter.body).split())


def names(text: str, name: str) -> bool:
    """True if the name stands in the text as a word; three letters of a picture in base64 are none."""
    return re.search(rf"\b{name}\b", text) is not None


@pytest.mark.parametrize("first", [TODAY, SUNDAY], ids=["now", "later"])
def test_a_player_is_told_when_the_sitter_erases_the_account(match: Match, eva: User, first: date) -> None:
    """Also of one who was to begin later: nobody would be asked then."""
    sitting = sit(match, eva, first=first)
    mails_to(sitting.player)
    erase(eva, now=NOON)
    (told,) = mails_to(sitting.player)
    assert f"You play GEM {match.code} yourself again; the account of your sitter is gone." in words(told)
    assert "Your move is due" in words(told)
    assert told.reply_to == [sitting.seat.reply_address]
    assert not names(log_of(match) + str(told.message()), "eva")


def test_a_sitter_is_told_when_the_player_erases_the_account(eva: User) -> None:
    match = make_match(players=[make_user(name) for name in ("kim", "lou", "max")])
    sitting = sit(match, eva)
    mails_to(eva)
    name = sitting.player.username
    erase(sitting.player, now=NOON)
    (told,) = mails_to(eva)
    assert f"You do not play in GEM {match.code} any more; the account for which you did is gone." in words(
        told
    )
    assert not names(str(told.message()), name)


def test_no_mail_about_a_sitting_fails_when_an_account_of_it_is_erased(match: Match, eva: User) -> None:
    """The yes waits for the player when the sitter goes, the request for the sitter when the player goes."""
    fay, gil = make_user("fay"), make_user("gil")
    other = make_match(players=[fay, gil])
    seat = asked(other)
    assert seat.user
    sit(match, eva)
    propose_sitting(other.pk, seat.user, "eva", TODAY, TODAY, now=NOON)
    erase(seat.user, now=NOON)
    erase(eva, now=NOON)
    delivery.send_queued()
    assert not OutboxMessage.objects.exclude(last_error="").exists()
    assert not OutboxMessage.objects.filter(state="queued").exists()


def test_a_question_nobody_answers_lapses(match: Match, eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, TODAY, now=NOON)
    sweep(monkeypatch, NOON + DAY)
    sitting.refresh_from_db()
    assert sitting.ended_at is not None
    with pytest.raises(Refused, match="nothing-asked"):
        agree_to_sit(sitting.pk, eva, now=NOON + DAY)


def test_it_ends_when_the_seat_changes_hands(eva: User, monkeypatch: pytest.MonkeyPatch) -> None:
    match = make_match(
        players=[make_user("kim"), make_user("lou")],
        time_control=TimeControl.per_move(DAY),
        absence=Match.Absence.REPLACE,
    )
    sitting = sit(match, eva, last=TODAY + 50 * DAY)
    Seat.objects.filter(pk=sitting.seat_id).update(misses=1)
    sweep(monkeypatch, NOON + DAY)
    seat = Seat.objects.get(pk=sitting.seat_id)
    assert seat.is_open
    assert find_recipient(sitting.reply_address, NOON + DAY) is None
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, seat, "bid 1", NOON + DAY)
    sweep(monkeypatch, NOON + DAY + HOUR)
    sitting.refresh_from_db()
    assert sitting.ended_at
    for row in OutboxMessage.objects.filter(user=eva, kind="turn"):
        assert delivery.write(row) is None


def test_who_has_sat_in_one_seat_may_not_take_another_of_the_match(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    other = match.seats.exclude(pk=sitting.seat_id).get()
    Seat.objects.filter(pk=other.pk).update(user=None, bot=Seat.Bot.NORMAL, is_open=True)
    with pytest.raises(Refused, match="has-seen"):
        take_seat(match.pk, other.index, eva, now=NOON + DAY)


def test_a_substitute_is_reminded_though_the_former_player_was(match: Match, eva: User) -> None:
    seat = asked(match)
    assert remind_seat(seat.pk, now=NOON + 2 * DAY)
    Seat.objects.filter(pk=seat.pk).update(user=None, bot=Seat.Bot.NORMAL, is_open=True)
    take_seat(match.pk, seat.index, eva, now=NOON + 2 * DAY)
    assert remind_seat(seat.pk, now=NOON + 4 * DAY)
    assert OutboxMessage.objects.filter(kind="reminder", user=eva).count() == 1


def test_after_a_snooze_of_the_sitter_the_player_is_reminded_at_their_own_times(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(match, eva)
    snooze(eva, 30 * HOUR, now=NOON + HOUR)
    end_sitting(sitting.pk, sitting.player, now=NOON + 2 * HOUR)
    assert _reminded_in_hours(sitting.player, monkeypatch) == [48, 68]


def test_a_snooze_of_the_player_is_none_of_the_sitter(
    match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = asked(match).user
    assert player
    snooze(player, 30 * HOUR, now=NOON)
    sit(match, eva)
    assert _reminded_in_hours(eva, monkeypatch)[0] == 48


def _reminded_in_hours(user: User, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The hours since noon after which this user was reminded of the three days of a move."""
    for hours in range(3, 72):
        sweep(monkeypatch, NOON + hours * HOUR)
    reminders = OutboxMessage.objects.filter(kind="reminder", user=user).order_by("pk")
    return [(row.created_at - NOON) // HOUR for row in reminders]


@pytest.mark.parametrize("is_to_seat", [True, False], ids=["to the seat", "to the account"])
@pytest.mark.parametrize("choice", ["once", "add"])
def test_a_held_mail_does_nothing_once_the_player_is_back(
    choice: str, is_to_seat: bool, match: Match, eva: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It came while eva sat there; for two days more she could have said that it was hers, and moved by it."""
    sitting = sit(match, eva)
    mails_to(eva)
    to = sitting.reply_address if is_to_seat else account_address(eva)
    line = "bid 1" if is_to_seat else f"{match.code}: bid 1"
    held = receive_at(
        to, letter(sitting.seat, line, sender="eva@work.example", To=to), sender="eva@work.example", at=NOON
    )
    (asked_about,) = mails_to(eva)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    monkeypatch.setattr(clock, "now", lambda: NOON + 2 * HOUR)
    page = re.search(r"/mail/held/\S+", asked_about.body)
    assert page
    answer = read(Client().post(page[0], {"choice": choice}))
    processing.process_stored()
    held.refresh_from_db()
    assert match.moves.count() == 0
    if is_to_seat:
        assert "a seat that you do not play any more" in answer.text
        assert held.state == InboundEmail.State.HELD
    else:
        assert codes(held) == ["not-seated"]
