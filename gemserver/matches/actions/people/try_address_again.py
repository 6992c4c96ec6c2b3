"""Tell tables when mail to one of their players bounces, and try the address again."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.addresses import verified_rows
from gemserver.accounts.models import User
from gemserver.accounts.reachability import is_cut_off
from gemserver.matches import notices, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import bounces

DAY = timedelta(days=1)

MOST_A_DAY = 5
"""Times within a day at which one table is told that a player is reached again, and then, that they are not."""


def tell_cut_off(user: User, number: int, *, now: datetime) -> None:
    """Tell the tables of a player whom no mail reaches any more: in the log, and the other players by mail.

    `number` distinguishes one occasion from the next. Clocks run on, but a missed turn does not cost the seat
    (`expire_seat`).
    """
    for seat in _seats(user):
        with transaction.atomic():
            match = lock_match(seat.match_id)
            if not notices.post(
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
    cut_off = [row.user for row in verified_rows(address) if is_cut_off(row.user)]
    with transaction.atomic():
        if not bounces.forget(address):
            return False
        for user in cut_off:
            _tell_reached(user, now)
    return True


def _tell_reached(user: User, now: datetime) -> None:
    for seat in _seats(user):
        match = lock_match(seat.match_id)
        own = f"reached:{seat.index}:"
        if match.notices.filter(key__startswith=own, created_at__gt=now - DAY).count() >= MOST_A_DAY:
            raise Refused(
                "too-often",
                "Mail to this address has come back {most} times within a day; try it again tomorrow.",
                most=MOST_A_DAY,
            )
        key = f"{own}{now.isoformat()}"
        notices.post(match, "reached", key, now=now, player=seat.index)
        if seat.is_waiting:
            turns.tell_seat(
                match, seat, "turn", turn=seat.prompt_ply, number=int(now.timestamp()) % 10**8, now=now
            )


def _seats(user: User) -> list[Seat]:
    running = Seat.objects.select_related("user").filter(user=user, match__status=Match.Status.RUNNING)
    return list(running.order_by("match_id"))
