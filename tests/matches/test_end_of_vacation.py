"""A player who is away is told, the day before, that their clocks run again."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core import mail

from gemserver.accounts.models import User, Vacation
from gemserver.clocks.control import TimeControl
from gemserver.matches.actions.people.choose_channels import Channel, Topic, choose_channels
from gemserver.matches.actions.people.snooze import snooze
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.time.set_hours import set_hours
from gemserver.matches.actions.time.take_vacation import announce_vacation, end_vacation
from gemserver.matches.announcements import announce
from gemserver.matches.models import Match, Move
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import asked, make_match, make_user
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

PARIS = ZoneInfo("Europe/Paris")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
FIRST, LAST = date(2026, 3, 9), date(2026, 3, 12)
BEGIN = datetime(2026, 3, 6, 12, 0, tzinfo=PARIS)


def paris(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=PARIS)


@pytest.fixture
def match() -> Match:
    players = [make_user(name, time_zone="Europe/Paris") for name in ("ana", "ben")]
    return make_match(players=players, time_control=TimeControl.per_move(7 * DAY), now=BEGIN)


@pytest.fixture
def away(match: Match) -> User:
    """The player who is asked, with a vacation of four days."""
    user = asked(match).user
    assert user
    announce_vacation(user, FIRST, LAST, now=BEGIN + HOUR)
    return user


def told() -> list[OutboxMessage]:
    return list(OutboxMessage.objects.filter(kind="vacation-ends"))


def test_on_the_last_morning_by_their_own_clock_and_once(
    match: Match, away: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, paris(12, 8, 59))
    assert told() == []
    sweep(monkeypatch, paris(12, 9))
    sweep(monkeypatch, paris(12, 10))
    assert [row.user for row in told()] == [away]
    delivery.send_queued()
    sent = mail.outbox[-1]  # type: ignore[attr-defined]
    assert sent.subject == "Your vacation ends: your clocks run again from Fri 13 Mar 2026 on"
    text = str(sent.body)
    assert "One match waits for you" in text
    assert f"GEM {match.code}, due Tue 17 Mar 2026 12:00 CET" in text
    assert "vacation FROM TO" in text


def test_where_nothing_waits_yet_it_says_so(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    other = match.seats.exclude(pk=asked(match).pk).get().user
    assert other
    announce_vacation(other, FIRST, LAST, now=BEGIN + HOUR)
    sweep(monkeypatch, paris(12, 9))
    delivery.send_queued()
    text = " ".join(str(mail.outbox[-1].body).split())  # type: ignore[attr-defined]
    assert "No match waits for you now" in text


def test_who_plays_in_nothing_is_told_nothing(
    match: Match, away: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    resign(match.pk, away, source=Move.Source.WEB, request_id="", now=paris(11, 12))
    sweep(monkeypatch, paris(12, 9))
    assert told() == []


@pytest.mark.parametrize("change", [{"play_until": paris(30, 12)}, {"vacation_days": 0}])
def test_a_match_whose_clock_runs_through_is_no_reason(
    match: Match, away: User, change: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    Match.objects.filter(pk=match.pk).update(**change)
    sweep(monkeypatch, paris(12, 9))
    assert told() == []


def test_not_between_two_vacations(away: User, monkeypatch: pytest.MonkeyPatch) -> None:
    announce_vacation(away, LAST + DAY, LAST + 3 * DAY, now=BEGIN + 2 * HOUR)
    sweep(monkeypatch, paris(12, 9))
    assert told() == []
    sweep(monkeypatch, paris(15, 9))
    assert len(told()) == 1


def test_not_to_whoever_has_ended_it_or_announces_its_last_day_late(
    away: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_vacation(away, now=paris(10, 8))
    announce_vacation(away, date(2026, 3, 14), date(2026, 3, 14), now=paris(14, 9, 30))
    for day in (10, 12, 14):
        sweep(monkeypatch, paris(day, 10))
    assert told() == []
    assert not Vacation.objects.exclude(remind_at=None).exists()


def test_in_another_zone_it_moves_with_the_day(away: User, monkeypatch: pytest.MonkeyPatch) -> None:
    set_hours(away, quiet=None, zone="America/New_York", now=paris(9, 12))
    sweep(monkeypatch, paris(12, 9))
    assert told() == []
    sweep(monkeypatch, datetime(2026, 3, 12, 9, tzinfo=ZoneInfo("America/New_York")))
    assert len(told()) == 1


def test_as_reminders_it_can_be_refused(away: User, monkeypatch: pytest.MonkeyPatch) -> None:
    choose_channels(away, None, {Topic.REMINDER: Channel.WEB}, now=BEGIN)
    sweep(monkeypatch, paris(12, 9))
    assert told() == []


def test_without_leads_there_is_none(away: User, monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.filter(pk=away.pk).update(reminder_minutes=[])
    sweep(monkeypatch, paris(12, 9))
    assert told() == []


def test_a_snooze_puts_it_off_and_after_the_end_it_is_not_sent(
    away: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(monkeypatch, paris(12, 8))
    snooze(away, 20 * HOUR, now=paris(12, 8))
    sweep(monkeypatch, paris(12, 9))
    sweep(monkeypatch, paris(13, 5))
    delivery.send_queued()
    assert [row.state for row in told()] == [OutboxMessage.State.SKIPPED]


def test_after_downtime_beyond_the_end_nothing_is_told(away: User, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep(monkeypatch, paris(13, 1))
    assert told() == []


def test_a_chat_is_told_no_match(match: Match, away: User, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep(monkeypatch, paris(12, 9))
    words = announce(told()[0])
    assert words
    assert match.code not in f"{words.title} {words.text} {words.path} {words.about}"


def test_the_reminder_is_due_at_nine_where_the_clock_skips_hours_too() -> None:
    user = make_user("ana", time_zone="Europe/Paris")
    vacation = announce_vacation(user, date(2026, 3, 28), date(2026, 3, 29), now=BEGIN)
    assert vacation.remind_at == datetime(2026, 3, 29, 9, tzinfo=PARIS)
