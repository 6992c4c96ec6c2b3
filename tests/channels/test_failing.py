"""A dead channel falls back to mail, which says so; until then it is tried with growing pauses."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from itertools import pairwise
from typing import Any

import pytest
from django.db import connections
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock, outbound
from gemserver.matches.actions.people.change_channel import remove_channel, switch_channel, tell_by
from gemserver.matches.models import Move
from gemserver.notify import channel_delivery, delivery
from gemserver.notify.models import Channel, OutboxMessage
from tests.channels.receivers import Receiver, hang
from tests.channels.subscriber import Subscriber
from tests.channels.telling import Clock, Kind, begin, begin_again, deliver, device, hook, mails_to
from tests.quick import first

pytestmark = pytest.mark.django_db


@pytest.mark.slow
@pytest.mark.parametrize("status", first(1, [500, 302, 400, 404, 429, 503]))
def test_a_hook_that_fails_is_tried_for_three_days_with_growing_pauses(
    ana: User, there: Receiver, now: Clock, status: int
) -> None:
    hook(ana, there)
    there.status = status
    began = now.at
    begin(ana)
    tried: list[float] = []
    while Channel.objects.get().is_on:
        deliver()
        if len(there.got) > len(tried):
            tried.append((now.at - began).total_seconds())
        assert now.at - began < timedelta(days=4)
        now.pass_(minutes=10)
    pauses = [later - earlier for earlier, later in pairwise(tried)]
    assert pauses == sorted(pauses)
    assert 8 < len(tried) < 40
    assert timedelta(days=3) <= timedelta(seconds=tried[-1]) < timedelta(days=3, hours=9)
    deliver()
    assert Channel.objects.get().off == "failing"
    assert len(mails_to(ana)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "status"),
    [
        *[(Kind.WEBHOOK, 410), (Kind.DISCORD, 404), (Kind.SLACK, 404), (Kind.SLACK, 410), (Kind.MATRIX, 401)],
        (Kind.NTFY, 410),
    ],
)
def test_a_hook_that_is_gone_falls_back_to_mail_at_once_and_the_mail_says_so(
    ana: User, secure: Receiver, kind: Kind, status: int
) -> None:
    hook(ana, secure, kind, "club")
    secure.status = status
    begin(ana)
    deliver()
    [letter] = mails_to(ana)
    said = "nothing arrives any more by the channel you chose (club)"
    assert said in " ".join(letter.body.split())
    assert said in letter.alternatives[0][0]
    assert "/you/channels/" in letter.body
    begin_again(ana)
    deliver()
    assert said not in " ".join(mails_to(ana)[-1].body.split()), "it is said once"
    assert len(secure.got) == 1


@pytest.mark.slow
def test_a_receiver_that_hangs_is_tried_once_for_all_that_waits_and_mails_go_out_meanwhile(
    ana: User, ben: User, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "LONGEST", 0.5)
    hook(ana, there)
    there.behave = hang
    begin(ana, ben)
    begin_again(ana, ben)
    begin_again(ana, ben)
    delivery.send_queued()
    assert (len(mails_to(ben)), there.got) == (3, []), "no mail waits for a hook"
    channel_delivery.send_queued()
    assert (len(there.got), Channel.objects.get().last_fault) == (1, "slow")


def test_a_reminder_does_not_wait_for_a_hook_that_fails(ana: User, there: Receiver, now: Clock) -> None:
    hook(ana, there)
    there.status = 500
    begin(ana)
    deliver()
    row = OutboxMessage.objects.get(user=ana)
    OutboxMessage.objects.filter(pk=row.pk).update(kind="reminder", available_at=now.at)
    channel_delivery.send_queued()
    row.refresh_from_db()
    assert (row.route, len(there.got)) == ("mail", 1)


def test_a_hook_that_says_when_is_not_tried_before(ana: User, there: Receiver, now: Clock) -> None:
    hook(ana, there)
    there.status, there.headers = 429, {"Retry-After": "3600"}
    begin(ana)
    deliver()
    now.pass_(minutes=59)
    deliver()
    assert len(there.got) == 1
    there.status = 200
    now.pass_(minutes=2)
    deliver()
    channel = Channel.objects.get()
    assert (len(there.got), channel.failures, channel.last_fault) == (2, 0, "")


@pytest.mark.parametrize(
    ("date", "waits"),
    [
        ("Mon, 02 Nov 2026 13:00:00 GMT", timedelta(hours=1)),
        ("Monday, 02-Nov-26 13:00:00 GMT", timedelta(hours=1)),
        ("Mon Nov  2 13:00:00 2026", timedelta(hours=1)),
        ("Fri, 01 Jan 2027 00:00:00 GMT", channel_delivery.RETRY_LONGEST),
        ("Sun, 01 Nov 2026 13:00:00 GMT", channel_delivery.RETRY_FIRST),
        ("Mon, 99 Nov 2026 13:00:00 GMT", channel_delivery.RETRY_FIRST),
        ("tomorrow", channel_delivery.RETRY_FIRST),
        ("9" * 5000, channel_delivery.RETRY_FIRST),
    ],
)
def test_a_hook_may_say_when_by_a_date(
    date: str, waits: timedelta, ana: User, there: Receiver, now: Clock
) -> None:
    """RFC 9110 10.2.3, in the three ways of writing it of 5.6.7; bounded like seconds."""
    hook(ana, there)
    there.status, there.headers = 503, {"Retry-After": date}
    begin(ana)
    deliver()
    next_try = Channel.objects.get().next_try_at
    assert next_try is not None
    assert timedelta(0) <= next_try - now.at - waits < timedelta(seconds=2)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("status", [204, 500])
def test_a_hook_that_hangs_is_called_by_one_worker_and_the_others_go_on_when_it_answers(
    ana: User, there: Receiver, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(channel_delivery, "BATCH", 1)
    hook(ana, there)
    begin(ana)
    begin_again(ana)
    delivery.send_queued()
    asked, may_answer = threading.Event(), threading.Event()

    def hang_until_told(request: BaseHTTPRequestHandler) -> None:
        asked.set()
        may_answer.wait(timeout=7)
        request.send_response(status)
        request.end_headers()

    there.behave = hang_until_told
    with ThreadPoolExecutor() as pool:
        first = pool.submit(_send_in_thread)
        assert asked.wait(timeout=20)
        channel_delivery.send_queued()
        assert len(there.got) == 1
        may_answer.set()
        first.result(timeout=20)
    channel_delivery.send_queued()
    told = OutboxMessage.objects.filter(user=ana, state="sent").count()
    assert (len(there.got), told) == ((2, 2) if status == 204 else (1, 0))


def _send_in_thread() -> None:
    try:
        channel_delivery.send_queued()
    finally:
        connections.close_all()


def test_a_row_for_many_channels_stays_with_its_worker_however_long_they_take(
    ana: User, secure: Receiver, now: Clock, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    for path in ("/p/1", "/p/2", "/p/3"):
        device(ana, secure, Subscriber(), settings, path)
    tell_by(ana, "devices")
    send = outbound.send

    def send_slowly(*request: Any) -> outbound.Answer:
        answer = send(*request)
        now.pass_(seconds=80)
        channel_delivery.send_queued()  # another worker, which finds nothing
        return answer

    monkeypatch.setattr(outbound, "send", send_slowly)
    begin(ana)
    deliver()
    assert sorted(each.path for each in secure.got) == ["/p/1", "/p/2", "/p/3"]
    assert OutboxMessage.objects.get(user=ana).state == "sent"


def test_a_hook_into_our_own_network_gets_nothing(ana: User, there: Receiver, settings: Settings) -> None:
    hook(ana, there)
    settings.HOOK_HOSTS = []
    begin(ana)
    deliver()
    assert (there.got, Channel.objects.get().last_fault) == ([], "address")


def test_switched_on_again_it_is_told_again(ana: User, there: Receiver) -> None:
    hook(ana, there)
    there.status = 410
    begin(ana)
    deliver()
    there.status = 200
    switch_channel(ana, "bot", on=True, now=clock.now())
    begin_again(ana)
    deliver()
    assert (len(there.got), len(mails_to(ana))) == (2, 1)


def test_a_clock_put_back_leaves_no_channel_waiting_for_hours(ana: User, there: Receiver, now: Clock) -> None:
    hook(ana, there)
    there.status = 500
    now.pass_(days=1)
    begin(ana)
    deliver()
    was, there.status = now.at, 200
    now.pass_(days=-1)
    delivery.put_clock_back(was, now.at)
    deliver()
    assert len(there.got) == 2


def test_a_hook_that_is_removed_while_its_receiver_fails_holds_up_nobody(
    ana: User, ben: User, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook(ana, there, url=f"{there.url}/ana")
    hook(ben, there)
    _while_ana_is_told(monkeypatch, lambda: remove_channel(ana, "bot"), 500)
    begin(ana, ben)
    deliver()
    assert (len(there.got), len(mails_to(ana)), len(mails_to(ben))) == (2, 1, 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("status", [204, 410, 500])
def test_an_account_that_is_erased_while_its_hook_is_told_holds_up_nobody(
    ana: User, ben: User, there: Receiver, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    hook(ana, there, url=f"{there.url}/ana")
    hook(ben, there)
    _while_ana_is_told(monkeypatch, lambda: erase(ana, source=Move.Source.WEB, now=clock.now()), status)
    begin(ana, ben)
    deliver()
    assert "/hook" in [each.path for each in there.got]
    assert not OutboxMessage.objects.filter(state="queued").exists()


def _while_ana_is_told(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object], status: int) -> None:
    """Let this happen while the first request to her hook is under way, which is then answered with this status."""
    send = outbound.send
    left = [happens]

    def send_first(method: str, url: str, *request: Any) -> outbound.Answer:
        answer = send(method, url, *request)
        if not left or not url.endswith("/ana"):
            return answer
        left.pop()()
        return outbound.Answer(status)

    monkeypatch.setattr(outbound, "send", send_first)
