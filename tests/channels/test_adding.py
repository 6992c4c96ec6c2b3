"""Limits on what is added; no secret of a channel stands in the database in clear."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.add_channel import add_hook
from gemserver.matches.actions.people.change_channel import (
    MOST_TESTS_A_DAY,
    rotate_secret,
    switch_channel,
    tell_by,
    try_channel,
)
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.channels import Destination, seal_destination, signing_secret
from gemserver.notify.models import Channel, OutboxMessage
from tests.channels.receivers import Receiver
from tests.channels.subscriber import Subscriber
from tests.channels.telling import Clock, Kind, begin, begin_again, deliver, device, hook, mails_to
from tests.site.test_account import sign_in_for_real

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("kind", "more", "code"),
    [
        (Kind.WEBHOOK, {"url": "https://127.0.0.1/"}, "bad-address"),
        (Kind.WEBHOOK, {"url": "https://[::ffff:10.0.0.1]/"}, "bad-address"),
        (Kind.WEBHOOK, {"url": "https://8.8.8.8:6379/"}, "bad-address"),
        (Kind.WEBHOOK, {"url": "javascript:alert(1)"}, "bad-address"),
        (Kind.WEBHOOK, {"url": "http://example.org/", "holds_mail": True}, "https-only"),
        (Kind.DISCORD, {"url": "http://example.org/"}, "https-only"),
        (Kind.NTFY, {"url": "http://example.org/t", "token": "tk_1"}, "https-only"),
        (Kind.MATRIX, {"url": "https://example.org/", "room": "!a:b"}, "no-token"),
        (Kind.MATRIX, {"url": "https://example.org/", "room": "!a:b", "token": "a\r\nX:b"}, "bad-address"),
        (Kind.WEBHOOK, {"url": "https://example.org/", "name": "Devices"}, "no-name"),
        (Kind.WEBHOOK, {"url": "https://example.org/", "name": "taken"}, "name-taken"),
    ],
)
def test_what_cannot_be_sent_to_is_refused(ana: User, kind: Kind, more: dict[str, Any], code: str) -> None:
    add_hook(ana, Kind.WEBHOOK, "Taken", url="https://example.org/", now=clock.now())
    with pytest.raises(Refused) as refusal:
        add_hook(ana, kind, **{"name": "new", **more}, now=clock.now())
    assert refusal.value.code == code
    assert Channel.objects.count() == 1


def test_a_player_has_ten_channels_at_most(ana: User) -> None:
    for number in range(10):
        add_hook(ana, Kind.WEBHOOK, f"bot {number}", url="https://example.org/", now=clock.now())
    with pytest.raises(Refused, match="too-many-channels"):
        add_hook(ana, Kind.WEBHOOK, "one more", url="https://example.org/", now=clock.now())


def test_a_test_is_sent_once_a_minute_to_this_channel_alone(ana: User, there: Receiver, now: Clock) -> None:
    add_hook(ana, Kind.WEBHOOK, "bot", url=there.url, now=clock.now())
    try_channel(ana, "bot", now=clock.now())
    with pytest.raises(Refused, match="too-soon"):
        try_channel(ana, "bot", now=clock.now())
    deliver()
    now.pass_(minutes=1)
    there.status = 500
    try_channel(ana, "bot", now=clock.now())
    now.pass_(minutes=1)
    deliver()
    deliver()
    assert len(there.got) == 2, "one that failed is not tried again"
    assert (mails_to(ana), delivery.health.is_stalled(now.at + timedelta(hours=1))) == ([], False)


@pytest.mark.slow
def test_whoever_removes_and_adds_channels_has_no_more_tests_sent(ana: User, there: Receiver) -> None:
    """Each had a minute of its own, so that the server knocked at any address as often as somebody liked."""
    browser = sign_in_for_real(ana)
    form = {"do": "hook", "kind": "webhook", "name": "bot", "url": there.url}
    for _ in range(MOST_TESTS_A_DAY):
        assert browser.post("/you/channels/", form).status_code == 200
        browser.post("/you/channels/", {"remove": "bot"})
    page = browser.post("/you/channels/", form)
    assert "come back tomorrow" in page.content.decode()
    assert not ana.channels.exists(), "it can be added later, with its secret"
    assert OutboxMessage.objects.filter(kind="channel-test").count() == MOST_TESTS_A_DAY


def test_nobody_chooses_what_is_not_there(ana: User, there: Receiver) -> None:
    for way, code in (("bot", "no-such-channel"), ("devices", "no-device")):
        with pytest.raises(Refused, match=code):
            tell_by(ana, way)
    add_hook(ana, Kind.WEBHOOK, "bot", url=there.url, now=clock.now())
    switch_channel(ana, "bot", on=False, now=clock.now())
    with pytest.raises(Refused, match="channel-off"):
        tell_by(ana, "bot")


@pytest.mark.slow
def test_no_live_secret_of_a_channel_stands_in_the_database_in_clear(
    ana: User, secure: Receiver, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    """After all channels have been used, failed and renewed; nor does any stand in the log, down to DEBUG."""
    caplog.set_level("DEBUG")
    one, base = Subscriber(), secure.url.removesuffix("/hook")
    device(ana, secure, one, settings, "/push/endpointmark")
    hook(ana, secure, name="bot", url=f"{base}/hookmark", holds_mail=True)
    rotate_secret(ana, "bot", now=clock.now())
    hook(ana, secure, Kind.DISCORD, "discord", url=f"{base}/api/webhooks/1/discordmark")
    hook(ana, secure, Kind.SLACK, "slack", url=f"{base}/services/slackmark")
    hook(ana, secure, Kind.MATRIX, "matrix", url=base, room="!roommark:example.org", token="matrixmark")
    hook(ana, secure, Kind.NTFY, "ntfy", url=f"{base}/topicmark", token="ntfymark")
    names = ["devices", *Channel.objects.exclude(kind=Kind.WEB_PUSH).values_list("name", flat=True)]
    begin(ana)
    for secure.status in (200, 500):
        for name in names:
            tell_by(ana, name)
            begin_again(ana)
            deliver()
    assert len(secure.got) >= 2 * len(names)
    channel = Channel.objects.get(name="bot")
    secrets = {
        *("endpointmark", "hookmark", "discordmark", "slackmark", "roommark", "matrixmark", "topicmark"),
        *("ntfymark", one.sent["auth"], one.sent["point"], settings.VAPID_KEY, signing_secret(channel)),
        signing_secret(channel).removeprefix("whsec_"),
    }
    arrived = " ".join(f"{got.path} {got.headers} {got.body!r}" for got in secure.got)
    assert all(mark in arrived for mark in secrets if mark.endswith("mark")), "all of them were used"
    stored = " ".join(every_value())
    assert "discord" in stored, "the search finds what is there"
    assert {secret for secret in secrets if secret.lower() in stored} == set()
    assert {secret for secret in secrets if secret.lower() in caplog.text.lower()} == set()


def every_value() -> Iterator[str]:
    """Every value of every row of every table, in lower case."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                for value in row:
                    raw = bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()
                    yield raw.decode("utf-8", "replace").lower()


def test_the_same_address_is_never_encrypted_alike() -> None:
    assert seal_destination(Destination("https://example.org/")) != seal_destination(
        Destination("https://example.org/")
    )
