"""What a mail says, and who writes the mails of each kind."""

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
    """Whether it answers a mail (RFC 3834 `auto-replied`) or comes of itself (`auto-generated`)."""
    category: str = ""
    """What the link to get no more of such mails stops; empty: all mail about matches."""


Writer: TypeAlias = Callable[[OutboxMessage], Content | None]
"""None: what the row was to tell is no longer so, nothing is sent."""


def is_wanted(message: OutboxMessage) -> bool:
    """Whether its reader still wants it, by the function that `settings.MAIL_WANTED` names."""
    asks = cast(Callable[[OutboxMessage], bool], import_string(settings.MAIL_WANTED))
    return asks(message)


def writer(kind: str) -> Writer:
    """The function named for this kind in `settings.MAIL_KINDS`; raises KeyError for an unknown kind."""
    return cast(Writer, import_string(settings.MAIL_KINDS[kind]))
