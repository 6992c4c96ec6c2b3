"""What a player is told of a proposal to the table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from games.contract import Json, Message
from gemserver.matches.models import Holiday, Undo


def say_consent(proposal: Undo | Holiday, show_day: Callable[[date], str] = date.isoformat) -> Message:
    """What has come of it so far; `show_day` writes a day, for mails as commands have it."""
    if isinstance(proposal, Undo):
        plies: dict[str, Json] = {"first": proposal.first_ply, "last": proposal.last_ply}
        if proposal.outcome == Undo.Outcome.AGREED:
            return Message("All agree: moves {first} to {last} are taken back.", plies)
        return Message("Moves {first} to {last} are taken back when all others agree; they are asked.", plies)
    days: dict[str, Json] = {"first": show_day(proposal.first), "last": show_day(proposal.last)}
    if proposal.outcome == Holiday.Outcome.AGREED:
        return Message("All agree: the table has a holiday from {first} to {last}.", days)
    return Message("The others are asked for a holiday of the table from {first} to {last}.", days)
