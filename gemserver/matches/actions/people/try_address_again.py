"""Tell tables when mail to one of their players bounces, and try the address again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from gemserver.accounts.addresses import verified_rows
from gemserver.accounts.models import User
from gemserver.accounts.reachability import is_cut_off
from gemserver.matches import turns
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Seat, Sitting
from gemserver.matches.refusal import Refused
from gemserver.notify import bounces

DAY = timedelta(days=1)

MOST_A_DAY = 5
"""Times within a day at which one table is told that a player is reached again, and then, that they are not."""


def lock_tables(*users: User) -> Mapping[int, Match]:
    """Lock the running matches that these players play, for others too; matches by primary key.

    To be called before an address of theirs is given up, or tried again (`lock_order.ORDER`).
    """
    seats = Seat.objects.filter(user__in=users, match__status=Match.Status.RUNNING).values("match")
    sittings = Sitting.objects.filter(
        sitter__in=users, ended_at=None, seat__match__status=Match.Status.RUNNING
    )
    played = Match.objects.filter(Q(pk__in=seats) | Q(pk__in=sittings.values("seat__match")))
    return {key: lock_match(key) for key in played.order_by("pk").values_list("pk", flat=True)}


def tell_cut_off(matches: Mapping[int, Match], user: User, number: int, *, now: datetime) -> None:
    """Tell these tables of a player whom no mail reaches any more: in the log, and the other players by mail.

    `matches`: from `lock_tables`; `number` distinguishes one occasion from the next. Clocks run on, but a missed turn
    does not cost the seat (`expire_seat`).
    """
    for seat in _seats(user):
        match = matches.get(seat.match_id)
        if match is None or not notices.post(
            match, "cut-off", f"cut-off:{seat.index}:{number}", now=now, player=seat.index
        ):
            continue
        for other in match.seats.select_related("user").exclude(pk=seat.pk):
            turns.tell_seat(
                match, other, "cut-off", turn=match.ply, number=number, now=now, player=seat.index
            )


def try_address_again(address: str, *, now: datetime) -> bool:
    """Send mail to the address again and tell its player's tables; False if it had not been given up.

    Raises Refused(too-often).
    """
    with transaction.atomic():
        cut_off = [row.user for row in verified_rows(address) if is_cut_off(row.user)]
        matches = lock_tables(*cut_off)
        if not bounces.forget(address):
            return False
        for seat in _seats(*cut_off):
            if seat.match_id in matches:
                _tell_reached(seat, matches[seat.match_id], now)
    return True


def _tell_reached(seat: Seat, match: Match, now: datetime) -> None:
    own = f"reached:{seat.index}:"
    if match.notices.filter(key__startswith=own, created_at__gt=now - DAY).count() >= MOST_A_DAY:
        raise Refused(
            "too-often",
            "Mail to this address has come back {most} times within a day; try it again tomorrow.",
            most=MOST_A_DAY,
        )
    notices.post(match, "reached", f"{own}{now.isoformat()}", now=now, player=seat.index)
    if seat.is_waiting:
        turns.tell_seat(
            match, seat, "turn", turn=seat.prompt_ply, number=int(now.timestamp()) % 10**8, now=now
        )


def _seats(*users: User) -> list[Seat]:
    """Their seats in running matches, in the order in which matches are locked."""
    running = Seat.objects.select_related("user").filter(user__in=users, match__status=Match.Status.RUNNING)
    return list(running.order_by("match_id", "index"))
