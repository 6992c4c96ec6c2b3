"""The page of channels: what it shows, what it shows once, and what it never does."""

from __future__ import annotations

import logging

import pytest
from django.test import Client
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock, web_push
from gemserver.lib.text.redaction import redact_log
from gemserver.matches.actions.people.add_channel import add_hook
from gemserver.matches.actions.people.change_channel import told_by
from gemserver.notify import channel_delivery
from gemserver.notify.channels import signing_secret
from gemserver.notify.models import Channel, OutboxMessage
from gemserver.site.account.export import collect, write_account
from tests.channels.subscriber import Subscriber
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db

PAGE = "/you/channels/"
HOOK = {"do": "hook", "kind": "webhook", "name": "bot", "url": "https://example.org/pathmark"}


@pytest.fixture
def browser(ana: User) -> Client:
    return signed_in(ana)


def test_a_webhooks_secret_is_shown_once_and_its_address_never(browser: Client) -> None:
    made = browser.post(PAGE, HOOK).content.decode()
    secret = signing_secret(Channel.objects.get())
    assert secret in made
    page = browser.get(PAGE).content.decode()
    for text in (made, page):
        assert "example.org/…" in text
        assert "pathmark" not in text
    assert secret not in page
    assert "whsec_" not in page


def test_a_test_is_on_its_way_at_once(browser: Client) -> None:
    browser.post(PAGE, HOOK)
    assert OutboxMessage.objects.get().kind == "channel-test"
    assert "A test was sent within the last minute" in read_main(browser.post(PAGE, {"test": "bot"})).text


def test_everything_can_be_done_without_scripts(browser: Client, ana: User) -> None:
    browser.post(PAGE, {**HOOK, "kind": "slack", "name": "club"})
    browser.post(PAGE, {"by": "club"})
    assert told_by(ana) == "club"
    browser.post(PAGE, {"off": "club"})
    shown = read_main(browser.get(PAGE)).text
    assert "Off since" in shown
    assert "switched off by you" in shown
    assert "Until it is on again, you are told by mail." in shown
    browser.post(PAGE, {"on": "club"})
    assert Channel.objects.get().is_on
    browser.post(PAGE, {"remove": "club"})
    assert (Channel.objects.count(), told_by(ana)) == (0, "mail")


def test_a_channel_that_died_says_why(browser: Client, ana: User) -> None:
    browser.post(PAGE, HOOK)
    channel_delivery.switch_off(Channel.objects.get(), Channel.Off.GONE)
    assert "its address is gone" in read_main(browser.get(PAGE)).text
    Channel.objects.update(off="", last_fault="tls", failing_since=clock.now())
    assert "Its certificate is not valid." in read_main(browser.get(PAGE)).text
    Channel.objects.update(last_fault="503")
    assert "It answered with status 503." in read_main(browser.get(PAGE)).text


@pytest.mark.parametrize(
    "wrong", [{"url": "https://10.0.0.1/"}, {"url": ""}, {"name": ""}, {"kind": "webpush"}]
)
def test_what_is_wrong_is_said_and_nothing_typed_is_lost(browser: Client, wrong: dict[str, str]) -> None:
    answer = browser.post(PAGE, {**HOOK, **wrong})
    assert answer.status_code == 422
    kept = {**HOOK, **wrong}["name"]
    assert f'value="{kept}"' in answer.content.decode() or not kept
    assert not Channel.objects.exists()


def test_private_text_and_a_new_secret_ask_for_a_fresh_sign_in(ana: User) -> None:
    browser = Client()
    browser.force_login(ana)  # long ago
    assert "reauthenticate" in browser.post(PAGE, {**HOOK, "holds_mail": "on"})["Location"]
    assert not Channel.objects.exists()
    browser.post(PAGE, HOOK)
    assert "reauthenticate" in browser.post(PAGE, {"rotate": "bot"})["Location"]
    assert Channel.objects.get().generation == 0


def test_a_browser_can_be_added_only_where_the_server_has_a_key(
    browser: Client, ana: User, settings: Settings
) -> None:
    assert "This device" not in read_main(browser.get(PAGE)).text
    settings.VAPID_KEY = web_push.new_key()
    key = web_push.public_key(settings.VAPID_KEY)
    assert key in browser.get(PAGE).content.decode()
    given = {"endpoint": "https://push.example.org/1", **Subscriber().sent, "vapid": key}
    for wrong in (
        {"endpoint": "http://push.example.org/"},
        {"point": "AAAA"},
        {"auth": ""},
        {"vapid": "old"},
    ):
        assert browser.post(PAGE, {**given, **wrong}).status_code == 422
    agent = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"
    browser.post(PAGE, given, headers={"User-Agent": agent})
    assert (Channel.objects.get().name, told_by(ana)) == ("Firefox, Android", "devices")


def test_nobody_changes_what_is_anothers(browser: Client, ben: User) -> None:
    add_hook(ben, Channel.Kind.SLACK, "club", url="https://example.org/1", now=clock.now())
    for button in ("test", "off", "on", "remove", "by"):
        assert browser.post(PAGE, {button: "club"}).status_code == 422
    assert Channel.objects.get().is_on


def test_the_service_worker_stands_at_the_root(browser: Client) -> None:
    """Only from there it may open any page; it fetches and keeps nothing."""
    answer = browser.get("/push-worker.js")
    text = b"".join(answer.streaming_content).decode()  # type: ignore[attr-defined]
    assert answer["Content-Type"].startswith("text/javascript")
    assert "fetch(" not in text
    assert "caches" not in text
    assert text.count("addEventListener") == 2


def test_a_persons_data_has_channels_without_addresses_and_erasure_takes_them(
    browser: Client, ana: User
) -> None:
    browser.post(PAGE, HOOK)
    exported = "".join(write_account(collect(ana, clock.now())))
    assert '"name": "bot"' in exported
    assert "example.org/" not in exported
    assert Channel.objects.get().address not in exported
    erase(ana, now=clock.now())
    assert not Channel.objects.exists()


@pytest.mark.parametrize(
    "text",
    [
        "whsec_o2c5Zw7IC0/khiW8qEanrxsBh2R9l4RPO4OvOE/psPU=",
        "https://discord.com/api/webhooks/123/secretmark",
        "POST https://hooks.slack.com/services/T0/B0/secretmark HTTP/1.1",
    ],
)
def test_logs_leave_out_what_lets_others_write(text: str) -> None:
    assert "secretmark" not in redact_log(text)
    assert "psPU" not in redact_log(text)


def test_the_library_that_sends_logs_no_address() -> None:
    assert logging.getLogger("urllib3.connectionpool").getEffectiveLevel() >= logging.WARNING
