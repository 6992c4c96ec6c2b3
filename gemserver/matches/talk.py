"""What is said at a table, and who may read it: those who sit there, each from when they sat down.

Spectators, sitters and moderators who play elsewhere read none of it here; who takes a seat over does not read what
was said before (`product.md`, "Time").
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet

from gemserver.accounts.blocks import Pair, blocked_with
from gemserver.accounts.models import User
from gemserver.matches.models import Match, Message, Notice, Seat


def held_seat(match: Match, user: User) -> Seat | None:
    """The seat that is this user's own, not one they only sit in for a while."""
    return match.seats.select_related("user").filter(user=user).first()


def held_since(seat: Seat, notices: Iterable[Notice] | None = None) -> datetime | None:
    """When the seat changed hands last; None when its holder is the one who joined.

    Every change of hands is a notice whose kind begins with `seat-` and whose key goes on with the seat. `notices`:
    all of the match, where they were read already.
    """
    if notices is None:
        notices = seat.match.notices.filter(kind__startswith="seat-")
    own = (notice for notice in notices if notice.key.startswith(f"{notice.kind}:{seat.index}:"))
    return max((notice.created_at for notice in own if notice.kind.startswith("seat-")), default=None)


def messages_for(
    seat: Seat, notices: Iterable[Notice] | None = None, blocks: frozenset[Pair] | None = None
) -> QuerySet[Message]:
    """What the holder of this seat may read, oldest first: nothing removed, nothing from behind a block.

    `notices` of the match and `blocks` around the holder, where they were read already.
    """
    assert seat.user is not None, "bots do not read"
    readable = Message.objects.filter(match=seat.match_id, removed_at=None).select_related("author")
    if since := held_since(seat, notices):
        readable = readable.filter(created_at__gt=since)
    return readable.exclude(author__in=blocked_with(seat.user, blocks)).order_by("created_at", "pk")


def author_name(message: Message) -> str:
    """Who said it; `player 3` once the person is gone."""
    return message.author.username if message.author else Seat(index=message.seat).name
