"""Proposals to a whole table, an undo or a holiday: when all have agreed, and why nothing more may be proposed."""

from __future__ import annotations

from collections.abc import Sequence

from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused


def is_agreed(match: Match, agreed: Sequence[int]) -> bool:
    """True if the whole table agrees to what the first of these seats asks; who has left and the server's bots do.

    A player's bot agrees to whatever a person asks; to another bot its consent is needed as anybody's.
    """
    seats = {seat.index: seat.user for seat in match.seats.select_related("user") if seat.user}
    asker = seats.get(agreed[0])
    is_bots_question = asker is not None and asker.is_bot
    needed = {index for index, user in seats.items() if is_bots_question or not user.is_bot}
    return needed <= set(agreed)


def too_many_proposals(most: int) -> Refused:
    return Refused(
        "too-many-proposals",
        "You have asked the table {most} times within a day; talk it over, and ask again tomorrow.",
        most=most,
    )


def open_proposal() -> Refused:
    return Refused(
        "open-proposal", "The table has not answered the last proposal yet; agree to it or refuse it first."
    )
