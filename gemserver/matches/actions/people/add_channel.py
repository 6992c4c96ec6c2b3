"""Add a channel by which a player may be told: a hook, or a browser that takes Web Push."""

from __future__ import annotations

import re
from datetime import datetime
from hashlib import sha256

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.lib import outbound
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.matches.locking import lock_open_account
from gemserver.matches.refusal import Refused
from gemserver.notify.channels import Destination, seal_destination, vapid_key_for
from gemserver.notify.models import Channel

MOST_CHANNELS = 10
LONGEST_NAME = 40
LONGEST_TOKEN = 500
RESERVED = frozenset({"mail", "devices"})
"""Words for a way to be told that is no single channel."""


def add_hook(
    user: User,
    kind: Channel.Kind,
    name: str,
    *,
    url: str,
    room: str = "",
    token: str = "",
    holds_mail: bool = False,
    now: datetime,
) -> Channel:
    """Add a hook; nothing is sent to it yet but a test, by a worker.

    `room` is for Matrix, `token` for Matrix and ntfy. Raises Refused(shut, no-name, name-taken, too-many-channels,
    bad-address, not-public, https-only, no-token).
    """
    url, room, token = url.strip(), room.strip(), token.strip()
    may_be_read = kind in {Channel.Kind.WEBHOOK, Channel.Kind.NTFY} and not token and not holds_mail
    if _read_target(url).scheme != "https" and not may_be_read:
        raise Refused("https-only", "This would travel for everybody to read; give an address with https://.")
    if room and not token:
        raise Refused("no-token", "To write into a room, an access token is needed; give both, or neither.")
    if not all(len(word) <= LONGEST_TOKEN and re.fullmatch(r"[!-~]*", word) for word in (room, token)):
        raise Refused("bad-address", "Room and token are single words; copy them again.")
    destination = Destination(
        url,
        room if kind == Channel.Kind.MATRIX else "",
        token if kind in {Channel.Kind.MATRIX, Channel.Kind.NTFY} else "",
    )
    with transaction.atomic():
        user = lock_open_account(user.pk)
        return Channel.objects.create(
            user=user,
            kind=kind,
            name=_free_name(user, name),
            address=seal_destination(destination),
            holds_mail=holds_mail and kind == Channel.Kind.WEBHOOK,
            created_at=now,
        )


def _read_target(url: str) -> outbound.Target:
    """Read the address of a hook. Raises Refused(bad-address)."""
    try:
        target = outbound.read_target(url)
        if outbound.is_literal(target):
            outbound.judge(target)
    except outbound.Unsent:
        raise Refused(
            "bad-address",
            "This is no address that messages can be sent to: give one on the public internet, as in "
            "https://chat.example.org/hooks/1.",
        ) from None
    return target


def add_device(
    user: User, name: str, *, endpoint: str, point: str, auth: str, vapid: str, now: datetime
) -> Channel:
    """Add the browser that has subscribed, and tell its owner by their devices from now on.

    A browser is one account's: it leaves the account for which it subscribed before. Raises Refused(shut, no-push,
    bad-address, too-many-channels).
    """
    from gemserver.lib.web_push import from_base64, is_subscription

    if not vapid or vapid_key_for(vapid) is None:
        raise Refused("no-push", "The server's key has changed; load the page again, and then try once more.")
    try:
        outbound.read_target(endpoint)
        is_good = endpoint.startswith("https://") and is_subscription(from_base64(point), from_base64(auth))
    except (outbound.Unsent, ValueError):
        is_good = False
    if not is_good:
        raise Refused("bad-address", "The browser gave an address that cannot be used; try again.")
    destination = Destination(endpoint, point=point, auth=auth, vapid=vapid)
    known = sha256(endpoint.encode()).hexdigest()
    with transaction.atomic():
        user = lock_open_account(user.pk)
        same = user.channels.filter(endpoint_hash=known).first()
        name = same.name if same else _number(user, name)
        count_alone(f"device {known}")  # two accounts may subscribe in one browser at once
        Channel.objects.filter(endpoint_hash=known).delete()
        user.channels.update(is_chosen=False)
        user.channels.filter(kind=Channel.Kind.WEB_PUSH).update(is_chosen=True)
        return Channel.objects.create(
            user=user,
            kind=Channel.Kind.WEB_PUSH,
            name=_free_name(user, name),
            address=seal_destination(destination),
            endpoint_hash=known,
            is_chosen=True,
            created_at=now,
        )


def _number(user: User, name: str) -> str:
    """The name of a device, with a number if the player has one like it."""
    taken = {each.lower() for each in user.channels.values_list("name", flat=True)}
    names = [name, *(f"{name} {number}" for number in range(2, MOST_CHANNELS + 2))]
    return next(each for each in names if each.lower() not in taken)


def _free_name(user: User, name: str) -> str:
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable() or name.lower() in RESERVED:
        raise Refused(
            "no-name", "Give the channel a name of 1 to {most} characters, such as “club”.", most=LONGEST_NAME
        )
    if user.channels.filter(name__iexact=name).exists():
        raise Refused(
            "name-taken",
            "You have a channel called {name} already; remove it first, or choose another name.",
            name=name,
        )
    if user.channels.count() >= MOST_CHANNELS:
        raise Refused(
            "too-many-channels",
            "You have {most} channels already; remove one that you do not use.",
            most=MOST_CHANNELS,
        )
    return name
