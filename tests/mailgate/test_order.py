"""Mails count in the order in which this server received them, never by their `Date:`.

See mail-requirements.md I4.
"""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from tests.builders import make_match, make_user
from tests.mailgate.letters import letter

pytestmark = pytest.mark.django_db


def test_the_mail_that_was_received_first_is_read_first() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    seat = match.seats.select_related("user", "match").get(is_waiting=True)
    assert seat.user
    now = clock.now()
    later = letter(seat, "bid 2", Date="Fri, 06 Mar 2026 09:00:00 +0000")
    earlier = letter(seat, "bid 1", Date="Fri, 06 Mar 2026 12:00:00 +0000")
    for raw, received_at in ((later, now), (earlier, now - timedelta(seconds=5))):
        ingest(raw, seat.user.email, seat.reply_address, "imap", {}, received_at=received_at)
    processing.process_stored()
    assert match.moves.get(ply=1).text == "bid 1"
    states = InboundEmail.objects.order_by("received_at").values_list("state", flat=True)
    assert list(states) == ["done", "refused"]


def test_a_worker_makes_room_after_a_while_and_the_rest_is_read_next() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    for seat in match.seats.select_related("user", "match"):
        assert seat.user
        ingest(letter(seat, "bid 1"), seat.user.email, seat.reply_address, "smtp", {})
    assert processing.process_stored(longest=-1) == 1
    assert InboundEmail.objects.filter(state="stored").count() == 1
    assert processing.process_stored() == 1


def test_at_the_lobby_nobody_waits_for_the_mail_of_a_stranger() -> None:
    """At an address of their own, the mails of one player keep their order."""
    now = clock.now()
    taken = {
        name: ingest(raw_from(name), f"{name}@example.net", settings.PLAY_ADDRESS, "smtp", {})
        for name in ("ana", "ben")
    }
    again = ingest(raw_from("ana", number=2), "ana@example.net", settings.PLAY_ADDRESS, "smtp", {})
    assert processing.claim(now) == taken["ana"].pk
    assert processing.claim(now) == taken["ben"].pk
    assert processing.claim(now) is None
    InboundEmail.objects.filter(pk=taken["ana"].pk).update(state="done")
    assert processing.claim(now) == again.pk


def raw_from(name: str, number: int = 1) -> bytes:
    head = f"From: {name}@example.net\r\nTo: {settings.PLAY_ADDRESS}\r\nMessage-ID: <{number}@{name}.example.net>\r\n"
    return f"{head}\r\nhelp\r\n".encode()


def test_a_mail_that_ends_each_process_that_reads_it_is_given_up() -> None:
    row = ingest(raw_from("ana"), "ana@example.net", settings.PLAY_ADDRESS, "smtp", {})
    now = clock.now()
    for _ in range(processing.ATTEMPTS):
        assert processing.claim(now) == row.pk  # and its process is gone
        now += processing.CLAIM
    assert processing.claim(now) == row.pk
    processing.process(row.pk)
    row.refresh_from_db()
    assert (row.state, row.code) == ("unreadable", "server-error")
    assert processing.claim(now + processing.CLAIM) is None


def test_mails_that_were_given_up_are_read_once_more_by_the_command_of_the_runbook() -> None:
    row = ingest(raw_from("ana"), "ana@example.net", settings.PLAY_ADDRESS, "smtp", {})
    other = ingest(raw_from("ben"), "ben@example.net", settings.PLAY_ADDRESS, "smtp", {})
    InboundEmail.objects.filter(pk=row.pk).update(
        state="unreadable", code="server-error", attempts=6, claimed_until=clock.now() + processing.CLAIM
    )
    InboundEmail.objects.filter(pk=other.pk).update(state="unreadable", code="bad-header")
    page = Path(__file__).resolve().parents[2] / "docs/runbooks/GemserverMailGivenUp.md"
    [command] = re.findall(r"gemctl manage shell -c '(.+?)'\n", page.read_text(), re.S)
    call_command("shell", command=command)
    assert processing.claim(clock.now()) == row.pk
    processing.process(row.pk)
    row.refresh_from_db()
    other.refresh_from_db()
    assert (row.state in ("done", "refused", "held"), other.state) == (True, "unreadable")
