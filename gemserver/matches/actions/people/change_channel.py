"""Choose by which channel a player is told, and switch, test, renew and remove channels."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.lib import signing
from gemserver.matches.refusal import Refused
from gemserver.notify.channel_delivery import release
from gemserver.notify.content import TEST
from gemserver.notify.models import Channel, OutboxMessage
from gemserver.notify.outbox import draft, queue
from gemserver.nudge import nudge

MAIL, DEVICES = "mail", "devices"

MOST_TESTS_A_DAY = 30
"""Of one person: each is a request to whatever address they give, which may be somebody else's."""


def tell_by(user: User, way: str) -> None:
    """Tell the player by `mail`, by all their `devices`, or by the hook of this name: by one way only.

    Whatever would come by mail at once comes that way. Raises Refused(no-such-channel, no-device, channel-off).
    """
    with transaction.atomic():
        user = lock_user(user.pk)
        devices = user.channels.filter(kind=Channel.Kind.WEB_PUSH)
        if way == MAIL:
            chosen = devices.none()
        elif way == DEVICES:
            chosen = devices
            if not chosen.filter(off="").exists():
                raise Refused(
                    "no-device", "None of your devices is on; switch one on in its own browser first."
                )
        else:
            channel = _find_on(user, way)
            is_device = channel.kind == Channel.Kind.WEB_PUSH
            chosen = devices if is_device else user.channels.filter(pk=channel.pk)
        keys = list(chosen.values_list("pk", flat=True))
        user.channels.exclude(pk__in=keys).update(is_chosen=False)
        user.channels.filter(pk__in=keys).update(is_chosen=True)
        release(user.pk)


def told_by(user: User) -> str:
    """The way that `tell_by` chose: `mail`, `devices` or the name of a hook, on or off."""
    chosen = user.channels.filter(is_chosen=True).first()
    if chosen is None:
        return MAIL
    return DEVICES if chosen.kind == Channel.Kind.WEB_PUSH else chosen.name


def switch_channel(user: User, name: str, *, on: bool, now: datetime) -> Channel:
    """Switch a channel on, as if nothing had failed, or off. Raises Refused(no-such-channel)."""
    with transaction.atomic():
        user = lock_user(user.pk)
        channel = _find(user, name)
        release(user.pk)
        if on:
            channel.off, channel.off_at, channel.is_told = "", None, True
            channel.failures, channel.failing_since, channel.next_try_at = 0, None, None
            channel.last_fault = ""
        elif channel.is_on:
            channel.off, channel.off_at = Channel.Off.OWNER, now
        fields = ["off", "off_at", "is_told", "failures", "failing_since", "next_try_at", "last_fault"]
        channel.save(update_fields=fields)
    return channel


def rotate_secret(user: User, name: str, *, now: datetime) -> Channel:
    """Give a webhook a new signing secret; the former one signs too for some days. Raises Refused(no-such-channel)."""
    with transaction.atomic():
        user = lock_user(user.pk)
        channel = _find(user, name)
        if channel.kind != Channel.Kind.WEBHOOK:
            raise Refused(
                "no-such-channel", "{name} is no webhook; only webhooks are signed.", name=channel.name
            )
        channel.generation += 1
        channel.rotated_at = now
        channel.save(update_fields=["generation", "rotated_at"])
    return channel


def remove_channel(user: User, name: str) -> Channel:
    """Forget a channel and its address. Raises Refused(no-such-channel)."""
    with transaction.atomic():
        user = lock_user(user.pk)
        channel = _find(user, name)
        release(user.pk)
        Channel.objects.filter(pk=channel.pk).delete()
    return channel


def try_channel(user: User, name: str, *, now: datetime) -> Channel:
    """Let a worker send a test, at most one a minute.

    Raises Refused(no-such-channel, channel-off, too-soon, too-many-tests).
    """
    channel = _find_on(user, name)
    parts = (TEST, channel.pk, int(now.timestamp()) // 60)
    key = ":".join(map(str, parts))
    if OutboxMessage.objects.filter(dedup_key=key).exists():
        raise Refused("too-soon", "A test was sent within the last minute; wait a moment for the next one.")
    lately = OutboxMessage.objects.filter(user=user, kind=TEST, created_at__gt=now - timedelta(days=1))
    if lately.count() >= MOST_TESTS_A_DAY:  # also of channels that were removed since
        raise Refused(
            "too-many-tests",
            "You have had {most} tests sent within a day, one for each channel that was added; come back tomorrow.",
            most=MOST_TESTS_A_DAY,
        )
    row = draft(
        user,
        TEST,
        thread=f"channel:{channel.pk}",
        data={"channel": channel.pk},
        dedup_key=key,
        message_id=f"<ch.{channel.pk}.{parts[2]}.{signing.mac(*parts)}@{settings.MAIL_DOMAIN}>",
        now=now,
        to="",
    )
    row.route = OutboxMessage.Route.CHANNEL
    queue([row])
    nudge("gemserver.notify.tasks.send_to_channels")
    return channel


def _find(user: User, name: str) -> Channel:
    channel = user.channels.filter(name__iexact=" ".join(name.split())).first()
    if channel is None:
        raise Refused(
            "no-such-channel", "You have no channel called {name}; look at your list of channels.", name=name
        )
    return channel


def _find_on(user: User, name: str) -> Channel:
    """Like `_find`, for a channel that is switched on. Raises Refused(no-such-channel, channel-off)."""
    channel = _find(user, name)
    if not channel.is_on:
        raise Refused("channel-off", "{name} is switched off; switch it on first.", name=channel.name)
    return channel
