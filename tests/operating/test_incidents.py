"""The list of the server's troubles, as moderators read it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from gemserver.accounts.roles import Role
from gemserver.matches import uptime
from gemserver.matches.models import Heartbeat, Match, Stop
from gemserver.notify.models import OutboxMessage
from gemserver.operating import alarms, retention
from gemserver.operating.incidents import Trouble, count_credited, troubles
from gemserver.operating.models import Incident
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
YEAR = timedelta(days=365)


@pytest.fixture
def match() -> Match:
    return make_match(players=[make_user("ana"), make_user("ben")])


def run(minutes: int, *, start: datetime) -> datetime:
    """Run a sweep and a look for trouble every minute; returns the last instant."""
    for minute in range(minutes + 1):
        now = start + minute * MINUTE
        uptime.watch(now)
        alarms.watch(now)
    return now


def stop_mail() -> None:
    OutboxMessage.objects.update(attempts=2, last_error="ConnectionRefusedError()", blames_relay=True)


def told(found: Sequence[Trouble]) -> list[tuple[str, datetime, datetime | None, timedelta | None]]:
    return [(str(trouble.what), trouble.began_at, trouble.ended_at, trouble.credit) for trouble in found]


@pytest.mark.slow
def test_downtime_is_one_trouble_with_what_was_credited_to_how_many_matches(match: Match) -> None:
    make_match(players=[make_user("cy"), make_user("dee")])
    play_to_the_end(make_match(players=[make_user("eve"), make_user("fay")]))
    OutboxMessage.objects.all().delete()
    run(1, start=NOON)
    run(5, start=NOON + HOUR)
    down_since = NOON + MINUTE
    found = troubles()
    assert told(found) == [("the scheduler stood still", down_since, NOON + HOUR, HOUR - MINUTE)]
    assert [count for _, count in count_credited(found)] == [2]


@pytest.mark.slow
def test_an_outage_of_the_mail_lasts_until_it_is_over(match: Match) -> None:
    stop_mail()
    run(70, start=NOON)
    [trouble] = troubles()
    assert (str(trouble.what), trouble.ended_at, trouble.credit) == ("no mail could be sent", None, None)
    assert count_credited([trouble])[0][1] == 1
    end = NOON + 71 * MINUTE
    OutboxMessage.objects.update(state=OutboxMessage.State.SENT, sent_at=end)
    run(3, start=end)
    [trouble] = troubles()
    assert trouble.ended_at == end
    assert trouble.credit == end - trouble.began_at
    assert count_credited([trouble])[0][1] == 1


@pytest.mark.slow
def test_a_trouble_that_credits_nothing_is_listed_too(match: Match) -> None:
    match.seats.filter(is_waiting=True).update(due_at=NOON)
    OutboxMessage.objects.all().delete()
    run(40, start=NOON)
    [trouble] = troubles()
    assert (str(trouble.what), trouble.stop) == ("deadlines are not acted on", None)


def test_a_server_without_alarms_lists_what_was_credited() -> None:
    """The embedded server looks for no trouble, but credits its downtime."""
    uptime.watch(NOON)
    uptime.watch(NOON + HOUR)
    assert told(troubles()) == [("the scheduler stood still", NOON, NOON + HOUR, HOUR)]


def test_moderators_read_what_has_happened(match: Match) -> None:
    match.seats.filter(is_waiting=True).update(due_at=NOON + YEAR)
    OutboxMessage.objects.all().delete()
    run(1, start=NOON)
    run(5, start=NOON + HOUR)
    Incident.objects.create(kind=Incident.Kind.QUEUE, began_at=NOON + 2 * HOUR, tell_after=NOON)
    helper = signed_in(make_user("helper", role=Role.HELPER, time_zone="Asia/Tokyo"))
    start = read(helper.get("/admin/"))
    assert "/admin/incidents/" in start.links
    assert "tasks pile up at the broker" in start.text
    page = read(helper.get("/admin/incidents/")).text
    assert "the scheduler stood still 6 Mar 2026 12:01 6 Mar 2026 13:00" in page
    assert "59 minutes, 1 match" in page
    assert "tasks pile up at the broker 6 Mar 2026 14:00 goes on" in page
    assert helper.post("/admin/incidents/").status_code == 405


def test_the_list_goes_on_on_another_page() -> None:
    for hour in range(60):
        at = NOON + hour * HOUR
        Incident.objects.create(kind=Incident.Kind.INBOX, began_at=at, ended_at=at + MINUTE, tell_after=at)
    helper = signed_in(make_user("helper", role=Role.HELPER))
    first, second = (read(helper.get(f"/admin/incidents/?page={page}")) for page in (1, 2))
    assert "?page=2" in first.links
    assert "6 Mar 2026 12:00" not in first.text
    assert "6 Mar 2026 12:00" in second.text


def test_troubles_are_forgotten_after_a_year_but_what_a_clock_may_still_need(match: Match) -> None:
    OutboxMessage.objects.all().delete()
    uptime.watch(NOON)
    run(1, start=NOON + HOUR)
    Incident.objects.create(kind=Incident.Kind.QUEUE, began_at=NOON, tell_after=NOON)
    Heartbeat.objects.update(at=NOON + YEAR)  # it has swept all the time
    retention.forget(NOON + YEAR)
    assert len(troubles()) == 2
    retention.forget(NOON + YEAR + 2 * HOUR)
    assert not Incident.objects.filter(kind=Incident.Kind.SCHEDULER).exists()
    assert Incident.objects.filter(kind=Incident.Kind.QUEUE, ended_at=None).exists(), "it goes on"
    assert Stop.objects.exists(), "the match still runs"
    Match.objects.update(status=Match.Status.FINISHED)
    retention.forget(NOON + YEAR + 2 * HOUR)
    assert not Stop.objects.exists()
