"""Data that is forgotten in time, and data that must stay."""

from __future__ import annotations

from datetime import datetime, timedelta
from io import StringIO

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import sweeps, uptime
from gemserver.matches.actions.tables.start_practice import start_practice
from gemserver.matches.models import Heartbeat, Match, Report
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.operating import doctor, retention
from tests.builders import NOON, make_match, make_table, make_user

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def receive(received_at: datetime, *, read: bool = True) -> InboundEmail:
    row = ingest(
        f"From: x@example.net\r\nSubject: {received_at}\r\n\r\nhello\r\n".encode(),
        *("x@example.net", "play@gem.localhost", "smtp", {}),
        received_at=received_at,
    )
    if read:
        processing.process_stored()
    return InboundEmail.objects.get(pk=row.pk)


def test_mail_as_it_came_goes_after_thirty_days_and_its_verdict_stays() -> None:
    """mail-requirements.md M10."""
    old, young = receive(NOON - 31 * DAY), receive(NOON - 29 * DAY)
    assert retention.forget(NOON)["raw mail"] == 1
    before = (old.state, old.results, old.subject)
    old.refresh_from_db()
    young.refresh_from_db()
    assert (old.raw, (old.state, old.results, old.subject)) == (None, before)
    assert bytes(young.raw).startswith(b"From:")


def test_how_long_is_a_setting(settings) -> None:
    """mail-requirements.md M10."""
    receive(NOON - 31 * DAY)
    settings.MAIL_RAW_DAYS = 60
    assert retention.forget(NOON)["raw mail"] == 0


def test_mail_that_was_never_read_is_kept_until_it_is() -> None:
    row = receive(NOON - 90 * DAY, read=False)
    assert retention.forget(NOON)["raw mail"] == 0
    processing.process_stored()
    assert retention.forget(NOON)["raw mail"] == 1
    assert InboundEmail.objects.get(pk=row.pk).state != InboundEmail.State.STORED


def test_a_mail_that_comes_again_after_its_text_is_gone_is_still_known() -> None:
    row = receive(NOON - 31 * DAY)
    raw = bytes(row.raw)
    retention.forget(NOON)
    again = ingest(raw, "x@example.net", "play@gem.localhost", "smtp", {}, received_at=NOON)
    assert again.pk == row.pk
    assert processing.process_stored() == 0


def test_texts_of_sent_mail_go_and_their_rows_stay() -> None:
    make_match(players=[make_user("ana")], bots=1)
    delivery.send_queued()
    sent = OutboxMessage.objects.filter(rendered__isnull=False).count()
    assert sent
    assert retention.forget(clock.now() + 29 * DAY)["texts of sent mail"] == 0
    assert retention.forget(clock.now() + 31 * DAY)["texts of sent mail"] == sent
    assert OutboxMessage.objects.filter(state=OutboxMessage.State.SENT).count() >= sent


def test_codes_go_a_week_after_they_have_expired() -> None:
    for days in (-8, -6, 1):
        Ticket.objects.create(
            purpose=Ticket.Purpose.SIGN_UP,
            code_hash=str(days),
            address="x@example.net",
            created_at=NOON - 9 * DAY,
            expires_at=NOON + days * DAY,
        )
    assert retention.forget(NOON)["codes"] == 1
    assert set(Ticket.objects.values_list("code_hash", flat=True)) == {"-6", "1"}


def test_sessions_go_when_they_have_expired() -> None:
    for key, at in (("over", NOON - HOUR), ("valid", NOON + HOUR)):
        Session.objects.create(session_key=key, session_data="", expire_date=at)
    assert retention.forget(NOON)["sessions"] == 1
    assert Session.objects.get().session_key == "valid"


def sign_up(name: str, days_ago: int, **fields: object) -> User:
    """A person who has filled in the form and not confirmed the address."""
    user: User = User.objects.create_user(
        name, f"{name}@example.org", "password", date_joined=NOON - days_ago * DAY, **fields
    )
    EmailAddress.objects.create(user=user, email=user.email, verified=False, primary=True)
    return user


def practise(user: User) -> Match:
    """A match played as a guest before signing up."""
    return start_practice(user, "gem", now=NOON)


def test_accounts_that_nobody_confirmed_or_used_go() -> None:
    sign_up("never", 31)
    practise(sign_up("practised", 31))
    practise(sign_up("practises", 29))
    shared = sign_up("shared", 90)
    practise(shared).seats.filter(index=1).update(user=sign_up("sat-down", 90), bot="")
    kept = [
        sign_up("lately", 29),
        sign_up("admin", 90, is_superuser=True),
        sign_up("came", 90, last_login=NOON),
    ]
    confirmed = sign_up("confirmed", 90)
    EmailAddress.objects.filter(user=confirmed).update(verified=True)
    opener = sign_up("opener", 90)
    Match.objects.filter(pk=make_table(seats=2).pk).update(created_by=opener)
    seated = sign_up("seated", 90)
    make_match(bots=2).seats.filter(index=0).update(user=seated, bot="")
    gone = retention.forget(NOON)["unconfirmed accounts"]
    names = set(User.objects.values_list("username", flat=True))
    assert names == {
        *(user.username for user in [*kept, confirmed, opener, seated]),
        *("practises", "shared", "sat-down"),
    }
    assert gone == 2
    assert Match.objects.filter(created_by__username="practises").count() == 1
    assert not Match.objects.filter(created_by=None, seats__bot="easy").exists()
    assert not EmailAddress.objects.filter(email="never@example.org").exists()


