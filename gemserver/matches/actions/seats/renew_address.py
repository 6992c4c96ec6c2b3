"""Give a seat or an account a new reply address; the old one stops working."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.matches import sitters, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import FormerAddress, Match, Seat, Sitting
from gemserver.matches.notifications import Addressee, tell_players

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


def renew_players_address(seat: Seat, player: User, *, now: datetime) -> None:
    """Renew the reply address that this player has for the seat, as its holder or as a sitter; of others nothing."""
    if seat.user_id == player.pk:
        renew_address(seat.pk, now=now)
    for sitting in sitters.current(now).filter(seat=seat, sitter=player):
        _renew_sitters_address(sitting, now)


def renew_all_addresses(user: User, matches: Mapping[int, Match], *, now: datetime) -> None:
    """Renew the reply addresses of an account, and those with which it plays for itself and for others.

    `matches`: from `lock_tables`, locked before anything of the account. What their mails ask is mailed anew.
    """
    for seat in Seat.objects.filter(user=user, match__in=matches).order_by("match", "index"):
        renewed = renew_address(seat.pk, now=now)
        if renewed.is_waiting and not sitters.sitting_in(renewed, now):
            match, turn, number = matches[seat.match_id], renewed.prompt_ply, renewed.token_generation
            turns.tell_seat(match, renewed, "turn", turn=turn, number=number, now=now)
    for sitting in sitters.current(now).filter(sitter=user, seat__match__in=matches).order_by("pk"):
        _renew_sitters_address(sitting, now)
        _tell_sitter(matches[sitting.seat.match_id], sitting, now)
    renew_account_address(user)


def _tell_sitter(match: Match, sitting: Sitting, now: datetime) -> None:
    """Mail the sitter anew what waits for them: whether they will sit, or the turn."""
    seat, generation = sitting.seat, sitting.token_generation
    to_sitter = partial(tell_players, addressees=[Addressee(sitting.sitter, seat.index, sitting)], now=now)
    if sitting.agreed_at is None:
        to_sitter(match, "sit-asked", turn=seat.prompt_ply, number=sitting.pk + generation, about=sitting.pk)
    elif seat.is_waiting and sitters.has_begun(sitting, now):
        to_sitter(match, "turn", turn=seat.prompt_ply, number=generation)


def _renew_sitters_address(sitting: Sitting, now: datetime) -> None:
    """Renew the address with which a sitter plays; the caller has locked the match."""
    _remember(sitting.token_hash, sitting.seat_id, sitting.sitter_id, now)
    sitting.token_generation += 1
    sitting.token_hash = sitting.current_token_hash()
    sitting.save(update_fields=["token_generation", "token_hash"])


def remember_address(seat_id: int, now: datetime) -> None:
    """Remember the seat's address in the database, which is about to be replaced, together with its owner."""
    seat = Seat.objects.get(pk=seat_id)
    if seat.user_id is not None:
        _remember(seat.token_hash, seat.pk, seat.user_id, now)


def _remember(token_hash: str | None, seat_id: int, user_id: int, now: datetime) -> None:
    if token_hash is not None:
        FormerAddress.objects.get_or_create(
            token_hash=token_hash,
            defaults={"seat_id": seat_id, "user_id": user_id, "until": now + REMEMBERED},
        )


def renew_account_address(user: User) -> User:
    """Renew the reply address of an account, and with it the links to unsubscribe."""
    with transaction.atomic():
        locked = lock_user(user.pk)
        locked.token_generation += 1
        locked.save(update_fields=["token_generation"])
    return locked
