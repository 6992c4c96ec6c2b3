"""Asked by whatever a player writes to others: talk at tables, mail to a club, news of a club."""

from __future__ import annotations

from datetime import datetime

from gemserver.accounts.models import User
from gemserver.accounts.mutes import mute_of
from gemserver.matches.refusal import Refused


def require_voice(user: User, now: datetime) -> None:
    """Raise Refused(muted) while moderators let this player write nothing to others."""
    if mute := mute_of(user, now):
        raise Refused(
            "muted",
            "Moderators let you write nothing to others until {latest}; you can play on. They say: {note}",
            latest=mute.until.isoformat(),
            note=mute.note,
        )
