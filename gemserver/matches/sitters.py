"""Who plays a seat for its player just now, and who may be asked to (docs/decisions/sitters.md).

A sitter acts from the row alone: it says for which time the player has given the seat, and it counts only while that
player holds the seat and the match runs. So nobody has to take a right away for it to end.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import CharField, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from gemserver.accounts.models import User
from gemserver.lib.prepared import Param, ParamSet, Prepared
from gemserver.matches.models import FormerAddress, Match, Move, Notice, Seat, Sitting


def acting(at: datetime | Param) -> QuerySet[Sitting]:
    """The sittings under which the sitter may play at this instant (for a mail: its receipt)."""
    return current(at).filter(agreed_at__lte=at, starts_at__lte=at)


def has_begun(sitting: Sitting, at: datetime) -> bool:
    """Whether the sitter of a current sitting may play at this instant."""
    return sitting.agreed_at is not None and sitting.agreed_at <= at and sitting.starts_at <= at


def current(at: datetime | Param) -> QuerySet[Sitting]:
    """The sittings that have not come to their end: asked for, agreed to, or going on."""
    return _of_holders(at).select_related("seat__match", "seat__user", "sitter", "player")


def _of_holders(at: datetime | Param) -> QuerySet[Sitting]:
    return _lasting(at).filter(player=F("seat__user"), seat__match__status=Match.Status.RUNNING)


def _lasting(at: datetime | Param) -> QuerySet[Sitting]:
    return Sitting.objects.filter(Q(ended_at=None) | Q(ended_at__gt=at), ends_at__gt=at)


find_current = Prepared(
    lambda: current(Param("at", DateTimeField())).filter(seat__match=Param("match"), ended_at=None)
)
"""Those of a match that nobody has ended."""


def sitting_in(seat: Seat, at: datetime) -> Sitting | None:
    """The sitting under which somebody plays this seat at this instant."""
    return sittings_in([seat], at).get(seat.pk)


def sittings_in(seats: Collection[Seat], at: datetime) -> Mapping[int, Sitting]:
    """The same for several seats, by their primary key, from one query."""
    holders = {seat.pk: seat.user_id for seat in seats if seat.match.is_running}
    agreed = _agreed(seats=holders, at=at) if holders else []
    return {row.seat_id: row for row in agreed if row.player_id == holders[row.seat_id]}


def _find_agreed() -> QuerySet[Sitting]:
    at = Param("at", DateTimeField())
    begun = _lasting(at).filter(agreed_at__lte=at, starts_at__lte=at)
    return begun.filter(seat__in=ParamSet("seats")).select_related("sitter")


_agreed = Prepared(_find_agreed)


def sitting_of(user: User, match_code: str, at: datetime) -> Sitting | None:
    """The sitting under which this user plays somebody's seat in the match with this code."""
    return acting(at).filter(sitter=user, seat__match__code=match_code).first()


def mailed_to(user: User, at: datetime) -> QuerySet[Seat]:
    """The seats that are asked and whose turns are this user's to be told of, most urgent first.

    Those the user holds, unless somebody sits there, and those in which the user sits.
    """
    given = Exists(acting(at).filter(seat=OuterRef("pk")))
    mine = Seat.objects.filter(~Q(given), user=user, is_waiting=True).order_by().values("pk")
    taken = acting(at).filter(sitter=user).values("seat")
    asked = Seat.objects.filter(pk__in=mine.union(taken), is_waiting=True)
    return asked.select_related("match", "user").order_by("due_at", "pk")


def to_begin_or_end(now: datetime) -> QuerySet[Sitting]:
    """The sittings that are to begin or whose time is over, the oldest first."""
    is_to_begin = Q(agreed_at__isnull=False, starts_at__lte=now) & ~Q(_is_in_the_log())
    is_lost = ~Q(player=F("seat__user")) | ~Q(seat__match__status=Match.Status.RUNNING)
    is_over = Q(ends_at__lte=now) | is_lost | Q(seat__user=None)
    return Sitting.objects.filter(ended_at=None).filter(is_to_begin | is_over).order_by("starts_at", "pk")


def log_key(sitting: Sitting) -> str:
    """The key of the notice that says who sits for whom; it is written when the sitting begins."""
    return f"{_KEY}{sitting.pk}"


_KEY = "sitting:"


def _is_in_the_log() -> Exists:
    key = Concat(Value(_KEY), Cast(OuterRef("pk"), CharField()))
    return Exists(Notice.objects.filter(match=OuterRef("seat__match"), key=key))


def knows_another_seat(match: Match, user: User, seat: Seat) -> bool:
    """Whether the user holds, has held, has played or has sat in another seat, so that this one is closed to them."""
    held = match.seats.filter(user=user).exclude(pk=seat.pk)
    left = FormerAddress.objects.filter(seat__match=match, user=user).exclude(seat=seat)
    sat = Sitting.objects.filter(seat__match=match, sitter=user, agreed_at__isnull=False).exclude(seat=seat)
    given_away = Sitting.objects.filter(seat__match=match, player=user).exclude(seat=seat)
    played = Move.objects.filter(match=match, actor=user).exclude(seat=seat.index)
    return any(rows.exists() for rows in (held, left, sat, given_away, played))
