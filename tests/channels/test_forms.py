"""Each kind of channel is told in its own form, signed or encrypted as its standard says."""

from __future__ import annotations

import base64
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings
from standardwebhooks import Webhook

from gemserver.accounts.models import User
from gemserver.events.actions.start_season import start_season
from gemserver.lib import clock, web_push
from gemserver.matches.actions.people.change_channel import (
    rotate_secret,
    try_channel,
)
from gemserver.notify.channel_messages import sign
from gemserver.notify.channels import Destination, read_destination, signing_secret
from gemserver.notify.models import Channel, OutboxMessage
from gemserver.operating import mail_key
from gemserver.puzzles.models import Subscription
from gemserver.puzzles.subscribing import send_due, subscribe
from tests.channels.receivers import Receiver
from tests.channels.subscriber import Subscriber, read_vapid
from tests.channels.telling import Clock, Kind, begin, begin_again, deliver, device, hook, mails_to
from tests.events.leagues import make_event, make_players
from tests.puzzles.puzzles import pose

pytestmark = pytest.mark.django_db


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
    assert read_destination(Channel.objects.get()) == Destination(there.url)


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


@pytest.mark.slow
def test_a_hook_is_told_of_events_and_puzzles_by_what_they_are_about(
    ana: User, there: Receiver, now: Clock
) -> None:
    hook(ana, there)
    soon = clock.now() + timedelta(days=7)
    event = make_event(ana, [ana, *make_players(3)], starts_at=soon, now=clock.now())
    start_season(event.seasons.get().pk, by=ana, now=clock.now())
    pose()
    Subscription.objects.filter(pk=subscribe(ana, now=clock.now()).pk).update(next_at=clock.now())
    send_due(clock.now())
    now.pass_(hours=1)
    deliver()
    told = {news["type"]: news["data"] for news in map(json.loads, there.messages)}
    assert told["season-started"]["event"] == "league"
    assert told["puzzle"]["game"] == "gem"
    assert "match" not in told["puzzle"]


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
