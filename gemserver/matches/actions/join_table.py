"""Joining and leaving a table that waits for players."""

from __future__ import annotations

from django.db import transaction

from games import deal
from gemserver.accounts.models import User
from gemserver.matches.locking import lock_open_table
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused


def join_table(match_id: int, user: User) -> Seat:
    """Take the next seat; joining twice gives the seat one has. Raises Refused(not-open, table-full)."""
    with transaction.atomic():
        match = lock_open_table(match_id)
        mine = match.seats.filter(user=user).first()
        return mine or _sit_down(match, user=user)


def add_bot(match_id: int, bot: Seat.Bot) -> Seat:
    """Give the next seat to a bot. Raises Refused(not-open, table-full)."""
    with transaction.atomic():
        return _sit_down(lock_open_table(match_id), bot=bot)


def _sit_down(match: Match, *, user: User | None = None, bot: Seat.Bot = Seat.Bot.NONE) -> Seat:
    taken = match.seats.count()
    if taken == match.seat_count:
        raise Refused("table-full", "{code} has no free seat; join another table.", code=match.code)
    return Seat.objects.create(
        match=match, index=taken, user=user, bot=bot, part=deal.default_part(match.server_part, taken)
    )


def leave_table(match_id: int, user: User) -> None:
    """Give the seat back; those who joined later move up and keep the parts they gave.

    Raises Refused(not-open, not-seated).
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        if not match.seats.filter(user=user).delete()[0]:
            raise Refused(
                "not-seated", "You do not sit at {code}; there is nothing to leave.", code=match.code
            )
        for index, seat in enumerate(match.seats.order_by("index")):
            if seat.index != index:
                if seat.part == deal.default_part(match.server_part, seat.index):
                    seat.part = deal.default_part(match.server_part, index)
                seat.index = index
                seat.save(update_fields=["index", "part"])
