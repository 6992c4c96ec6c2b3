"""Quiet hours, reminders, vacation and holiday by mail."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from django.utils import translation

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import User
from gemserver.inbox.results import LineResult
from gemserver.lib import clock
from gemserver.mailgate.execute import Execution
from gemserver.mailgate.lines.commands import read_lines
from gemserver.matches.models import Holiday, Match, Seat
from tests.builders import NOON, make_match, make_user
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import sent_to
from tests.mailgate.test_reply_plays import sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")])


def seat_of(match: Match, name: str) -> Seat:
    return match.seats.select_related("user", "match").get(user__username=name)


def write(match: Match, name: str, text: str, *, now: datetime = NOON) -> list[LineResult]:
    seat = seat_of(match, name)
    assert seat.user
    return Execution(seat.user, seat, None, now, "mail:1").run(read_lines(text))


def test_quiet_hours_with_a_zone_however_it_is_spelt(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(hours=1))
    (result,) = write(match, "ana", "quiet 22-7:30 europe/paris")
    assert (result.outcome, result.code) == ("done", "quiet")
    assert "from 22:00 to 07:30 (Europe/Paris)" in result.sentence
    hours = hours_at(User.objects.get(username="ana"), clock.now())
    assert (hours.quiet_start, hours.quiet_end, hours.time_zone) == (time(22), time(7, 30), "Europe/Paris")
    (result,) = write(match, "ana", "quiet off", now=NOON + timedelta(hours=1))
    assert "in 24 hours or later" in result.sentence


def test_the_zone_alone_leaves_the_quiet_hours_as_they_are(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(hours=1))
    write(match, "ana", "quiet 22-7")
    (result,) = write(match, "ana", "zone europe/berlin")
    assert (result.outcome, result.code) == ("done", "zone")
    assert "Europe/Berlin" in result.sentence
    ana = User.objects.get(username="ana")
    hours = hours_at(ana, clock.now() + timedelta(days=2))
    assert (ana.time_zone, hours.quiet_start, hours.time_zone) == ("Europe/Berlin", time(22), "Europe/Berlin")


def test_the_language_is_chosen_by_mail_and_the_answer_is_in_it(match: Match) -> None:
    seat = match.seats.get(user__username="ana")
    receive(seat, letter(seat, "language fr"))
    assert User.objects.get(username="ana").language == "fr"
    assert sent_to(seat.user)[-1].subject.startswith("[Fait]")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("zone Europe/Atlantis", "no-such-zone"),
        ("language eo", "no-such-language"),
        ("quiet 20-7", "too-quiet"),
        ("quiet 22-07 Europe/Atlantis", "no-such-zone"),
        ("quiet 22:75-07", "no-such-hour"),
        ("leads 1m", "bad-leads"),
        ("snooze 9d", "bad-snooze"),
        ("mail digest 24:00", "no-such-hour"),
        ("digest 24:00", "no-such-hour"),
        ("vacation 2026-02-30 2026-03-30", "no-such-day"),
        ("vacation 3/4/2026 5/4/2026", "no-such-day"),
        ("vacation 2020-01-01 2020-01-02", "bad-days"),
        ("vacation off", "no-vacation"),
        ("agree", "no-proposal"),
        ("refuse", "no-proposal"),
    ],
)
def test_what_cannot_be_is_refused_with_the_next_step(match: Match, line: str, code: str) -> None:
    (result,) = write(match, "ana", line)
    assert (result.outcome, result.code) == ("refused", code)
    assert result.sentence


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("quiet 20-7", "write for example: quiet 22-07"),
        ("leads 1m", "write for example: leads 24h 4h"),
        ("snooze 9d", "write for example: snooze 3h"),
        ("agree", "write: holiday FROM TO"),
    ],
)
def test_a_mail_is_told_which_line_to_write_instead(match: Match, line: str, instead: str) -> None:
    (result,) = write(match, "ana", line)
    assert instead in result.sentence


@pytest.mark.parametrize(("line", "minutes"), [("leads 2d 4h 30m", [2880, 240, 30]), ("leads off", [])])
def test_reminders(match: Match, line: str, minutes: list[int]) -> None:
    (result,) = write(match, "ana", line)
    assert result.outcome == "done"
    assert User.objects.get(username="ana").reminder_minutes == minutes


def test_ways_to_be_told(match: Match) -> None:
    for line, mode, at in (
        ("mail digest 8.30", "digest", time(8, 30)),
        ("digest 21:05", "digest", time(21, 5)),
        ("mail turns", "turns", None),
        ("unsubscribe", "off", None),
    ):
        (result,) = write(match, "ana", line)
        assert result.outcome == "done"
        user = User.objects.get(username="ana")
        assert (user.mail_mode, user.digest_at, user.next_digest_at is None) == (mode, at, at is None)


def test_a_digest_asked_for_in_short_comes_at_that_hour_of_the_players_zone(match: Match) -> None:
    write(match, "ana", "zone Asia/Tokyo")
    (result,) = write(match, "ana", "Digest 08:00")
    assert "at 08:00 (Asia/Tokyo)" in result.sentence
    ana = User.objects.get(username="ana")
    assert ana.next_digest_at is not None
    assert (ana.next_digest_at.hour, ana.next_digest_at.minute) == (23, 0)


@pytest.mark.parametrize(
    ("days", "first", "last"),
    [
        ("2026-03-30 2026-04-01", date(2026, 3, 30), date(2026, 4, 1)),
        ("30.3.2026 1.4.2026", date(2026, 3, 30), date(2026, 4, 1)),
        ("30.3. 1.4.", date(2026, 3, 30), date(2026, 4, 1)),
        ("28.2. 1.3.", date(2027, 2, 28), date(2027, 3, 1)),
        ("30.12. 2.1.", date(2026, 12, 30), date(2027, 1, 2)),
    ],
)
def test_vacation(match: Match, days: str, first: date, last: date) -> None:
    (result,) = write(match, "ana", f"vacation {days}")
    assert result.outcome == "done", result.sentence
    vacation = User.objects.get(username="ana").vacations.get()
    assert (vacation.first, vacation.last, vacation.announced_at) == (first, last, NOON)


def test_the_answer_to_a_vacation_says_from_when_the_clocks_stand_still(match: Match) -> None:
    (coming,) = write(match, "ana", "vacation 2026-03-30 2026-04-01")
    assert "your clocks run until the first day begins, at 00:00 (UTC)" in coming.sentence
    (off,) = write(match, "ana", "vacation off")
    assert off.sentence == "Your vacation is called off; your clocks run on."
    (at_once,) = write(match, "ana", f"vacation {NOON.date()} {NOON.date() + timedelta(days=3)}")
    assert "your clocks stand still from now on" in at_once.sentence
    (off,) = write(match, "ana", "vacation off")
    assert "your clocks run again from 7 Mar 2026, 00:00 (UTC)." in off.sentence


def test_days_are_told_as_people_write_them(match: Match) -> None:
    """However they were typed, in the language of the receipt."""
    (vacation, holiday) = write(match, "ana", "vacation 2026-03-30 2026-04-01\nholiday 1.5. 2.5.")
    assert "Vacation from 30 Mar 2026 to 1 Apr 2026;" in vacation.sentence
    assert "from 1 May 2026 to 2 May 2026." in holiday.sentence
    with translation.override("de"):
        assert "Urlaub vom 30. März 2026 bis 1. April 2026;" in vacation.sentence


def test_a_mail_that_is_carried_out_twice_after_a_crash_says_the_same(match: Match) -> None:
    text = "quiet 22-7\nleads 8h\nvacation 2026-03-30 2026-04-01\nholiday 2026-05-01 2026-05-02"
    first, again = write(match, "ana", text), write(match, "ana", text)
    assert [result.outcome for result in first] == ["done"] * 4
    assert first == again


def test_a_holiday_is_proposed_and_agreed_on_by_mail(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    receive(seat_of(match, "ana"), letter(seat_of(match, "ana"), "holiday 2026-04-03 2026-04-06"))
    (question,) = sent("holiday")
    assert question.to == ["ben@example.org"]
    assert "ana proposes days off for the whole table: Fri 3 Apr 2026 to Mon 6 Apr 2026." in " ".join(
        question.body.split()
    )
    assert "A plain yes or no in reply will do" in " ".join(question.body.split())
    row = receive(seat_of(match, "ben"), letter(seat_of(match, "ben"), "agree", answering=question))
    assert row.state == "done"
    assert match.holidays.get().outcome == Holiday.Outcome.AGREED


def test_settings_are_carried_out_though_a_move_before_them_was_refused(match: Match) -> None:
    waiting = match.seats.select_related("user").get(is_waiting=False)
    results = write(match, waiting.name, "bid 1\nleads 8h")
    assert [result.outcome for result in results] == ["refused", "done"]


def test_a_snooze_names_the_matches_in_which_the_time_is_up_before_its_end(match: Match) -> None:
    seat = match.seats.select_related("user").get(is_waiting=True)
    assert seat.user
    (result,) = write(match, seat.user.username, "snooze 3h")
    assert match.code not in result.sentence
    (result,) = write(match, seat.user.username, "snooze 3d")
    assert f"your time is up before that in {match.code}." in result.sentence
