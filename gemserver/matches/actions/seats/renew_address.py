"""Give a seat or an account a new reply address; the old one stops working."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.matches import turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import FormerAddress, Match, Seat

REMEMBERED = timedelta(days=30)
"""How long writers to a dead address are told that it is dead (mail-requirements.md A4)."""


def renew_address(seat_id: int, *, now: datetime) -> Seat:
    """Renew the seat's reply address; the next mail to the player carries it."""
    with transaction.atomic():
        lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        remember_address(seat.pk, now)
        seat.token_generation += 1
        seat.token_hash = seat.current_token_hash()
        seat.save(update_fields=["token_generation", "token_hash"])
    return seat


def renew_all_addresses(user: User, matches: Mapping[int, Match], *, now: datetime) -> None:
    """Renew the reply addresses of an account and of its seats in these matches, and mail what they are asked anew.

    `matches`: from `lock_tables`, locked before anything of the account.
    """
    for seat in Seat.objects.filter(user=user, match__in=matches).order_by("match", "index"):
        renewed = renew_address(seat.pk, now=now)
        if renewed.is_waiting:
            match, turn, number = matches[seat.match_id], renewed.prompt_ply, renewed.token_generation
            turns.tell_seat(match, renewed, "turn", turn=turn, number=number, now=now)
    renew_account_address(user)


def remember_address(seat_id: int, now: datetime) -> None:
    """Remember the seat's address in the database, which is about to be replaced, together with its owner."""
    seat = Seat.objects.get(pk=seat_id)
    if seat.user_id is None or seat.token_hash is None:
        return
    FormerAddress.objects.get_or_create(
        token_hash=seat.token_hash,
        defaults={"seat_id": seat.pk, "user_id": seat.user_id, "until": now + REMEMBERED},
    )


def renew_account_address(user: User) -> User:
    """Renew the reply address of an account, and with it the links to unsubscribe."""
    with transaction.atomic():
        locked = lock_user(user.pk)
        locked.token_generation += 1
        locked.save(update_fields=["token_generation"])
    return locked
