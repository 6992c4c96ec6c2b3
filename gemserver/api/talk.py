"""Talk at the table, private notes, reports and blocks."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from games.contract import seat_letter
from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, next_cursor, read_cursor
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done, Letter, Reported, Strict, Time
from gemserver.lib import clock
from gemserver.matches import talk
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.talk.report_abuse import report_abuse
from gemserver.matches.actions.talk.say import LONGEST_MESSAGE
from gemserver.matches.actions.talk.say import say as say_to_table
from gemserver.matches.actions.talk.write_note import LONGEST_NOTE, note_of, write_note
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.readers import find_match
from gemserver.matches.seating import require_held_seat

router = Router(tags=["talk"])

PER_PAGE = 50


class Said(Strict):
    """Your words to the table."""

    text: str = Field(min_length=1, max_length=LONGEST_MESSAGE)


class Message(Schema):
    """A message at the table, as it was typed."""

    author: str
    seat: Letter
    ply: int
    at: Time
    text: str


class Messages(Schema):
    """The talk as far as you may read it, the newest first."""

    messages: list[Message]
    next: str | None = Field(None, description="Send it as `cursor` for earlier ones; null: that was all.")


class NoteSent(Strict):
    """Your note, which takes the place of the one before."""

    text: str = Field(max_length=LONGEST_NOTE)


class NoteShown(Schema):
    """Your note, which nobody else can read."""

    text: str


class Blocked(Strict):
    """Whom you block."""

    name: str = Field(min_length=1, max_length=80)


def _held(request: HttpRequest, code: str) -> tuple[Match, Seat]:
    user = user_of(request)
    found, _own = find_match(code, user)
    return found, require_held_seat(found, user)


@router.get(
    "/matches/{code}/talk", response=Messages, auth=Token("read"), summary="The talk", operation_id="talk"
)
def messages(request: HttpRequest, code: Code, cursor: Cursor = None) -> Messages:
    """Read what was said at your table, page by page; the first page is a look at the talk (`unread` of `/matches`)."""
    _found, seat = _held(request, code)
    readable = talk.messages_for(seat)
    rows, following = next_cursor(readable, read_cursor(cursor, f"talk.{code}"), f"talk.{code}", PER_PAGE)
    if not cursor:
        talk.note_look(seat, rows[0] if rows else None)
    return Messages(
        messages=[
            Message(
                author=talk.author_name(row),
                seat=seat_letter(row.seat),
                ply=row.ply,
                at=row.created_at,
                text=row.text,
            )
            for row in rows
        ],
        next=following,
    )


@router.post("/matches/{code}/say", response=Done, auth=Token("talk"), summary="Say", operation_id="say")
def say(request: HttpRequest, code: Code, body: Said, key: Key) -> Done:
    """Say something to the table."""
    found, seat = _held(request, code)

    def carry_out() -> None:
        say_to_table(found.pk, user_of(request), body.text, key, source=Move.Source.API, now=clock.now())

    return Keyed(request, "say", key, code, seat.index).do(carry_out)


@router.get(
    "/matches/{code}/note", response=NoteShown, auth=Token("read"), summary="Your note", operation_id="note"
)
def read_note(request: HttpRequest, code: Code) -> NoteShown:
    """Read your private note about the match."""
    found, _seat = _held(request, code)
    return NoteShown(text=note_of(found, user_of(request)))


@router.post(
    "/matches/{code}/note",
    response=Done,
    auth=Token("talk"),
    summary="Write your note",
    operation_id="write_note",
)
def write(request: HttpRequest, code: Code, body: NoteSent, key: Key) -> Done:
    """Replace your private note about the match."""
    found, seat = _held(request, code)

    def carry_out() -> None:
        write_note(found.pk, user_of(request), body.text, now=clock.now())

    return Keyed(request, "note", key, code, seat.index).do(carry_out)


@router.post(
    "/matches/{code}/report", response=Done, auth=Token("talk"), summary="Report", operation_id="report"
)
def report(request: HttpRequest, code: Code, body: Reported, key: Key) -> Done:
    """Ask the moderators to look at the match."""
    found, seat = _held(request, code)

    def carry_out() -> None:
        report_abuse(found.pk, user_of(request), body.text, now=clock.now())

    return Keyed(request, "report", key, code, seat.index).do(carry_out)


@router.post("/blocks", response=Done, auth=Token("talk"), summary="Block a player", operation_id="block")
def block(request: HttpRequest, body: Blocked, key: Key) -> Done:
    """Read nothing from this player any more, and they nothing from you; they are not told."""

    def carry_out() -> None:
        block_player(user_of(request), body.name, now=clock.now())

    return Keyed(request, "block", key).do(carry_out)
