"""Move a guest's matches to the account of a player who signs in."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.matches import sitters, timing, turns
from gemserver.matches.actions.tables.start_practice import remove_guest
from gemserver.matches.locking import lock_match
from gemserver.matches.models import ChatMessage, Match, Move, Note, SealedOrder, Seat, StoredPlan


def take_along(guest: User, player: User, *, now: datetime) -> int:
    """Give the guest's seats to the player, with moves, plans, talk and notes; return how many.

    A seat stays behind if the player has, or has had, another in the same match: nobody holds two. All stay behind if
    the player is shut in this moment. A guest without any seat left is removed.
    """
    taken = 0
    for match_id in Seat.objects.filter(user=guest).order_by("match").values_list("match", flat=True):
        with transaction.atomic():
            match = lock_match(match_id)
            seat = match.seats.filter(user=guest).first()
            has_seen = seat is None or sitters.knows_another_seat(seat, player)
            if seat and not has_seen and lock_user(player.pk).is_active:
                _take(match, seat, guest, player, now)
                taken += 1
    if not Seat.objects.filter(user=guest).exists():
        remove_guest(guest.pk)
    return taken


def _take(match: Match, seat: Seat, guest: User, player: User, now: datetime) -> None:
    seat.user = player
    seat.token_hash = seat.current_token_hash()
    seat.save(update_fields=["user", "token_hash"])
    Match.objects.filter(pk=match.pk, created_by=guest).update(created_by=player)
    Move.objects.filter(match=match, actor=guest).update(actor=player)
    ChatMessage.objects.filter(match=match, author=guest).update(author=player)
    for rows in (StoredPlan.objects, SealedOrder.objects, Note.objects):
        rows.filter(match=match, user=guest).update(user=player)
    if seat.is_waiting:
        timing.set_alarms(match, seat, now)
        seat.save(update_fields=["due_at", "remind_at"])
        # A guest has no address, so nobody was mailed the open question.
        turns.tell_seat(match, seat, "turn", turn=seat.prompt_ply, now=now)
