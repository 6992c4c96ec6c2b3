"""Time during which the server was down, or could not send mail, counts on nobody's clock."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused
from types import SimpleNamespace
from typing import ClassVar

import pytest
from django.core.mail import EmailMessage
from django.core.mail.backends import locmem
from pytest_django import DjangoAssertNumQueries, Settings

from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import sweeps, timing, uptime
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.actions.time.remind_seat import remind_seat
from gemserver.matches.models import Heartbeat, Match, Notice, Seat, Stop
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, make_match, make_user, play
from tests.logs import read_log
from tests.matches.sweeping import sweep, sweep_after_silence

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY = 24 * HOUR


@pytest.fixture
def match(monkeypatch: pytest.MonkeyPatch) -> Match:
    """A match with a day for each move, on a server that has just swept."""
    players = [make_user("ana"), make_user("ben")]
    match = make_match(players=players, time_control=TimeControl.per_move(DAY))
    OutboxMessage.objects.update(state=OutboxMessage.State.SENT, sent_at=NOON)
    sweep(monkeypatch, NOON)
    return match


def log_of(match: Match) -> str:
    return " ".join(line for entry in read_log(match, None) for line in entry.sentences)


def test_a_night_of_the_server_is_credited_and_told_before_anything_is_played(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, NOON + 20 * HOUR)
    sweep_after_silence(monkeypatch, NOON + 30 * HOUR)
    assert match.moves.count() == 0
    assert asked(match).due_at == NOON + DAY + 10 * HOUR
    assert "The server was down from 7 Mar 08:00 UTC to 7 Mar 18:00 UTC." in log_of(match)
    sweep(monkeypatch, NOON + DAY + 10 * HOUR - SECOND)
    assert match.moves.count() == 0
    sweep(monkeypatch, NOON + DAY + 10 * HOUR)
    assert match.moves.count() == 1


def test_a_restart_within_the_limit_is_no_downtime(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep_after_silence(monkeypatch, NOON + timing.DOWNTIME_LIMIT)
    assert not Stop.objects.exists()
    assert asked(match).due_at == NOON + DAY


def test_a_long_sweep_is_no_downtime(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as slow:
        readings = count(0, 2 * 60)
        slow.setattr(sweeps, "time", SimpleNamespace(monotonic=lambda: next(readings)))
        sweep(slow, NOON)
    assert Heartbeat.objects.get(duty=Heartbeat.Duty.SWEEP).at >= NOON + 10 * MINUTE
    sweep_after_silence(monkeypatch, NOON + 14 * MINUTE)
    assert not Stop.objects.exists()


def test_a_machine_that_sleeps_in_the_middle_of_a_sweep_has_its_sleep_credited(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = uptime.watch

    def fall_asleep(now: datetime) -> None:
        watch(now)
        monkeypatch.setattr(clock, "now", lambda: NOON + 10 * HOUR)

    with monkeypatch.context() as tired:
        tired.setattr(uptime, "watch", fall_asleep)
        sweep(tired, NOON)
    sweep_after_silence(monkeypatch, NOON + 10 * HOUR)
    assert asked(match).due_at == NOON + DAY + 10 * HOUR


def test_a_second_sweep_credits_nothing_more(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        sweep_after_silence(monkeypatch, NOON + 3 * HOUR)
    assert Stop.objects.count() == Notice.objects.count() == 1


def test_the_reminder_moves_with_the_deadline(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(match).remind_at == NOON + 12 * HOUR
    sweep_after_silence(monkeypatch, NOON + 11 * HOUR)
    assert asked(match).remind_at == NOON + 23 * HOUR
    assert remind_seat(asked(match).pk, now=NOON + 12 * HOUR) is False


def test_a_sweep_killed_after_the_credit_plays_nothing_and_the_next_goes_on_where_it_was(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_match(players=[make_user("cy"), make_user("dee")], time_control=TimeControl.per_move(DAY))
    tell = uptime._tell

    def tell_one(match_id: int, stop: Stop, key: str, now: datetime) -> None:
        if Notice.objects.exists():
            raise KeyboardInterrupt
        tell(match_id, stop, key, now)

    with monkeypatch.context() as dying:
        dying.setattr(uptime, "_tell", tell_one)
        with pytest.raises(KeyboardInterrupt):
            sweep_after_silence(dying, NOON + 30 * HOUR)
    assert (asked(match).due_at, asked(other).due_at) == (NOON + DAY + 30 * HOUR, NOON + DAY)
    assert expire_seat(asked(other).pk, now=NOON + 31 * HOUR) is None, "the arithmetic knows of the credit"
    for _ in range(2):
        sweep(monkeypatch, NOON + 31 * HOUR)
    assert [row.match_id for row in Notice.objects.order_by("match")] == [match.pk, other.pk]
    assert not Stop.objects.filter(is_told=False).exists()


def test_a_credit_is_told_to_so_many_matches_with_each_sweep_and_to_each_once(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [make_user("cy"), make_user("dee")]
    matches = [match, *(make_match(players=people, time_control=TimeControl.per_move(DAY)) for _ in range(4))]
    monkeypatch.setattr(uptime, "BATCH", 2)
    sweep_after_silence(monkeypatch, NOON + 10 * HOUR)
    told = [2]
    for minute in range(1, 5):
        sweep(monkeypatch, NOON + 10 * HOUR + minute * MINUTE)
        told.append(Notice.objects.count())
    assert told == [2, 4, 5, 5, 5]
    assert not Stop.objects.filter(is_told=False).exists()
    assert {asked(each).due_at for each in matches} == {NOON + DAY + 10 * HOUR}


def test_what_is_due_is_acted_on_though_the_credit_is_not_told_everywhere(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        make_match(
            players=[make_user(f"cy{n}"), make_user(f"dee{n}")], time_control=TimeControl.per_move(DAY)
        )
        for n in range(2)
    ]
    monkeypatch.setattr(uptime, "BATCH", 1)
    sweep_after_silence(monkeypatch, NOON + 10 * HOUR)
    assert asked(others[1]).due_at == NOON + DAY, "its turn has not come yet"
    sweep(monkeypatch, NOON + DAY)
    assert others[1].moves.count() == 0
    sweep(monkeypatch, NOON + DAY + 10 * HOUR)
    assert others[1].moves.count() == 1


def test_a_match_that_could_not_be_told_is_tried_again_behind_the_others(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_match(players=[make_user("cy"), make_user("dee")], time_control=TimeControl.per_move(DAY))
    reset = timing.reset_alarms

    def fail_for_the_first(told: Match, now: datetime) -> None:
        if told.pk == match.pk:
            raise RuntimeError("a fault for one match")
        reset(told, now)

    with monkeypatch.context() as faulty:
        faulty.setattr(timing, "reset_alarms", fail_for_the_first)
        sweep_after_silence(faulty, NOON + 10 * HOUR)
    assert (log_of(match), log_of(other) != "") == ("", True)
    sweep(monkeypatch, NOON + 11 * HOUR)
    assert "The server was down" in log_of(match)
    assert asked(match).due_at == NOON + DAY + 10 * HOUR


def test_time_that_is_credited_costs_no_bank(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    seat = asked(match)
    sweep_after_silence(monkeypatch, NOON + 10 * HOUR)
    sweep(monkeypatch, NOON + 11 * HOUR)
    assert timing.time_left(match, seat, NOON + 11 * HOUR) == 23 * HOUR


def test_who_moves_while_nothing_is_swept_pays_for_none_of_that_time(monkeypatch: pytest.MonkeyPatch) -> None:
    players = [make_user("ana"), make_user("ben")]
    bank = TimeControl(DAY, 4 * HOUR, 2 * DAY)
    match = make_match(players=players, time_control=bank)
    seat = asked(match)
    sweep(monkeypatch, NOON + HOUR)
    play(match, seat.index, "bid 1", now=NOON + 9 * HOUR)
    assert Seat.objects.get(pk=seat.pk).clock_left == DAY - HOUR + 4 * HOUR
    sweep_after_silence(monkeypatch, NOON + 10 * HOUR)
    assert asked(match).due_at == NOON + 10 * HOUR + DAY


def test_a_pause_between_sweeps_that_is_no_downtime_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    bank = TimeControl(DAY, 4 * HOUR, 2 * DAY)
    match = make_match(players=[make_user("ana"), make_user("ben")], time_control=bank)
    seat = asked(match)
    sweep(monkeypatch, NOON + HOUR)
    play(match, seat.index, "bid 1", now=NOON + HOUR + timing.DOWNTIME_LIMIT)
    assert Seat.objects.get(pk=seat.pk).clock_left == DAY + 3 * HOUR - timing.DOWNTIME_LIMIT


@pytest.mark.parametrize("jump", [30 * DAY, 6 * MINUTE])
def test_a_machine_clock_that_jumps_ahead_and_back_costs_nobody_time(
    match: Match, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    sweep_after_silence(monkeypatch, NOON + jump)
    assert match.moves.count() == 0
    sweep_after_silence(monkeypatch, NOON + MINUTE)
    due = asked(match).due_at
    assert due is not None
    assert due >= NOON + DAY
    assert Heartbeat.objects.get(duty="sweep").at <= NOON + max(MINUTE, min(jump, 6 * MINUTE))


def test_a_clock_that_is_put_right_does_not_leave_all_matches_standing_until_the_wrong_time_comes(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep_after_silence(monkeypatch, NOON + 30 * DAY)
    assert asked(match).due_at == NOON + 31 * DAY
    sweep_after_silence(monkeypatch, NOON + 2 * MINUTE)
    assert asked(match).due_at == NOON + DAY + 2 * MINUTE
    assert "The server was down from 6 Mar 12:00 UTC to 6 Mar 12:02 UTC." in log_of(match)
    sweep(monkeypatch, NOON + DAY + 2 * MINUTE)
    assert match.moves.count() == 1


def test_a_match_that_began_after_the_downtime_is_told_nothing(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = make_match(players=[make_user("cy"), make_user("dee")], now=NOON + 3 * HOUR)
    sweep_after_silence(monkeypatch, NOON + 3 * HOUR)
    assert log_of(later) == ""


class DeadRelay(locmem.EmailBackend):
    def send_messages(self, messages: object) -> int:
        raise ConnectionRefusedError("no relay")


def at(monkeypatch: pytest.MonkeyPatch, now: datetime) -> None:
    """Let a running server work at this instant: mail, then deadlines."""
    monkeypatch.setattr(clock, "now", lambda: now)
    delivery.send_queued()
    Heartbeat.objects.filter(duty="sweep").update(at=now)
    sweep_after_silence(monkeypatch, now)


@pytest.mark.slow
def test_a_relay_that_is_down_stops_all_clocks_until_mail_goes_out_again(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.DeadRelay"
    at(monkeypatch, NOON)
    play(match, asked(match).index, "bid 1", now=NOON + 10 * MINUTE)
    for minutes in range(10, 90, 5):
        at(monkeypatch, NOON + minutes * MINUTE)
    assert asked(match).due_at is None
    assert "has been unable to send mail since 6 Mar 12:10 UTC." in log_of(match)
    at(monkeypatch, NOON + 5 * HOUR)
    assert OutboxMessage.objects.filter(state="queued").exists()
    settings.EMAIL_BACKEND = backend
    at(monkeypatch, NOON + 7 * HOUR)
    assert asked(match).due_at == NOON + 7 * HOUR + DAY
    assert "The server could not send mail from 6 Mar 12:10 UTC to 6 Mar 19:00 UTC." in log_of(match)


@pytest.mark.slow
def test_a_mail_that_is_dropped_in_an_outage_is_no_sign_that_mail_goes_out_again(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.DeadRelay"
    play(match, asked(match).index, "bid 1", now=NOON + MINUTE)
    for minutes in range(5, 100, 5):
        at(monkeypatch, NOON + minutes * MINUTE)
    monkeypatch.setattr("gemserver.matches.mails.about_match.MatchMail.is_asked", False)
    for minutes in range(100, 190, 5):
        at(monkeypatch, NOON + minutes * MINUTE)
    assert not OutboxMessage.objects.filter(state="queued").exists()
    assert Stop.objects.get().end is None
    at(monkeypatch, NOON + 6 * HOUR)
    assert Stop.objects.get().end == NOON + 6 * HOUR, "nothing is known of any trouble any more"


class PickyRelay(locmem.EmailBackend):
    """Refuses mail to the addresses in `faults`, each with its own error."""

    faults: ClassVar[dict[str, Exception]] = {}

    def send_messages(self, messages: Sequence[EmailMessage]) -> int:
        for message in messages:
            if fault := self.faults.get(message.to[0]):
                raise fault
        return super().send_messages(messages)


MAILBOX_BUSY = SMTPDataError(452, b"the mailbox is busy")
REFUSED = SMTPRecipientsRefused({"ana@example.org": (550, b"no such mailbox")})


@pytest.mark.slow
@pytest.mark.parametrize("fault", [MAILBOX_BUSY, REFUSED])
def test_one_address_that_is_refused_stops_no_clock_though_nothing_else_is_sent(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Settings, fault: Exception
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.PickyRelay"
    play(match, asked(match).index, "bid 1", now=NOON + MINUTE)
    address = OutboxMessage.objects.get(state="queued").to
    monkeypatch.setattr(PickyRelay, "faults", {address: fault})
    for minutes in range(5, 200, 5):
        at(monkeypatch, NOON + minutes * MINUTE)
    assert OutboxMessage.objects.get(to=address, state="queued").attempts > 3
    assert not Stop.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "is_ours"),
    [
        (MAILBOX_BUSY, True),
        (SMTPRecipientsRefused({"somebody": (554, b"5.7.1 <somebody>: Relay access denied")}), True),
        (SMTPRecipientsRefused({"somebody": (450, b"4.7.1 <somebody>: Greylisted")}), True),
        (SMTPRecipientsRefused({"somebody": (550, b"5.1.1 <somebody>: User unknown")}), False),
        (SMTPRecipientsRefused({"somebody": (452, b"4.2.2 <somebody>: Mailbox full")}), False),
    ],
)
def test_when_mail_to_several_fails_the_fault_is_ours_unless_their_addresses_are_none(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Settings, fault: Exception, is_ours: bool
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.PickyRelay"
    play(match, asked(match).index, "bid 1", now=NOON + MINUTE)
    make_match(players=[make_user("cy"), make_user("dee")], now=NOON + MINUTE)
    faults = {row.to: fault for row in OutboxMessage.objects.filter(state="queued")}
    monkeypatch.setattr(PickyRelay, "faults", faults)
    for minutes in range(5, 100, 5):
        at(monkeypatch, NOON + minutes * MINUTE)
    assert (asked(match).due_at is None) is is_ours


@pytest.mark.slow
def test_a_relay_that_refuses_the_sender_stops_the_clocks_and_no_mail_is_given_up(
    match: Match, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = f"{__name__}.PickyRelay"
    play(match, asked(match).index, "bid 1", now=NOON + MINUTE)
    address = OutboxMessage.objects.get(state="queued").to
    refused = SMTPSenderRefused(530, b"5.7.0 Authentication required", "play@example.org")
    monkeypatch.setattr(PickyRelay, "faults", {address: refused})
    for minutes in range(5, 24 * 60, 30):
        at(monkeypatch, NOON + minutes * MINUTE)
    assert OutboxMessage.objects.get(to=address, state="queued").attempts > delivery.ATTEMPTS
    assert asked(match).due_at is None


@pytest.mark.slow
def test_mail_that_no_worker_takes_up_stops_all_clocks(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    play(match, asked(match).index, "bid 1", now=NOON + MINUTE)
    for minutes in range(4, 100, 4):
        sweep_after_silence(monkeypatch, NOON + minutes * MINUTE)
    assert asked(match).due_at is None


def test_a_sweep_with_nothing_to_do_asks_little(
    match: Match, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    delivery.send_queued()
    with django_assert_max_num_queries(10):
        sweep_after_silence(monkeypatch, NOON + MINUTE)
    assert {row.at for row in Heartbeat.objects.all()} == {NOON + MINUTE}
