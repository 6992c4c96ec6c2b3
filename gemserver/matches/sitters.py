"""Queries about sitters, who play a seat for its absent player (docs/decisions/sitters.md).

A sitter's right follows from the row alone: it states the period, and it counts only while the player who gave the
seat still holds it and the match runs. So the right ends by itself; nobody has to revoke it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from django.db.models import CharField, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from gemserver.accounts.models import User
from gemserver.lib.database.prepared import Param, ParamSet, Prepared
from gemserver.matches.models import IS_ASKED, FormerAddress, Match, Move, Notice, Seat, Sitting


def acting(at: datetime | Param) -> QuerySet[Sitting]:
    """The sittings whose sitter may play at this instant (for a mail: its receipt)."""
    return current(at).filter(agreed_at__lte=at, starts_at__lte=at)


def has_begun(sitting: Sitting, at: datetime) -> bool:
    """True if the sitter of a current sitting may play at this instant."""
    return sitting.agreed_at is not None and sitting.agreed_at <= at and sitting.starts_at <= at


def current(at: datetime | Param) -> QuerySet[Sitting]:
    """The sittings that have not ended: asked for, agreed to, or going on."""
    of_holders = _lasting(at).filter(player=F("seat__user"), seat__match__status=Match.Status.RUNNING)
    return of_holders.select_related("seat__match", "seat__user", "sitter", "player")


def _lasting(at: datetime | Param) -> QuerySet[Sitting]:
    return Sitting.objects.filter(Q(ended_at=None) | Q(ended_at__gt=at), ends_at__gt=at)


find_current = Prepared(
    lambda: current(Param("at", DateTimeField())).filter(seat__match=Param("match"), ended_at=None)
)
"""The current sittings of a match that nobody has ended early."""


def sitting_in(seat: Seat, at: datetime) -> Sitting | None:
    """The sitting under which a sitter plays this seat at this instant, if any."""
    return sittings_in([seat], at).get(seat.pk)


def sittings_in(seats: Collection[Seat], at: datetime) -> Mapping[int, Sitting]:
    """Like `sitting_in`, for several seats at once: by their primary key, in one query."""
    return sittings_among(find_agreed(seats=[seat.pk for seat in seats], at=at) if seats else [], seats)


def sittings_among(agreed: Iterable[Sitting], seats: Collection[Seat]) -> Mapping[int, Sitting]:
    """Like `sittings_in`, from what `find_agreed` has found of these seats."""
    holders = {seat.pk: seat.user_id for seat in seats if seat.match.is_running}
    return {row.seat_id: row for row in agreed if row.player_id == holders.get(row.seat_id)}


def _agreed() -> QuerySet[Sitting]:
    at = Param("at", DateTimeField())
    begun = _lasting(at).filter(agreed_at__lte=at, starts_at__lte=at)
    return begun.filter(seat__in=ParamSet("seats")).select_related("sitter")


find_agreed = Prepared(_agreed)


def sitting_of(user: User, match_code: str, at: datetime) -> Sitting | None:
    """The sitting under which this user plays another's seat in the match with this code, if any."""
    return acting(at).filter(sitter=user, seat__match__code=match_code).first()


def concerning(user: User, at: datetime) -> QuerySet[Sitting]:
    """The sittings that have not ended, for or by this user: asked for, agreed to, or going on; the oldest first."""
    mine = current(at).filter(Q(player=user) | Q(sitter=user), ended_at=None)
    return mine.order_by("proposed_at", "pk")


def mailed_to(user: User, at: datetime) -> QuerySet[Seat]:
    """The waiting seats whose turn mails go to this user, most urgent first.

    These are the seats the user holds, unless a sitter plays there, and those where the user is the sitter.
    """
    given = Exists(acting(at).filter(seat=OuterRef("pk")))
    mine = Seat.objects.filter(~Q(given), IS_ASKED, user=user).order_by().values("pk")
    taken = acting(at).filter(sitter=user).values("seat")
    asked = Seat.objects.filter(IS_ASKED, pk__in=mine.union(taken))
    return asked.select_related("match", "user").order_by("due_at", "pk")


def to_begin_or_end(now: datetime) -> QuerySet[Sitting]:
    """The sittings that are due to begin or to end, the oldest first."""
    is_to_begin = Q(agreed_at__isnull=False, starts_at__lte=now) & ~Q(_is_in_the_log())
    is_lost = ~Q(player=F("seat__user")) | ~Q(seat__match__status=Match.Status.RUNNING)
    is_over = Q(ends_at__lte=now) | is_lost | Q(seat__user=None)
    return Sitting.objects.filter(ended_at=None).filter(is_to_begin | is_over).order_by("starts_at", "pk")


def log_key(sitting: Sitting) -> str:
    """The key of the notice that announces the sitting; it is posted when the sitting begins."""
    return f"{_KEY}{sitting.pk}"


_KEY = "sitting:"


def _is_in_the_log() -> Exists:
    key = Concat(Value(_KEY), Cast(OuterRef("pk"), CharField()))
    return Exists(Notice.objects.filter(match=OuterRef("seat__match"), key=key))


def knows_another_seat(seat: Seat, user: User) -> bool:
    """True if the user holds, has held, has played or has sat in another seat; this one is then closed to them."""
    return Seat.objects.filter(knowing_another_seat(user), pk=seat.pk).exists()


def knowing_another_seat(user: User) -> Q:
    """The condition on seats that the user knows another one of the match, as `knows_another_seat` says.

    What a bot knows, its owner and the owner's other bots may know.
    """
    theirs = user.of_family().values("pk")
    match, seat = OuterRef("match"), OuterRef("pk")
    held = Seat.objects.filter(match=match, user__in=theirs).exclude(pk=seat)
    left = FormerAddress.objects.filter(seat__match=match, user__in=theirs).exclude(seat=seat)
    sat = Sitting.objects.filter(seat__match=match, sitter__in=theirs, agreed_at__isnull=False).exclude(
        seat=seat
    )
    given_away = Sitting.objects.filter(seat__match=match, player__in=theirs).exclude(seat=seat)
    played = Move.objects.filter(match=match, actor__in=theirs).exclude(seat=OuterRef("index"))
    return Q(Exists(held) | Exists(left) | Exists(sat) | Exists(given_away) | Exists(played))
