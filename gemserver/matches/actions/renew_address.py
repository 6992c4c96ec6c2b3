"""A new reply address for a seat or an account; the old one is dead from then on."""

from __future__ import annotations

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Seat


def renew_address(seat_id: int) -> Seat:
    """Raise the token's generation; the next mail to the player carries the new address."""
    with transaction.atomic():
        lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        seat.token_generation += 1
        seat.token_hash = seat.current_token_hash()
        seat.save(update_fields=["token_generation", "token_hash"])
    return seat


def renew_account_address(user: User) -> User:
    """The same for the address of an account, and with it for the links to unsubscribe."""
    with transaction.atomic():
        locked = User.objects.select_for_update().get(pk=user.pk)
        locked.token_generation += 1
        locked.save(update_fields=["token_generation"])
    return locked
