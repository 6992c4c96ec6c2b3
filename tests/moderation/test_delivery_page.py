"""The moderators' page about delivery of mail, by day and by provider."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from itertools import count

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib import clock
from gemserver.notify import bounces, figures
from gemserver.notify.bounces import TrustedReport
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.operating import retention
from gemserver.operating.gauges import measure
from tests.builders import NOON, make_match, make_user
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

Kind = DeliveryEvent.Kind
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
TODAY = NOON.date()

_numbers = count(1)


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


@pytest.fixture
def helper() -> Client:
    return signed_in(make_user("helper", role=Role.HELPER))


def mail(
    to: str, *reports: DeliveryEvent.Kind, state: str = "sent", at: datetime = NOON, thread: str = "t"
) -> OutboxMessage:
    """A mail that was queued at that instant, with reports about it an hour later."""
    number = next(_numbers)
    message = OutboxMessage.objects.create(
        kind="turn",
        to=to,
        thread=thread,
        dedup_key=f"k{number}",
        message_id=f"<{number}@test>",
        state=state,
        created_at=at,
        available_at=at,
        sent_at=at if state == "sent" else None,
    )
    for kind in reports:
        report = TrustedReport(kind, to, at + HOUR, "Postmark", f"{number} {kind}", message=message)
        bounces.note(report, now=at + HOUR)
    return message


def of(provider: str, day: date = TODAY) -> figures.Figures:
    return dict(figures.by_provider(day, 30, without=[]))[provider]


def test_mails_are_counted_by_the_provider_of_their_readers() -> None:
    mail("ana@big.example", Kind.DELIVERED)
    mail("ben@BIG.example", Kind.DELIVERED)
    mail("cy@big.example", Kind.SOFT_BOUNCE)
    mail("dee@big.example", Kind.HARD_BOUNCE)
    mail("eve@small.example", Kind.COMPLAINED)
    mail("fay@small.example", state="queued")
    mail("gus@small.example", state="failed")
    big, small = of("big.example"), of("small.example")
    assert (big.sent, big.accepted, big.delayed, big.bounced, big.complained) == (4, 2, 1, 1, 0)
    assert (small.queued, small.sent, small.failed, small.complained) == (1, 1, 1, 1)
    assert (big.accepted_percent, big.bounced_percent, small.complained_percent) == (50, 25, 50)


def test_a_report_that_comes_later_counts_for_the_day_of_its_mail() -> None:
    mail("ana@big.example", Kind.HARD_BOUNCE, at=NOON - HOUR * 12 - timedelta(minutes=30))
    days = dict(figures.by_day(TODAY, 2, without=[]))
    assert [days[day].bounced for day in (TODAY, TODAY - DAY)] == [0, 1]


def test_several_reports_of_one_mail_are_one_mail() -> None:
    message = mail("ana@big.example", Kind.SOFT_BOUNCE)
    for number in range(2):
        again = TrustedReport(Kind.SOFT_BOUNCE, message.to, NOON, "dsn", f"again {number}", message=message)
        bounces.note(again, now=NOON)
    assert of("big.example").delayed == 1


def test_a_mail_that_was_refused_while_it_was_handed_over_counts_as_tried() -> None:
    mail("ana@big.example")
    mail("ben@big.example", Kind.HARD_BOUNCE, state="skipped")
    assert of("big.example").bounced_percent == 50


def test_a_day_without_mail_has_no_rates() -> None:
    [(_, quiet)] = figures.by_day(TODAY, 1, without=[])
    assert (quiet.sent, quiet.bounced_percent) == (0, None)


def test_small_providers_are_counted_together() -> None:
    for number in range(5):
        mail(f"ana@p{number}.example")
    mail("ben@p3.example")
    found = figures.by_provider(TODAY, 2, without=[])
    assert [(name, one.sent) for name, one in found] == [("p3.example", 2), ("p0.example", 1), ("", 3)]


def test_a_day_is_that_of_the_reader(helper: Client) -> None:
    User.objects.update(time_zone="Pacific/Auckland")
    mail("ana@big.example", at=NOON - HOUR * 2)
    mail("ana@big.example", at=NOON - HOUR / 2)
    page = read(helper.get("/admin/delivery/")).text
    assert "7 Mar 2026 0 1 0" in page
    assert "6 Mar 2026 0 1 0" in page


def test_the_page_shows_days_providers_and_sources_but_no_address(helper: Client) -> None:
    mail("ana@big.example", Kind.DELIVERED)
    mail("ben@big.example", Kind.HARD_BOUNCE)
    mail("cy@small.example", Kind.COMPLAINED, at=NOON - DAY)
    start = read(helper.get("/admin/"))
    assert "/admin/delivery/" in start.links
    answer = helper.get("/admin/delivery/")
    page = read(answer)
    assert "6 Mar 2026 0 2 1 (50.0 %) 0 1 (50.0 %) 0 0" in page.text
    assert "big.example 0 2 1 (50.0 %) 0 1 (50.0 %) 0 0" in page.text
    assert "Postmark cannot be delivered 1" in page.text
    assert "small.example" not in page.text
    yesterday = helper.get("/admin/delivery/?day=2026-03-05")
    assert "small.example 0 1 0 0 0 1 (100.0 %) 0" in read(yesterday).text
    for content in (answer.content.decode(), yesterday.content.decode()):
        for name in ("ana", "ben", "cy"):
            assert f"{name}@" not in content


@pytest.mark.parametrize("day", ["", "yesterday", "2026-13-40", "0001-01-01", "9999-12-31", "2025-03-01"])
def test_another_day_is_today(day: str, helper: Client) -> None:
    mail("ana@big.example")
    answer = helper.get("/admin/delivery/", {"day": day})
    assert answer.status_code == 200
    assert "big.example 0 1" in read(answer).text


def test_a_day_long_ago_can_be_looked_at(helper: Client) -> None:
    mail("ana@old.example", at=NOON - 40 * DAY)
    assert "old.example 0 1" in read(helper.get("/admin/delivery/?day=2026-01-25")).text


def test_who_plays_learns_nothing_of_the_mails_of_the_match() -> None:
    """Recipients and times of mails reveal who was asked and who has answered."""
    ben = make_user("ben", role=Role.ADMINISTRATOR)
    match = make_match(players=[make_user("ana"), ben])
    mails = OutboxMessage.objects.filter(thread=match.thread)
    mails.update(state="sent")
    turn = mails.get(kind="turn")
    bounces.note(TrustedReport(Kind.DELIVERED, turn.to, NOON, "Postmark", "x", message=turn), now=NOON)
    mail("cy@other.example")
    seated, other = signed_in(ben), signed_in(make_user("mod", role=Role.HELPER))
    assert "example.org" in read(other.get("/admin/delivery/")).text
    page = read(seated.get("/admin/delivery/")).text
    assert "example.org" not in page
    assert "Postmark" not in page
    assert "other.example 0 1" in page
    assert "left out" in page
    events = "/admin/notify/deliveryevent/"
    assert "1 row" in read(other.get(events)).text
    assert "0 rows" in read(seated.get(events)).text
    event = DeliveryEvent.objects.get()
    assert signed_in(ben).get(f"{events}{event.pk}/change/").status_code == 302


def test_the_page_asks_the_database_no_more_often_for_more_mail(
    helper: Client, django_assert_num_queries
) -> None:
    mail("ana@p0.example", Kind.DELIVERED)
    with CaptureQueriesContext(connection) as few:
        helper.get("/admin/delivery/")
    for number in range(40):
        mail(f"ana@p{number}.example", Kind.DELIVERED, at=NOON - number % 14 * DAY)
    with django_assert_num_queries(len(few)):
        helper.get("/admin/delivery/")


def test_reports_are_a_gauge_of_the_last_day() -> None:
    mail("ana@big.example", Kind.DELIVERED, Kind.COMPLAINED)
    mail("ben@big.example", Kind.DELIVERED, at=NOON - 2 * DAY)
    reports = measure(NOON + 2 * HOUR).mail_reports
    assert reports == {**dict.fromkeys(Kind.values, 0), "delivered": 1, "complained": 1}


def test_reports_are_forgotten_but_not_while_they_count_for_an_address() -> None:
    mail("ana@big.example", Kind.SOFT_BOUNCE)
    assert retention.forget(NOON + bounces.WINDOW)["reports of delivery"] == 0
    assert retention.forget(NOON + 91 * DAY)["reports of delivery"] == 1
    assert OutboxMessage.objects.exists()
