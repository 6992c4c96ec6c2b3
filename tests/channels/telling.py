"""Channels of players, matches of which they are told, and a clock that a test puts forward."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from pytest_django import Settings

from gemserver.accounts.models import User
from gemserver.lib import clock, web_push
from gemserver.matches.actions.people.add_channel import add_device, add_hook
from gemserver.matches.actions.people.change_channel import (
    tell_by,
)
from gemserver.matches.models import Match
from gemserver.notify import channel_delivery, delivery
from gemserver.notify.models import Channel
from tests.builders import make_match, make_user
from tests.channels.receivers import Receiver
from tests.channels.subscriber import Subscriber

Kind = Channel.Kind


class Clock:
    """A clock that a test puts forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = datetime.fromisoformat("2026-11-02T12:00:00+00:00")
        monkeypatch.setattr(clock, "now", lambda: self.at)

    def pass_(self, **span: float) -> None:
        self.at += timedelta(**span)


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


def begin_again(*players: User) -> Match:
    return make_match(players=[*players, User.objects.get(username="eve")], now=clock.now())
