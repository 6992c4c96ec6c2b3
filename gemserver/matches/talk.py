"""Table talk and its readers: the players at the table, each from the time they took their seat.

Spectators, sitters and moderators who play elsewhere read none of it here, and a new holder of a seat does not read
what was said before (docs/decisions/sitters.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.db.models import Count, DateTimeField, QuerySet

from gemserver.accounts.blocks import Pair, blocked_with
from gemserver.lib.prepared import Param, ParamSet, Prepared
from gemserver.matches.models import ChatMessage, Notice, Seat


def held_since(seat: Seat, notices: Iterable[Notice] | None = None) -> datetime | None:
    """The instant at which the seat last changed hands; None if its first player still holds it.

    Every change of hands is a notice whose kind begins with `seat-` and whose key continues with the seat index.
    `notices`: all notices of the match, if the caller has read them already.
    """
    if notices is None:
        notices = _changes_of_hands(match=seat.match_id)
    own = (notice for notice in notices if notice.key.startswith(f"{notice.kind}:{seat.index}:"))
    return max((notice.created_at for notice in own if notice.kind.startswith("seat-")), default=None)


_changes_of_hands = Prepared(
    lambda: Notice.objects.filter(match=Param("match"), kind__startswith="seat-").order_by("pk")
)


def messages_for(
    seat: Seat, notices: Iterable[Notice] | None = None, blocks: frozenset[Pair] | None = None
) -> QuerySet[ChatMessage]:
    """The messages that the holder of this seat may read, oldest first: none removed, none by a blocked player.

    `notices`: all notices of the match; `blocks`: the holder's blocks, either way; if the caller has read them already.
    """
    return _readable(**_limits(seat, notices, blocks)).order_by("created_at", "pk")


def last_messages(
    number: int, seat: Seat, notices: Iterable[Notice] | None = None, blocks: frozenset[Pair] | None = None
) -> list[ChatMessage]:
    """The last `number` messages of `messages_for`, oldest first."""
    return _newest(number)(**_limits(seat, notices, blocks))[::-1]


def count_messages(
    seat: Seat, notices: Iterable[Notice] | None = None, blocks: frozenset[Pair] | None = None
) -> int:
    """The number of messages in `messages_for`."""
    return sum(number for (number,) in _number(**_limits(seat, notices, blocks)))


_GIVEN = Param("match"), Param("since", DateTimeField()), ParamSet("blocked")
"""The parameters that `_limits` fills in, for a prepared query."""


@cache
def _newest(number: int) -> Prepared[ChatMessage]:
    return Prepared(lambda: _readable(*_GIVEN).order_by("-created_at", "-pk")[:number])


_number = Prepared(
    lambda: _readable(*_GIVEN).order_by().values("match").annotate(Count("pk")).values_list("pk__count")
)


def _readable(
    match: int | Param, since: datetime | Param, blocked: frozenset[int] | Param
) -> QuerySet[ChatMessage]:
    said = ChatMessage.objects.filter(match=match, removed_at=None, created_at__gt=since)
    return said.exclude(author__in=blocked).select_related("author")


def _limits(seat: Seat, notices: Iterable[Notice] | None, blocks: frozenset[Pair] | None) -> dict[str, Any]:
    """The match, the starting time and the blocked authors, as arguments for `_readable`."""
    assert seat.user is not None, "bots do not read"
    return {
        "match": seat.match_id,
        "since": held_since(seat, notices) or _EVER,
        "blocked": blocked_with(seat.user, blocks),
    }


_EVER = datetime.min.replace(tzinfo=UTC)


def author_name(message: ChatMessage) -> str:
    """The author's name; `player 3` once the account is gone."""
    return message.author.shown_name if message.author else Seat(index=message.seat).name
