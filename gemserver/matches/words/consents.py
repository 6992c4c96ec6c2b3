"""The state of a proposal to the table, in words."""

from __future__ import annotations

from games.contract import Json, Message
from gemserver.matches.models import Holiday, Undo


def say_consent(proposal: Undo | Holiday) -> Message:
    """Say whether all have agreed yet."""
    if isinstance(proposal, Undo):
        ply = proposal.first_ply
        if proposal.outcome == Undo.Outcome.AGREED:
            return Message("All agree: the match goes back to before move {ply}.", {"ply": ply})
        return Message(
            "The match goes back to before move {ply} when all others agree; they are asked.", {"ply": ply}
        )
    days: dict[str, Json] = {
        "first_day": proposal.first.isoformat(),
        "last_day": proposal.last.isoformat(),
    }
    if proposal.outcome == Holiday.Outcome.AGREED:
        return Message("All agree: the table has a holiday from {first_day} to {last_day}.", days)
    return Message("The others are asked to agree to a table holiday from {first_day} to {last_day}.", days)
