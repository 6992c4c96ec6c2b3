"""The panels beside the board: the talk of the table, and the reader's private notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID, uuid4

from django.utils.safestring import SafeString

from gemserver.accounts.blocks import Pair, blocks_around
from gemserver.accounts.models import User
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text import markdown
from gemserver.matches import talk
from gemserver.matches.actions.talk.say import LONGEST_MESSAGE
from gemserver.matches.actions.talk.write_note import LONGEST_NOTE
from gemserver.matches.log.match_log import LogRows
from gemserver.matches.models import ChatMessage, Note, Notice, Seat
from gemserver.matches.notifications import Wishes

SHOWN = 50
"""The last messages on the page; a link shows the others."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A text that was sent and refused, with the reason."""

    text: str = ""
    refusal: str = ""


UNTYPED = Typed()


@dataclass(frozen=True, slots=True)
class TalkLine:
    """One message; `is_own` if the reader wrote it."""

    message: ChatMessage
    author: str
    html: SafeString
    is_own: bool


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another person at the table; `is_blocked` if the reader has blocked them."""

    user: User
    is_blocked: bool


@dataclass(frozen=True)
class TalkPanel:
    """The talk of a table for the player who holds this seat."""

    seat: Seat
    typed: Typed = UNTYPED
    shows_all: bool = False
    rows: LogRows | None = None
    """Seats and notices of the match, if the page has read them already."""

    @property
    def reader(self) -> User:
        assert self.seat.user is not None
        return self.seat.user

    @property
    def longest(self) -> int:
        return LONGEST_MESSAGE

    @cached_property
    def request_id(self) -> UUID:
        return uuid4()

    @cached_property
    def _blocks(self) -> frozenset[Pair]:
        return blocks_around(self.reader)

    @property
    def _read(self) -> tuple[Seat, Sequence[Notice] | None, frozenset[Pair]]:
        """The seat and the rows that the page has read already, as arguments for `talk`."""
        return self.seat, self.rows.notices if self.rows else None, self._blocks

    @cached_property
    def _last(self) -> list[ChatMessage]:
        """All messages, or the last `SHOWN` and one more if there are earlier ones."""
        if self.shows_all:
            return list(talk.messages_for(*self._read))
        return talk.last_messages(SHOWN + 1, *self._read)

    @cached_property
    def number(self) -> int:
        """The number of messages that the reader may read."""
        if self.shows_all or len(self._last) <= SHOWN:
            return len(self._last)
        return talk.count_messages(*self._read)

    @property
    def earlier(self) -> int:
        """The number of earlier messages that are left out."""
        return 0 if self.shows_all else max(self.number - SHOWN, 0)

    @cached_property
    def lines(self) -> list[TalkLine]:
        """The messages in their order."""
        shown = self._last if self.shows_all else self._last[-SHOWN:]
        return [show_message(message, self.reader) for message in shown]

    def note_look(self) -> None:
        """Record that the reader has seen the talk as it stands now."""
        talk.note_look(self.seat, self._last[-1] if self._last else None)

    @cached_property
    def neighbours(self) -> list[Neighbour]:
        """The other people at the table, in seat order."""
        seats = self.rows.seats if self.rows else self.seat.match.read_seats()
        others = [seat.user for seat in seats if seat.user and seat.user != self.reader]
        return [Neighbour(user, (self.reader.pk, user.pk) in self._blocks) for user in others]

    @cached_property
    def is_mailed(self) -> bool:
        """True if the reader gets mails about the talk."""
        return Wishes.of(self.reader).want_mail("talk", self.seat.match_id)


def show_message(message: ChatMessage, reader: User) -> TalkLine:
    """The message as this reader sees it."""
    author = talk.author_name(message)
    return TalkLine(message, author, markdown.render(message.text), message.author_id == reader.pk)


@dataclass(frozen=True)
class NotesPanel:
    """The reader's private note about the match."""

    seat: Seat
    typed: Typed = UNTYPED

    @property
    def longest(self) -> int:
        return LONGEST_NOTE

    @cached_property
    def text(self) -> str:
        """The text of the input field: the refused text, else the stored note."""
        if self.typed.refusal:
            return self.typed.text
        return next((note.text for note in _notes(match=self.seat.match_id, user=self.seat.user_id)), "")


_notes = Prepared(lambda: Note.objects.filter(match=Param("match"), user=Param("user")).order_by("pk"))
