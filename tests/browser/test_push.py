"""Web Push in a real browser: it subscribes, the server sends, and the service worker shows it.

The push service of Chromium's vendor cannot be asked from a test. So the browser's own subscription is made here, with
the keys of a local one, and what our server sends to that is opened with its private key and handed to the service
worker by the DevTools protocol, as the browser itself would do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect
from pytest_django import Settings

from gemserver.lib import clock, web_push
from gemserver.notify import channel_delivery, delivery
from gemserver.notify.models import Channel
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.tables import sign_in
from tests.browser.test_looks import folder, picture
from tests.builders import make_match, make_user
from tests.channels.receivers import Receiver, receiver
from tests.channels.subscriber import Subscriber
from tests.services.certificates import make_certificate

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ("folder",)


@pytest.fixture(scope="module")
def chromium(driver: Playwright) -> Iterator[Browser]:
    """The whole browser, for its shell has no notifications."""
    if not CHROMIUM.exists():
        pytest.skip(f"There is no {CHROMIUM}; install it with: apt-get install chromium")
    with driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS) as browser:
        yield browser


SUBSCRIBED = """(given) => {
  // The answer of the vendor's push service, which a test cannot have; the keys are real.
  const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  let made = null;
  PushManager.prototype.subscribe = async (options) => {
    if (!options.userVisibleOnly) throw new Error("hidden pushes are not allowed");
    made = {
      endpoint: given.endpoint,
      options: { applicationServerKey: options.applicationServerKey.buffer },
      getKey: (name) => toBytes(name === "auth" ? given.auth : given.point).buffer,
      unsubscribe: async () => { made = null; return true; },
    };
    return made;
  };
  PushManager.prototype.getSubscription = async () => made;
}"""


def test_a_browser_subscribes_and_shows_what_the_server_pushes(
    window: BrowserContext,
    live_server: object,
    settings: Settings,
    complaints: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.VAPID_KEY = web_push.new_key()
    certificate = make_certificate(tmp_path, "127.0.0.1")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    ana, one, url = make_user("ana"), Subscriber(), str(live_server)
    window.grant_permissions(["notifications"], origin=url)
    sign_in(window, ana, url)
    with receiver(certificate=certificate) as service:
        settings.HOOK_HOSTS = [service.place]
        page = window.new_page()
        page.goto("/you/channels/")
        page.evaluate(SUBSCRIBED, {"endpoint": service.url, **one.sent})
        page.get_by_role("button", name="Tell me on this device").click()
        expect(page.get_by_role("status")).to_contain_text("From now on you are told on your devices")
        channel = Channel.objects.get()
        assert (channel.user, channel.kind, channel.name.startswith("Chrome")) == (ana, "webpush", True)
        assert urlsplit(service.url).path not in page.content()
        match = make_match(players=[ana, make_user("ben")], now=clock.now())
        delivery.send_queued()
        channel_delivery.send_queued()
        test, turn = (one.open(got.body).decode() for got in service.got)
    assert page.evaluate("Notification.permission") == "granted"
    pushes = _Pushes(page)
    assert _show(page, pushes, [test, turn]) == sorted(
        [
            {
                "title": "This is a test",
                "body": "This is how Gem server will tell you.",
                "path": "/you/channels/",
            },
            {**_shown(turn), "path": match.get_absolute_url()},
        ],
        key=lambda shown: shown["path"],
    )
    assert match.code in _shown(turn)["title"]
    assert len(_show(page, pushes, [turn])) == 2, "one that comes twice takes its own place"
    assert complaints == []


def _shown(text: str) -> dict[str, str]:
    told = json.loads(text)
    return {"title": told["title"], "body": told["body"]}


class _Pushes:
    """Hands messages over to the service worker, as the browser does when its push service brings one."""

    def __init__(self, page: Page) -> None:
        self._page, self._session = page, page.context.new_cdp_session(page)
        self._registrations: list[str] = []
        self._session.on("ServiceWorker.workerRegistrationUpdated", self._note)
        self._session.send("ServiceWorker.enable")

    def _note(self, event: dict[str, Any]) -> None:
        self._registrations += [each["registrationId"] for each in event["registrations"]]

    def bring(self, text: str) -> None:
        # A worker that is not active yet is not asked, and the browser shows a sentence of its own instead.
        self._page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.active.state)")
        for _ in range(100):
            if self._registrations:
                break
            self._page.wait_for_timeout(50)
        given = {"origin": _origin(self._page), "registrationId": self._registrations[-1], "data": text}
        self._session.send("ServiceWorker.deliverPushMessage", given)


def _origin(page: Page) -> str:
    return str(page.evaluate("location.origin"))


def _show(page: Page, pushes: _Pushes, texts: list[str]) -> list[dict[str, str]]:
    """Bring these messages, and return all notifications that the browser shows, sorted by path.

    Chromium forgets a notification if it is asked for all while it has kept this one and not yet shown it. So it is
    given time before it is asked, and what it has forgotten is brought once more.
    """
    for _ in range(5):
        for text in texts:
            pushes.bring(text)
        page.wait_for_timeout(1000)
        shown: list[dict[str, str]] = page.evaluate(
            "async () => (await (await navigator.serviceWorker.ready).getNotifications())"
            ".map(({ title, body, data }) => ({ title, body, path: data.path }))"
        )
        if {_shown(text)["title"] for text in texts} <= {each["title"] for each in shown}:
            break
    return sorted(shown, key=lambda each: each["path"])


def test_who_does_not_allow_it_is_told_what_to_do(
    window: BrowserContext, live_server: object, settings: Settings
) -> None:
    settings.VAPID_KEY = web_push.new_key()
    sign_in(window, make_user("ana"), live_server)
    page = window.new_page()
    page.goto("/you/channels/")
    page.evaluate("Notification.requestPermission = async () => 'denied'")
    page.get_by_role("button", name="Tell me on this device").click()
    expect(page.locator("#push-failed")).to_contain_text("The browser does not allow it")
    assert not Channel.objects.exists()


def test_the_page_of_channels_fits(
    window: BrowserContext, live_server: object, settings: Settings, folder: Path, complaints: list[str]
) -> None:
    settings.VAPID_KEY = web_push.new_key()
    ana = make_user("ana")
    with receiver() as there:
        _make_channels(ana, there, settings)
    sign_in(window, ana, live_server)
    page = window.new_page()
    page.goto("/you/channels/")
    picture(page, "channels", folder)
    page.reload()
    page.get_by_label("Kind").select_option("webhook")
    page.get_by_label("Name, such as").fill("my bot")
    page.locator("[name=url]").fill("https://example.org/hook")
    page.get_by_role("button", name="Add the hook").click()
    expect(page.get_by_role("status")).to_contain_text("whsec_")
    picture(page, "channels-made", folder)
    assert complaints == []


def _make_channels(ana: object, there: Receiver, settings: Settings) -> None:
    from gemserver.matches.actions.people.add_channel import add_device, add_hook
    from gemserver.matches.actions.people.change_channel import switch_channel, tell_by

    settings.HOOK_HOSTS = [there.place]
    vapid, now = web_push.public_key(settings.VAPID_KEY), clock.now()
    for number in range(2):
        given = {"endpoint": f"https://push.example.org/{number}", **Subscriber().sent}
        add_device(ana, "Firefox, Android", **given, vapid=vapid, now=now)  # type: ignore[arg-type]
    club = add_hook(ana, Channel.Kind.DISCORD, "club", url="https://discord.com/api/webhooks/1/abc", now=now)  # type: ignore[arg-type]
    add_hook(ana, Channel.Kind.NTFY, "phone", url=there.url, now=now)  # type: ignore[arg-type]
    tell_by(ana, "club")  # type: ignore[arg-type]
    channel_delivery.switch_off(club, Channel.Off.GONE)
    switch_channel(ana, "phone", on=False, now=now)  # type: ignore[arg-type]
