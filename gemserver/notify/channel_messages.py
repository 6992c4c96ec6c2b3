"""Requests that tell by a channel: an announcement in the form that each kind of receiver reads.

Chats, ntfy and browsers get what any spectator may know, and a link. The text of the mail goes to nobody but a webhook
for which its owner has switched that on.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from django.conf import settings

from gemserver.lib import signing
from gemserver.lib.outbound import read_target
from gemserver.lib.text.redaction import redact
from gemserver.notify.channels import Destination, secrets_in_force, vapid_key_for
from gemserver.notify.content import Announcement, Content
from gemserver.notify.models import Channel, OutboxMessage

PUSH_KEPT = 24 * 3600
"""Seconds for which a push service keeps a message for a browser that is off."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request, ready to be sent."""

    url: str
    body: bytes
    headers: Mapping[str, str]
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class Told:
    """All that a request is made of. `content` is the mail, for a channel that may have it."""

    message: OutboxMessage
    channel: Channel
    destination: Destination
    words: Announcement
    now: datetime
    content: Content | None = None

    @property
    def name(self) -> str:
        """Names the message for good, so that one that comes twice is known."""
        return "msg_" + sha256(self.message.message_id.encode()).hexdigest()[:24]

    @property
    def kind(self) -> str:
        return self.words.kind or self.message.kind

    @property
    def url(self) -> str:
        return str(settings.SITE_URL + self.words.path)

    def lines(self) -> str:
        """Title, text and link, a line each."""
        return "\n".join(filter(None, [self.words.title, self.words.text, self.url]))


def write_request(told: Told) -> Outgoing:
    """Write the request. Raises KeyError if the server's key, under which a browser has subscribed, is gone."""
    return _WRITERS[Channel.Kind(told.channel.kind)](told)


def _push(told: Told) -> Outgoing:
    from gemserver.lib import web_push

    key = vapid_key_for(told.destination.vapid)
    if key is None:
        raise KeyError("VAPID_KEY")
    words, contact = told.words, f"mailto:postmaster@{settings.MAIL_DOMAIN}"
    # One for each match: a later message takes the place of an earlier one, and of itself if it comes twice.
    topic = signing.mac("topic", told.channel.pk, told.message.thread)
    shown = {"title": words.title[:200], "body": words.text[:1000], "path": words.path, "tag": topic}
    body = web_push.encrypt(
        json.dumps(shown, ensure_ascii=False).encode(),
        web_push.from_base64(told.destination.point),
        web_push.from_base64(told.destination.auth),
    )
    headers = {
        **web_push.authorization(key, read_target(told.destination.url).origin, contact, told.now),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(PUSH_KEPT),
        "Urgency": "high" if told.kind in {"turn", "reminder"} else "normal",
        "Topic": topic,
    }
    return Outgoing(told.destination.url, body, headers)


def _webhook(told: Told) -> Outgoing:
    """Standard Webhooks: see standardwebhooks.com."""
    data: dict[str, Any] = {
        "title": told.words.title,
        "text": told.words.text,
        "url": told.url,
        **told.words.about,
    }
    if told.channel.holds_mail and told.content and told.destination.url.startswith("https://"):
        # Without the addresses that play for its owner: a program has a token.
        data["mail"] = {"subject": told.content.subject, "text": redact(told.content.text)}
    at = told.message.created_at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    body = json.dumps({"type": told.kind, "timestamp": at, "data": data}, ensure_ascii=False).encode()
    seconds = str(int(told.now.timestamp()))
    signatures = [
        sign(secret, told.name, seconds, body) for secret in secrets_in_force(told.channel, told.now)
    ]
    headers = {
        "webhook-id": told.name,
        "webhook-timestamp": seconds,
        "webhook-signature": " ".join(signatures),
    }
    return Outgoing(told.destination.url, body, {**_JSON, **headers})


def sign(secret: bytes, name: str, seconds: str, body: bytes) -> str:
    """The signature of one message, as in `webhook-signature`."""
    signed = b".".join([name.encode(), seconds.encode(), body])
    return "v1," + base64.b64encode(hmac.new(secret, signed, sha256).digest()).decode()


def _discord(told: Told) -> Outgoing:
    return _json(told.destination.url, {"content": told.lines()[:2000], "allowed_mentions": {"parse": []}})


def _slack(told: Told) -> Outgoing:
    text = told.lines().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _json(told.destination.url, {"text": text})


def _matrix(told: Told) -> Outgoing:
    """A message of the client-server API, which the room has once however often it is sent; or a bridge's webhook."""
    if not told.destination.room:
        return _json(told.destination.url, {"text": told.lines()})
    room, base = quote(told.destination.room, safe=""), told.destination.url.rstrip("/")
    url = f"{base}/_matrix/client/v3/rooms/{room}/send/m.room.message/{told.name}"
    # Not m.notice, of which programs by default do not tell.
    asked = _json(url, {"msgtype": "m.text", "body": told.lines()})
    return Outgoing(url, asked.body, {**asked.headers, **_bearer(told.destination)}, "PUT")


def _ntfy(told: Told) -> Outgoing:
    base, _, topic = told.destination.url.rstrip("/").rpartition("/")
    words = told.words
    shown = {"topic": topic, "title": words.title, "message": words.text or words.title, "click": told.url}
    asked = _json(f"{base}/", shown)
    return Outgoing(asked.url, asked.body, {**asked.headers, **_bearer(told.destination)})


_JSON = {"Content-Type": "application/json"}


def _json(url: str, sent: Mapping[str, Any]) -> Outgoing:
    return Outgoing(url, json.dumps(sent, ensure_ascii=False).encode(), _JSON)


def _bearer(destination: Destination) -> dict[str, str]:
    return {"Authorization": f"Bearer {destination.token}"} if destination.token else {}


_WRITERS: Mapping[Channel.Kind, Callable[[Told], Outgoing]] = {
    Channel.Kind.WEB_PUSH: _push,
    Channel.Kind.WEBHOOK: _webhook,
    Channel.Kind.DISCORD: _discord,
    Channel.Kind.SLACK: _slack,
    Channel.Kind.MATRIX: _matrix,
    Channel.Kind.NTFY: _ntfy,
}
