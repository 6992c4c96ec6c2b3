"""Reminders: at the player's own leads, each once, none about turns that were answered or looked at."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from django.test import Client

from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import mail_ids
from gemserver.matches.actions.people.snooze import end_snooze, snooze
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.actions.time.remind_seat import remind_seat
from gemserver.matches.actions.time.set_hours import set_leads
from gemserver.matches.actions.time.take_vacation import announce_vacation
from gemserver.matches.models import Heartbeat, Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play
from tests.matches.sweeping import sweep, sweep_after_silence

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def match() -> Match:
    players = [make_user("ana"), make_user("ben")]
    return make_match(players=players, time_control=TimeControl.per_move(72 * HOUR))


def reminders() -> int:
    return OutboxMessage.objects.filter(kind="reminder").count()


def test_a_reminder_at_each_lead_and_each_once(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    for after, expected in ((48 * HOUR - SECOND, 0), (48 * HOUR, 1), (50 * HOUR, 1), (68 * HOUR, 2)):
        for _ in range(3):
            sweep(monkeypatch, NOON + after)
        assert reminders() == expected
    sweep(monkeypatch, NOON + 72 * HOUR - SECOND)
    assert reminders() == 2


def test_two_overlapping_sweeps_send_one_reminder(match: Match) -> None:
    seat = asked(match)
    assert remind_seat(seat.pk, now=NOON + 48 * HOUR) is True
    assert remind_seat(seat.pk, now=NOON + 48 * HOUR) is False
    assert reminders() == 1


def test_each_player_chooses_the_leads_and_a_choice_counts_for_the_open_prompt(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = asked(match)
    assert seat.user
    set_leads(seat.user, [8 * HOUR, HOUR], now=NOON + 65 * HOUR)
    sweep(monkeypatch, NOON + 71 * HOUR - SECOND)
    assert reminders() == 0, "the time of the first one had passed when it was chosen"
    sweep(monkeypatch, NOON + 71 * HOUR)
    assert reminders() == 1


def test_who_wants_no_reminders_gets_none(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    seat = asked(match)
    assert seat.user
    set_leads(seat.user, [], now=NOON)
    sweep(monkeypatch, NOON + 72 * HOUR - SECOND)
    assert reminders() == 0


@pytest.mark.parametrize(
    "leads", [[timedelta(minutes=1)], [timedelta(days=31)], [HOUR * n for n in range(1, 8)]]
)
def test_unreasonable_leads_are_refused(leads: list[timedelta]) -> None:
    with pytest.raises(Refused, match="bad-leads"):
        set_leads(make_user("eva"), leads, now=NOON)


def test_none_is_sent_to_who_has_answered(match: Match) -> None:
    seat = asked(match)
    play(match, seat.index, "bid 1", now=NOON + HOUR)
    assert remind_seat(seat.pk, now=NOON + 48 * HOUR) is False


def test_one_that_waits_in_the_outbox_is_not_sent_once_the_turn_is_over(match: Match) -> None:
    seat = asked(match)
    assert remind_seat(seat.pk, now=NOON + 48 * HOUR)
    play(match, seat.index, "bid 1", now=NOON + 49 * HOUR)
    delivery.send_queued()
    assert OutboxMessage.objects.get(kind="reminder").state == OutboxMessage.State.SKIPPED


@pytest.mark.parametrize(("looked", "state"), [(47, "sent"), (49, "skipped")])
def test_none_is_sent_to_who_has_looked_at_the_match_since_it_fell_due(
    match: Match, monkeypatch: pytest.MonkeyPatch, client: Client, looked: int, state: str
) -> None:
    seat = asked(match)
    assert seat.user
    client.force_login(seat.user)
    monkeypatch.setattr(clock, "now", lambda: NOON + looked * HOUR)
    client.get(match.get_absolute_url())
    sweep(monkeypatch, NOON + 50 * HOUR)
    delivery.send_queued()
    assert OutboxMessage.objects.get(kind="reminder").state == state


def test_after_a_long_night_of_the_server_only_the_last_reminder_is_sent(match: Match) -> None:
    seat = asked(match)
    assert remind_seat(seat.pk, now=NOON + 70 * HOUR) is True
    assert remind_seat(seat.pk, now=NOON + 71 * HOUR) is False


def test_none_is_sent_when_the_time_is_up(match: Match) -> None:
    assert remind_seat(asked(match).pk, now=NOON + 73 * HOUR) is False
    assert reminders() == 0


def test_a_reminder_moves_with_the_deadline_and_is_armed_anew(match: Match) -> None:
    """However time is given, the clock of the prompt counts, not the cached columns."""
    seat = asked(match)
    assert remind_seat(seat.pk, now=NOON + 48 * HOUR)
    Seat.objects.filter(pk=seat.pk).update(clock_left=144 * HOUR)
    assert remind_seat(seat.pk, now=NOON + 68 * HOUR) is False
    seat.refresh_from_db()
    assert (seat.due_at, seat.remind_at) == (NOON + 144 * HOUR, NOON + 120 * HOUR)
    assert remind_seat(seat.pk, now=NOON + 120 * HOUR)
    assert reminders() == 2


def put_off(match: Match, monkeypatch: pytest.MonkeyPatch, lasting: timedelta) -> None:
    """Send a reminder when a day is left, then pause the match from an hour later."""
    sweep(monkeypatch, NOON + 48 * HOUR)
    delivery.send_queued()
    pause_match(match.pk, "Wait.", now=NOON + 49 * HOUR)
    sweep(monkeypatch, NOON + 49 * HOUR + lasting / 2)
    resume_match(match.pk, "It is over.", now=NOON + 49 * HOUR + lasting)


def test_when_the_due_time_is_put_off_the_lead_that_was_reached_is_told_of_again_once(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_off(match, monkeypatch, 100 * HOUR)
    due = asked(match).due_at
    assert due == NOON + 172 * HOUR
    sweep(monkeypatch, NOON + 149 * HOUR)
    assert reminders() == 2, "as soon as the clock runs again, less than a day before it is over"
    for hours in (150, 160, 168 - 1):
        sweep(monkeypatch, NOON + hours * HOUR)
    assert reminders() == 2
    sweep(monkeypatch, NOON + 168 * HOUR)
    assert reminders() == 3, "the four hours come as ever"


def test_a_due_time_that_moves_by_little_brings_no_second_reminder(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_off(match, monkeypatch, 6 * HOUR - SECOND)
    for hours in range(55, 74):
        sweep(monkeypatch, NOON + hours * HOUR)
    assert reminders() == 1


def test_a_vacation_announced_after_the_reminder_is_followed_by_another(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, NOON + 48 * HOUR)
    delivery.send_queued()
    user = asked(match).user
    assert user
    first = (NOON + 72 * HOUR).date()
    announce_vacation(user, first, first + timedelta(days=4), now=NOON + 50 * HOUR)
    back = datetime.combine(first + timedelta(days=5), time(0), tzinfo=UTC)
    sweep(monkeypatch, back - SECOND)
    assert reminders() == 1
    sweep(monkeypatch, back)
    assert reminders() == 2
    assert asked(match).due_at == back + 12 * HOUR


def test_a_reminder_that_waited_for_the_relay_while_the_due_time_was_put_off_is_not_doubled(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, NOON + 48 * HOUR)
    pause_match(match.pk, "Wait.", now=NOON + 49 * HOUR)
    resume_match(match.pk, "It is over.", now=NOON + 60 * HOUR)
    monkeypatch.setattr(clock, "now", lambda: NOON + 60 * HOUR)
    delivery.send_queued()
    for hours in range(60, 79):
        sweep(monkeypatch, NOON + hours * HOUR)
    assert reminders() == 1
    sweep(monkeypatch, NOON + 79 * HOUR)
    assert reminders() == 2, "the four hours come as ever"


def test_a_reminder_that_fell_due_before_the_server_went_down_is_not_lost(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, NOON + 48 * HOUR - SECOND)
    Heartbeat.objects.update(at=NOON + 48 * HOUR + SECOND)
    sweep_after_silence(monkeypatch, NOON + 51 * HOUR)
    sweep(monkeypatch, NOON + 51 * HOUR)
    assert reminders() == 1


def test_the_second_reminder_has_a_message_id_of_its_own_that_names_the_turn(match: Match) -> None:
    seat = asked(match)
    for hours in (48, 68):
        assert remind_seat(seat.pk, now=NOON + hours * HOUR)
    ids = OutboxMessage.objects.filter(kind="reminder").values_list("message_id", flat=True)
    refs = [mail_ids.read_message_id(name) for name in ids]
    assert refs == [mail_ids.MailRef(match.pk, 1, seat.index)] * 2


@pytest.mark.parametrize(("woken_after", "expected"), [(47, 0), (49, 1)])
def test_a_reminder_that_a_snooze_held_back_comes_when_the_snooze_is_taken_back(
    match: Match, woken_after: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = asked(match).user
    assert user
    snooze(user, 12 * HOUR, now=NOON + 46 * HOUR)
    for after in range(46, woken_after):
        sweep(monkeypatch, NOON + after * HOUR)
    end_snooze(user, now=NOON + woken_after * HOUR)
    sweep(monkeypatch, NOON + woken_after * HOUR)
    assert reminders() == expected
    sweep(monkeypatch, NOON + 68 * HOUR)
    assert reminders() == expected + 1, "and the next at its lead"
