"""What is said at a table, and who may read it: those who sit there, each from when they sat down.

Spectators, sitters and moderators who play elsewhere read none of it here; who takes a seat over does not read what
was said before (`product.md`, "Time").
"""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.models import User
from gemserver.matches.models import Match, Message, Seat


def held_seat(match: Match, user: User) -> Seat | None:
    """The seat that is this user's own, not one they only sit in for a while."""
    return match.seats.select_related("user").filter(user=user).first()


def held_since(seat: Seat) -> datetime | None:
    """When the seat changed hands last; None when its holder is the one who joined.

    Every change of hands is a notice whose kind begins with `seat-` and whose key goes on with the seat.
    """
    changes = seat.match.notices.filter(key__regex=rf"^seat-[a-z-]+:{seat.index}:")
    return changes.order_by("-created_at").values_list("created_at", flat=True).first()


def messages_for(seat: Seat) -> QuerySet[Message]:
    """What the holder of this seat may read, oldest first: nothing removed, nothing from behind a block."""
    assert seat.user is not None, "bots do not read"
    readable = Message.objects.filter(match=seat.match_id, removed_at=None).select_related("author")
    if since := held_since(seat):
        readable = readable.filter(created_at__gt=since)
    return readable.exclude(author__in=blocked_with(seat.user)).order_by("created_at", "pk")


def author_name(message: Message) -> str:
    """Who said it; `player 3` once the person is gone."""
    return message.author.username if message.author else Seat(index=message.seat).name
