"""Write a player's private note about a match."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.lib.text.plain import clean
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Note
from gemserver.matches.refusal import Refused

LONGEST_NOTE = 10_000
"""Characters of a player's note about one match."""


def write_note(match_id: int, user: User, text: str, *, now: datetime) -> Note:
    """Replace the player's note by this text. Raises Refused(no-such-match, not-seated, too-long)."""
    with transaction.atomic():
        return _save(_open_note(lock_match(match_id), user, now), clean(text), now)


def append_to_note(match_id: int, user: User, text: str, *, now: datetime) -> Note:
    """Append this text to the player's note; the same text at the same instant is appended once.

    Raises Refused(no-such-match, not-seated, too-long).
    """
    with transaction.atomic():
        note = _open_note(lock_match(match_id), user, now)
        added = clean(text)
        if note.updated_at == now and note.text.endswith(added):
            return note
        return _save(note, f"{note.text}\n{added}".strip("\n"), now)


def note_of(match: Match, user: User) -> str:
    """The player's note about the match; empty if there is none."""
    return match.notes.filter(user=user).values_list("text", flat=True).first() or ""


def _open_note(match: Match, user: User, now: datetime) -> Note:
    if not match.seats.filter(user=user).exists():
        raise Refused("not-seated", "You do not sit at {code}; notes are for its players.", code=match.code)
    return match.notes.filter(user=user).first() or Note(match=match, user=user, updated_at=now)


def _save(note: Note, text: str, now: datetime) -> Note:
    if len(text) > LONGEST_NOTE:
        raise Refused(
            "too-long",
            "Your notes on a match can have {most} characters, and these would be {count}; shorten them.",
            most=LONGEST_NOTE,
            count=len(text),
        )
    note.text, note.updated_at = text, now
    note.save()
    return note
