"""A notice leaves once, by the channel that its reader chose; a dead channel falls back to mail, which says so."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from pytest_django import Settings
from standardwebhooks import Webhook

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.lib import clock, outbound, web_push
from gemserver.matches.actions.people.add_channel import add_device, add_hook
from gemserver.matches.actions.people.change_channel import (
    remove_channel,
    rotate_secret,
    switch_channel,
    tell_by,
    try_channel,
)
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.notify import channel_delivery, delivery
from gemserver.notify.channel_messages import sign
from gemserver.notify.channels import Place, read_place, seal_place, signing_secret
from gemserver.notify.models import Channel, OutboxMessage
from gemserver.operating import mail_key
from tests.builders import make_match, make_user
from tests.channels.receivers import Receiver, hang, receiver
from tests.channels.subscriber import Subscriber, read_vapid
from tests.services.certificates import make_certificate

pytestmark = pytest.mark.django_db

Kind = Channel.Kind


class Clock:
    """A clock that a test puts forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = datetime.fromisoformat("2026-11-02T12:00:00+00:00")
        monkeypatch.setattr(clock, "now", lambda: self.at)

    def pass_(self, **span: float) -> None:
        self.at += timedelta(**span)


@pytest.fixture
def there(settings: Settings) -> Iterator[Receiver]:
    with receiver() as found:
        settings.HOOK_HOSTS = [found.place]
        yield found


