"""No mails about what is said at one table, or again."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches import talk
from gemserver.matches.models import Match, NotificationChoice
from gemserver.matches.refusal import Refused


@transaction.atomic
def mute_talk(match: Match, user: User, *, muted: bool) -> None:
    """Send the player no mail about the talk of this match (`muted`), or as of other matches again.

    The talk stays on the page. Raises Refused(not-seated).
    """
    if talk.held_seat(match, user) is None:
        raise Refused("not-seated", "You do not sit at {code}; no mail about it comes.", code=match.code)
    about: dict[str, Any] = {"user": user, "match": match, "event": NotificationChoice.Event.TALK}
    NotificationChoice.objects.filter(**about).delete()
    if muted:
        NotificationChoice.objects.create(**about, channel=NotificationChoice.Channel.WEB)
