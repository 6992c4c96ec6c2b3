"""The content of a mail, and the registry of functions that write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from django.conf import settings
from django.utils.module_loading import import_string

from gemserver.notify.models import OutboxMessage


@dataclass(frozen=True, slots=True)
class Image:
    """A PNG shown in the HTML part as `<img src="cid:NAME">`."""

    name: str
    png: bytes


@dataclass(frozen=True, slots=True)
class Content:
    """One rendered mail. `headers` are added to those every mail has; `reply_to` is where an answer goes."""

    subject: str
    text: str
    html: str
    reply_to: str
    images: tuple[Image, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    answers: bool = False
    """True if it answers a mail (RFC 3834 `auto-replied`), False if it comes by itself (`auto-generated`)."""
    category: str = ""
    """The category of mail that its unsubscribe link stops; empty: all mail about matches."""


Writer: TypeAlias = Callable[[OutboxMessage], Content | None]
"""Returns None if what the row was to tell is out of date; then nothing is sent."""


def is_wanted(message: OutboxMessage) -> bool:
    """True if its reader still wants it, by the function that `settings.MAIL_WANTED` names."""
    asks = cast(Callable[[OutboxMessage], bool], import_string(settings.MAIL_WANTED))
    return asks(message)


def writer(kind: str) -> Writer:
    """The function that `settings.MAIL_KINDS` names for this kind; raises KeyError for an unknown kind."""
    return cast(Writer, import_string(settings.MAIL_KINDS[kind]))