@pytest.fixture
def secure(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver with TLS, whose certificate this machine trusts."""
    certificate = make_certificate(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with receiver(certificate=certificate) as found:
        settings.HOOK_HOSTS = [found.place]
        yield found


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def hook(user: User, there: Receiver, kind: Kind = Kind.WEBHOOK, name: str = "bot", **more: Any) -> Channel:
    channel = add_hook(user, kind, name, **{"url": there.url, **more}, now=clock.now())
    tell_by(user, name)
    return channel


def device(user: User, there: Receiver, one: Subscriber, settings: Settings, path: str = "/p/1") -> Channel:
    if not settings.VAPID_KEY:
        settings.VAPID_KEY = web_push.new_key()
    vapid = web_push.public_key(settings.VAPID_KEY)
    endpoint = there.url.replace("/hook", path)
    return add_device(user, "Firefox", endpoint=endpoint, **one.sent, vapid=vapid, now=clock.now())


def begin(*players: User) -> Match:
    """Start a match: everybody is told."""
    return make_match(players=[*players, make_user("eve")], now=clock.now())


def deliver() -> None:
    delivery.send_queued()
    channel_delivery.send_queued()
    delivery.send_queued()


def mails_to(user: User) -> list[Any]:
    return [each for each in mail.outbox if each.to == [user.email]]


# --- Once, by the chosen way ----------------------------------------------------------------------


def test_without_a_choice_everything_comes_by_mail(ana: User, there: Receiver) -> None:
    add_hook(ana, Kind.WEBHOOK, "bot", url=there.url, now=clock.now())
    begin(ana)
    deliver()
    assert (len(mails_to(ana)), there.got) == (1, [])


def test_a_notice_comes_once_by_the_channel_and_not_by_mail(ana: User, there: Receiver) -> None:
    hook(ana, there)
    match = begin(ana)
    for _ in range(3):
        deliver()
    assert (len(mails_to(ana)), len(there.got)) == (0, 1)
    sent = json.loads(there.got[0].body)
    assert sent["data"]["match"] == match.code
    assert sent["data"]["url"].endswith(match.get_absolute_url())
    row = OutboxMessage.objects.get(user=ana)
    assert (row.state, row.route) == ("sent", "channel")


def test_back_to_mail_is_back_to_mail(ana: User, there: Receiver) -> None:
    hook(ana, there)
    begin(ana)
    tell_by(ana, "mail")
    deliver()
    assert (len(mails_to(ana)), there.got) == (1, [])


def test_what_is_switched_off_or_removed_while_it_waits_comes_by_mail(
    ana: User, ben: User, there: Receiver
) -> None:
    hook(ana, there)
    hook(ben, there)
    begin(ana, ben)
    delivery.send_queued()
    switch_channel(ana, "bot", on=False, now=clock.now())
    remove_channel(ben, "BOT")
    deliver()
    assert (len(mails_to(ana)), len(mails_to(ben)), there.got) == (1, 1, [])
    assert all("switched off" not in each.body for each in mail.outbox), "they did it themselves"


def test_a_notice_whose_matter_has_passed_is_skipped(ana: User, there: Receiver) -> None:
    hook(ana, there)
    match = begin(ana)
    delivery.send_queued()
    Match.objects.filter(pk=match.pk).update(status="finished")
    OutboxMessage.objects.filter(user=ana).update(kind="turn", data={"match": match.pk, "seat": 0, "turn": 1})
    deliver()
    assert there.got == []
    assert OutboxMessage.objects.get(user=ana).state == "skipped"


def test_who_gets_no_mail_any_more_is_told_by_their_channel(ana: User, there: Receiver) -> None:
    hook(ana, there)
    UnreachableAddress.objects.create(address=ana.email, why="bounced", since=clock.now())
    begin(ana)
    deliver()
    assert len(there.got) == 1
    there.status = 410
    begin_again(ana)
    deliver()
    assert mails_to(ana) == []
    assert set(OutboxMessage.objects.filter(user=ana).values_list("state", flat=True)) == {"sent", "skipped"}


def begin_again(*players: User) -> Match:
    return make_match(players=[*players, User.objects.get(username="eve")], now=clock.now())


# --- Each kind in its own form --------------------------------------------------------------------


def test_a_webhook_is_signed_as_standard_webhooks_say(ana: User, there: Receiver) -> None:
    """Checked with the reference library of the specification."""
    channel = hook(ana, there)
    begin(ana)
    deliver()
    [got] = there.got
    assert signing_secret(channel).startswith("whsec_")
    assert Webhook(signing_secret(channel)).verify(got.body.decode(), got.headers)["type"] in {
        "turn",
        "started",
    }
    with pytest.raises(Exception, match="signature"):
        Webhook("whsec_" + base64.b64encode(b"another secret of 24 bytes").decode()).verify(
            got.body.decode(), got.headers
        )
    assert "." not in got.headers["webhook-id"]


def test_the_example_of_standard_webhooks_is_signed_as_it_says() -> None:
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signature = sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_message_that_is_tried_again_keeps_its_id(ana: User, there: Receiver, now: Clock) -> None:
    hook(ana, there)
    there.status = 500
    begin(ana)
    deliver()
    there.status = 200
    now.pass_(minutes=1)
    deliver()
    first, second = there.got
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["webhook-timestamp"] != second.headers["webhook-timestamp"]


def test_for_three_days_after_a_rotation_both_secrets_are_good(
    ana: User, there: Receiver, now: Clock
) -> None:
    before = signing_secret(hook(ana, there))
    after = signing_secret(rotate_secret(ana, "bot", now=clock.now()))
    assert before != after
    begin(ana)
    deliver()
    sent = there.got[-1].headers["webhook-signature"].split()
    assert len(sent) == 2
    now.pass_(days=4)
    begin_again(ana)
    deliver()
    assert len(there.got[-1].headers["webhook-signature"].split()) == 1


def test_a_new_mail_key_leaves_addresses_and_signatures_good(
    ana: User, there: Receiver, settings: Settings
) -> None:
    secret = signing_secret(hook(ana, there))
    settings.MAIL_KEY, settings.MAIL_KEY_FALLBACKS = "another" * 9, [settings.MAIL_KEY]
    mail_key.rotate()
    begin(ana)
    deliver()
    [got] = there.got
    Webhook(secret).verify(got.body.decode(), got.headers)
    settings.MAIL_KEY_FALLBACKS = []
    assert read_place(Channel.objects.get()) == Place(there.url)


def test_an_address_under_a_key_that_is_gone_switches_the_channel_off(
    ana: User, there: Receiver, settings: Settings
) -> None:
    hook(ana, there)
    settings.MAIL_KEY = "another" * 9
    begin(ana)
    deliver()
    assert (Channel.objects.get().off, len(mails_to(ana))) == ("key", 1)


def test_only_a_hook_that_is_switched_on_for_it_gets_what_the_mail_holds(ana: User, secure: Receiver) -> None:
    hook(ana, secure, name="closed")
    begin(ana)
    deliver()
    hook(ana, secure, name="open", holds_mail=True)
    begin_again(ana)
    deliver()
    closed, opened = (json.loads(got.body)["data"] for got in secure.got)
    assert "mail" not in closed
    assert "On the web:" in opened["mail"]["text"]
    seat_token = ana.seats.order_by("-pk")[0].token
    assert seat_token not in secure.got[-1].body.decode(), "no address that plays for her"


def test_chats_are_written_to_as_they_want_it(ana: User, secure: Receiver) -> None:
    for number, kind in enumerate((Kind.DISCORD, Kind.SLACK, Kind.MATRIX, Kind.NTFY)):
        hook(ana, secure, kind, kind, url=secure.url + "/topic")
        begin(ana) if not number else begin_again(ana)
        deliver()
    discord, slack, matrix, ntfy = (json.loads(got.body) for got in secure.got)
    title = discord["content"].splitlines()[0]
    assert re.fullmatch(r"(Your turn|The match begins): GEM M\d+", title)
    assert discord["allowed_mentions"] == {"parse": []}
    assert "/m/M" in slack["text"]
    assert "/m/M" in matrix["text"]
    assert (ntfy["topic"], ntfy["click"].startswith("http")) == ("topic", True)
    assert secure.got[-1].path == "/hook/"


def test_a_matrix_room_has_a_message_once_however_often_it_is_sent(
    ana: User, secure: Receiver, now: Clock
) -> None:
    base = secure.url.removesuffix("/hook")
    hook(ana, secure, Kind.MATRIX, "room", url=base, room="!abc:example.org", token="syt_secret")
    secure.status = 502
    begin(ana)
    deliver()
    secure.status = 200
    now.pass_(minutes=1)
    deliver()
    first, second = secure.got
    assert (first.method, first.path) == ("PUT", second.path), "the transaction's name is in the path"
    assert first.path.startswith("/_matrix/client/v3/rooms/%21abc%3Aexample.org/send/m.room.message/")
    assert first.headers["authorization"] == "Bearer syt_secret"
    assert json.loads(first.body)["msgtype"] == "m.text"


def test_markup_in_names_is_text_in_slack(ana: User, secure: Receiver) -> None:
    hook(ana, secure, Kind.SLACK, "chat")
    try_channel(ana, "chat", now=clock.now())
    deliver()
    assert "<" not in json.loads(secure.got[0].body)["text"]


def test_a_push_is_for_one_browser_alone_and_says_nothing_private(
    ana: User, secure: Receiver, settings: Settings
) -> None:
    one = Subscriber()
    device(ana, secure, one, settings)
    match = begin(ana)
    deliver()
    [got] = secure.got
    assert (mails_to(ana), got.path) == ([], "/p/1")
    assert (got.headers["content-encoding"], int(got.headers["ttl"]) > 0) == ("aes128gcm", True)
    claims, public = read_vapid(got.headers["authorization"])
    assert claims["aud"] == secure.url.removesuffix("/hook")
    assert public == web_push.public_key(settings.VAPID_KEY)
    shown = json.loads(one.open(got.body))
    assert shown.keys() == {"title", "body", "path", "tag"}
    assert shown["path"] == match.get_absolute_url()
    assert re.fullmatch(rf"(Your turn|The match begins): GEM {match.code}", shown["title"])


def test_all_devices_are_told_and_one_that_is_gone_leaves_the_others(
    ana: User, secure: Receiver, settings: Settings
) -> None:
    def answer(request: Any) -> None:
        request.send_response(410 if request.path == "/p/2" else 201)
        request.end_headers()

    secure.behave = answer
    for number in range(3):
        device(ana, secure, Subscriber(), settings, f"/p/{number + 1}")
    begin(ana)
    deliver()
    assert sorted(got.path for got in secure.got) == ["/p/1", "/p/2", "/p/3"]
    assert list(Channel.objects.values_list("name", "off")) == [
        *[("Firefox", ""), ("Firefox 2", "gone"), ("Firefox 3", "")]
    ]
    assert mails_to(ana) == []


def test_a_device_that_fails_is_tried_again_and_the_others_are_not(
    ana: User, secure: Receiver, settings: Settings, now: Clock
) -> None:
    failing = {"/p/2"}

    def answer(request: Any) -> None:
        request.send_response(500 if request.path in failing else 201)
        request.end_headers()

    secure.behave = answer
    for number in range(2):
        device(ana, secure, Subscriber(), settings, f"/p/{number + 1}")
    begin(ana)
    deliver()
    failing.clear()
    now.pass_(minutes=1)
    deliver()
    assert [got.path for got in secure.got] == ["/p/1", "/p/2", "/p/2"]
    assert OutboxMessage.objects.get(user=ana).state == "sent"


def test_a_new_vapid_key_leaves_browsers_that_have_subscribed(
    ana: User, secure: Receiver, settings: Settings
) -> None:
    device(ana, secure, Subscriber(), settings)
    before = settings.VAPID_KEY
    settings.VAPID_KEY, settings.VAPID_KEY_FALLBACKS = web_push.new_key(), [before]
    begin(ana)
    deliver()
    assert read_vapid(secure.got[0].headers["authorization"])[1] == web_push.public_key(before)
    settings.VAPID_KEY_FALLBACKS = []
    begin_again(ana)
    deliver()
    assert (Channel.objects.get().off, len(mails_to(ana))) == ("key", 1)


def test_a_browser_belongs_to_the_account_that_subscribed_last(
    ana: User, ben: User, secure: Receiver, settings: Settings
) -> None:
    one = Subscriber()
    device(ana, secure, one, settings)
    device(ben, secure, one, settings)
    begin(ana, ben)
    deliver()
    assert [channel.user for channel in Channel.objects.all()] == [ben]
    assert (len(secure.got), len(mails_to(ana))) == (1, 1)


# --- Receivers that fail --------------------------------------------------------------------------


@pytest.mark.parametrize("status", [302, 400, 404, 429, 500, 503])
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


# --- What may be added ----------------------------------------------------------------------------


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


def test_nobody_chooses_what_is_not_there(ana: User, there: Receiver) -> None:
    for way, code in (("bot", "no-such-channel"), ("devices", "no-device")):
        with pytest.raises(Refused, match=code):
            tell_by(ana, way)
    add_hook(ana, Kind.WEBHOOK, "bot", url=there.url, now=clock.now())
    switch_channel(ana, "bot", on=False, now=clock.now())
    with pytest.raises(Refused, match="channel-off"):
        tell_by(ana, "bot")


# --- Secrets --------------------------------------------------------------------------------------


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
    assert seal_place(Place("https://example.org/")) != seal_place(Place("https://example.org/"))
