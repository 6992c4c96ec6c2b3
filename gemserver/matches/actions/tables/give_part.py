"""Give a player's own part of the seed, while the table waits for players."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games import deal
from gemserver.accounts.models import User
from gemserver.matches.locking import lock_open_table
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused

LONGEST_WORDS = 500


def give_part(match_id: int, user: User, words: str, *, now: datetime) -> Seat:
    """Use the player's words, or a text made by their browser, for the deal; the part is their fingerprint.

    The words are not stored, and may be replaced until the match starts.
    Raises Refused(no-such-match, not-open, not-seated, no-words, too-many-words).
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        seat = match.seats.select_related("user").filter(user=user).first()
        if seat is None:
            raise Refused(
                "not-seated", "Only a player of {code} adds a part; join it first.", code=match.code
            )
        seat.part, seat.part_at = part_from(words), now
        seat.save(update_fields=["part", "part_at"])
    return seat


def part_from(words: str) -> str:
    """The part made from these words, without surrounding blanks. Raises Refused(no-words, too-many-words)."""
    words = words.strip()
    if not words:
        raise Refused("no-words", "There are no words yet; type any that nobody can guess.")
    if len(words) > LONGEST_WORDS:
        raise Refused(
            "too-many-words", "At most {most} characters make a part; write fewer.", most=LONGEST_WORDS
        )
    return deal.given_part(words)
