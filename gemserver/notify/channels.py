"""Ways other than mail on which a player is told: their addresses, and the secrets with which hooks sign."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from gemserver.accounts.models import User
from gemserver.lib import signing
from gemserver.lib.outbound import Unsent, read_target
from gemserver.lib.sealed_text import seal, unseal
from gemserver.lib.text.redaction import SIGNING
from gemserver.notify.models import Channel

BOTH_SECRETS = timedelta(days=3)
"""For so long after a rotation the former secret signs as well."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a channel leads; all of it is kept encrypted, as whoever knows it can write there."""

    url: str
    room: str = ""
    """Matrix: the identifier of the room. Without one the address is a webhook's."""
    token: str = ""
    """Matrix, ntfy: the access token, if one is needed."""
    point: str = ""
    """A browser: its public key, in base64url; `auth` is the secret that goes with it."""
    auth: str = ""
    vapid: str = ""
    """A browser: the public key of this server under which it has subscribed."""


def seal_destination(destination: Destination) -> str:
    """Encrypt it, for `Channel.address`."""
    return seal(json.dumps({name: value for name, value in asdict(destination).items() if value}))


def read_destination(channel: Channel) -> Destination | None:
    """Decrypt the address; None if the key under which it was encrypted is gone."""
    text = unseal(channel.address)
    return None if text is None else Destination(**json.loads(text))


def mask(channel: Channel) -> str:
    """The address as its owner's pages show it: the host alone, such as `discord.com/…`."""
    destination = read_destination(channel)
    if destination is None:
        return "…"
    try:
        return read_target(destination.url).origin.partition("://")[2] + "/…"
    except Unsent:
        return "…"


def signing_secret(channel: Channel) -> str:
    """The secret with which this webhook signs, as its receiver keeps it; derived each time, and stored nowhere."""
    return SIGNING + base64.b64encode(_secret(channel, channel.generation, settings.MAIL_KEY)).decode()


def secrets_in_force(channel: Channel, now: datetime) -> Iterator[bytes]:
    """The secrets that sign now: under former keys too, and for some days after a rotation the former one."""
    generations = [channel.generation]
    if channel.rotated_at and now - channel.rotated_at < BOTH_SECRETS:
        generations.append(channel.generation - 1)
    for generation in generations:
        for key in signing.all_keys():
            yield _secret(channel, generation, key)


def _secret(channel: Channel, generation: int, key: str) -> bytes:
    return signing.secret_key("webhook", channel.pk, generation, under=key)


def in_use(user: User | int | None) -> QuerySet[Channel]:
    """The channels by which this player, or the one with this primary key, is told now; none: by mail."""
    return Channel.objects.filter(user=user, is_chosen=True, off="")


def in_use_by(users: Collection[int]) -> set[int]:
    """Those of these players, by primary key, who are told by a channel now."""
    rows = Channel.objects.filter(user__in=users, is_chosen=True, off="")
    return set(rows.values_list("user", flat=True))


def vapid_key_for(public: str) -> str | None:
    """The server's key, present or former, whose public part this is; None if it is gone."""
    from gemserver.lib.web_push import public_key

    keys = filter(None, [settings.VAPID_KEY, *settings.VAPID_KEY_FALLBACKS])
    return next((key for key in keys if public_key(key) == public), None)