def test_much_is_taken_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 10)
    monkeypatch.setattr(retention, "MOST_BATCHES", 3)
    Session.objects.bulk_create(
        Session(session_key=str(number), session_data="", expire_date=NOON - DAY) for number in range(45)
    )
    assert retention.forget(NOON)["sessions"] == 30
    assert retention.forget(NOON)["sessions"] == 15
    assert retention.forget(NOON)["sessions"] == 0


@pytest.mark.parametrize("rule", retention.RULES, ids=lambda rule: rule.name)
def test_each_rule_finds_its_rows_by_an_index(rule: retention.Rule) -> None:
    table = rule.rows(NOON).model._meta.db_table
    if connection.vendor == "sqlite":
        plan = rule.rows(NOON)[:10].explain()
        assert f"SCAN {table}\n" not in f"{plan}\n", plan
        assert f"SEARCH {table} USING" in plan or f"SCAN {table} USING INDEX" in plan, plan
    else:
        with CaptureQueriesContext(connection):
            connection.cursor().execute("SET LOCAL enable_seqscan = off")
            assert "Index" in rule.rows(NOON)[:10].explain()


def test_the_command_counts_before_it_takes() -> None:
    Session.objects.create(session_key="over", session_data="", expire_date=NOON)
    for arguments, left in ((["--dry-run"], 1), ([], 0)):
        output = StringIO()
        call_command("forget_old_data", *arguments, stdout=output)
        assert "1  sessions" in output.getvalue()
        assert Session.objects.count() == left


def test_what_was_secret_in_a_mail_goes_when_it_cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    make_match(players=[make_user("ana")], bots=1)
    OutboxMessage.objects.update(data={"secret": "code 123"}, attempts=delivery.ATTEMPTS - 1, kind="turn")
    monkeypatch.setattr("gemserver.notify.delivery.write", lambda message: 1 / 0)
    delivery.send_queued()
    rows = OutboxMessage.objects.values_list("state", "data")
    assert rows
    assert all(row == (OutboxMessage.State.FAILED, {}) for row in rows)


YEARS = 73 * 365 * DAY


def come_up(at: datetime, *, last: datetime) -> None:
    """The server, which swept last at that instant, begins to sweep again."""
    Heartbeat.objects.update_or_create(duty=Heartbeat.Duty.SWEEP, defaults={"at": last})
    uptime.watch(at)


@pytest.fixture
def guest() -> User:
    guest = make_user("guest-1")
    User.objects.filter(pk=guest.pk).update(is_guest=True, date_joined=NOON)
    return guest


def test_a_machine_that_comes_up_in_another_century_deletes_nothing(
    guest: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    row = receive(NOON)
    Heartbeat.objects.update_or_create(duty=Heartbeat.Duty.SWEEP, defaults={"at": NOON})
    assert not any(retention.forget(NOON + YEARS).values())  # before the first sweep
    come_up(NOON + YEARS, last=NOON)
    make_table(seats=2, creator=make_user("ana"), now=NOON + YEARS)
    assert not any(retention.forget(NOON + YEARS + DAY).values())
    monkeypatch.setattr(clock, "now", lambda: NOON + YEARS + DAY)
    sweeps.remove_guests()
    assert User.objects.filter(pk=guest.pk).exists()
    row.refresh_from_db()
    assert row.raw
    assert "If the date is wrong, put it right" in caplog.text


def test_once_the_date_is_put_right_all_goes_on(guest: User) -> None:
    come_up(NOON + YEARS, last=NOON)
    uptime.watch(NOON + HOUR)
    receive(NOON - 31 * DAY)
    assert retention.forget(NOON + HOUR)["raw mail"] == 1


def test_a_server_that_was_off_for_a_year_deletes_after_a_week_or_when_somebody_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    receive(NOON)
    back = NOON + 365 * DAY
    come_up(back, last=NOON)
    assert retention.forget(back + 6 * DAY)["raw mail"] == 0
    monkeypatch.setattr(clock, "now", lambda: back)
    assert "went ahead" in " ".join(finding.found for finding in doctor._examine_workers())
    Heartbeat.objects.update(at=back + 6 * DAY)
    assert retention.forget(back + 6 * DAY, is_right=True)["raw mail"] == 1
    receive(NOON + DAY)
    Heartbeat.objects.update(at=back + 8 * DAY)
    assert retention.forget(back + 8 * DAY)["raw mail"] == 1


def test_a_short_outage_defers_nothing() -> None:
    receive(NOON - 31 * DAY)
    come_up(NOON, last=NOON - DAY)
    assert retention.forget(NOON)["raw mail"] == 1


def test_a_report_goes_a_year_after_it_was_dealt_with() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    for text, closed_at in (("old", NOON - 366 * DAY), ("young", NOON - 364 * DAY), ("open", None)):
        Report.objects.create(match=match, text=text, created_at=NOON - 900 * DAY, closed_at=closed_at)
    assert retention.forget(NOON)["reports of people"] == 1
    assert set(Report.objects.values_list("text", flat=True)) == {"young", "open"}
