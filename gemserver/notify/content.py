"""The content of a mail, and the registry of functions that write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, cast

from django.conf import settings
from django.utils import timezone, translation
from django.utils.module_loading import import_string

from gemserver.accounts.models import User
from gemserver.notify.models import OutboxMessage

T = TypeVar("T")


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


@dataclass(frozen=True, slots=True)
class Announcement:
    """News as any spectator may read it, in a chat or on a locked screen."""

    title: str
    text: str
    path: str
    """Of the page that it links to."""
    about: Mapping[str, str] = field(default_factory=dict)
    """More for programs: match and game."""
    kind: str = ""
    """Of the news, where it may have become another than that of its row; empty: it has not."""


TEST = "channel-test"
"""Kind of the rows that let a player see a channel work."""
TOLD_TO_SHUT = frozenset({"banned", "cleared"})
"""Kinds of mail that moderators write; only these are sent to an account that is shut."""
DEAD = "dead_channels"
"""Key in a row of a mail: the names of channels of which it says that they died."""


class Gone(Exception):
    """Raised by a writer for a row about something that has been deleted as it may be, such as an erased player's.

    Nothing is sent then. A row that is never deleted and yet not found is a fault: that mail is kept and tried again.
    """


Writer: TypeAlias = Callable[[OutboxMessage], Content | None]
"""Returns None if what the row was to tell is out of date; then nothing is sent."""


def is_wanted(message: OutboxMessage) -> bool:
    """True if its reader still wants it, by the function that `settings.MAIL_WANTED` names.

    Whoever cannot act on it is told nothing: an account that is shut gets only what moderators write to it.
    """
    if message.user and not message.user.is_active and message.kind not in TOLD_TO_SHUT:
        return False
    asks = cast(Callable[[OutboxMessage], bool], import_string(settings.MAIL_WANTED))
    return asks(message)


def announce(message: OutboxMessage) -> Announcement | None:
    """The words for other channels than mail, by the function that `settings.ANNOUNCER` names; None: mail alone."""
    says = cast(Callable[[OutboxMessage], Announcement | None], import_string(settings.ANNOUNCER))
    return says(message)


def is_announced(message: OutboxMessage) -> bool:
    """True if it may leave by another channel than mail."""
    return announce(message) is not None


def in_words_of(reader: User | None, write: Callable[[OutboxMessage], T], message: OutboxMessage) -> T:
    """Call `write` in the reader's language and zone."""
    language = reader.language if reader else settings.LANGUAGE_CODE
    zone = reader.zone if reader else timezone.get_default_timezone()
    with translation.override(language), timezone.override(zone):
        return write(message)


def writer(kind: str) -> Writer:
    """The function that `settings.MAIL_KINDS` names for this kind; raises KeyError for an unknown kind."""
    return cast(Writer, import_string(settings.MAIL_KINDS[kind]))
