"""Table talk and its readers: the players at the table, each from the time they took their seat.

Spectators, sitters and moderators who play elsewhere read none of it here, and a new holder of a seat does not read
what was said before (docs/decisions/sitters.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django.db.models import Count, DateTimeField, F, QuerySet

from gemserver.accounts.blocks import Pair, blocked_with
from gemserver.accounts.models import Block, User
from gemserver.lib.database.prepared import Param, ParamSet, Prepared
from gemserver.lib.database.prepared_writes import PreparedUpdate
from gemserver.matches.models import ChatMessage, Match, Notice, Seat


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


def count_unread(reader: User, matches: Collection[int]) -> Mapping[int, int]:
    """The messages of others that came since the reader last looked, by match (primary key); none: left out.

    Counts what `messages_for` gives, in one query however many matches there are.
    """
    return dict(_unread(reader=reader.pk, matches=matches)) if matches else {}


def _find_unread() -> QuerySet[ChatMessage, tuple[int, int]]:
    said = ChatMessage.objects.filter(
        match__in=ParamSet("matches"),
        match__seats__user=Param("reader"),
        pk__gt=F("match__seats__talk_seen"),
        removed_at=None,
    )
    blocked = Block.objects.filter(user=Param("reader")).values("blocked")
    blocking = Block.objects.filter(blocked=Param("reader")).values("user")
    others = said.exclude(author=Param("reader")).exclude(author__in=blocked).exclude(author__in=blocking)
    return others.order_by().values("match").annotate(Count("pk")).values_list("match", "pk__count")


_unread = Prepared(_find_unread)


def note_look(seat: Seat, newest: ChatMessage | None) -> None:
    """Record that the holder of this seat has been shown the talk up to this message."""
    if seat.talk_seen is None:  # as of before it was noted; what its former holders read is no news
        newest = find_newest(seat.match)
    newest_pk = newest.pk if newest else 0
    if seat.talk_seen is None or seat.talk_seen < newest_pk:
        seat.talk_seen = newest_pk
        _save_look([seat])


_save_look = PreparedUpdate(Seat, "talk_seen")


def find_newest(match: Match) -> ChatMessage | None:
    """The last message that was said at this table, whoever may read it."""
    return match.messages.order_by("-pk").first()


def author_name(message: ChatMessage) -> str:
    """The author's name; `player 3` once the account is gone."""
    return message.author.shown_name if message.author else Seat(index=message.seat).name
