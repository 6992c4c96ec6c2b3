"""A seat changes hands: from an absent player to a bot, from the bot to a substitute."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.lib.nudge import nudge
from gemserver.matches import notices, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused


def give_to_bot(match: Match, seat: Seat, *, now: datetime) -> None:
    """Let a bot hold an absent player's seat until a substitute takes it. The caller holds the match's lock."""
    turns.tell_seat(match, seat, "replaced", turn=seat.prompt_ply, number=seat.token_generation, now=now)
    seat.user, seat.bot, seat.is_open = None, Seat.Bot.NORMAL, True
    seat.misses, seat.due_at, seat.remind_at = 0, None, None
    _change_address(seat)
    seat.save()
    notices.post(
        match, "seat-open", f"seat-open:{seat.index}:{seat.token_generation}", now=now, letter=seat.letter
    )
    nudge("gemserver.matches.tasks.play_bots", match.pk)


def take_seat(match_id: int, index: int, user: User, *, now: datetime) -> Seat:
    """Take over a seat that a bot holds for an absent player, with a full bank; taking one's own again changes nothing.

    The substitute sees what the seat may see now. Raises Refused(no-such-match, not-open-seat, already-seated).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = match.seats.select_related("user").filter(index=index).first()
        if seat and seat.user == user:
            return seat
        if match.seats.filter(user=user).exists():
            raise Refused(
                "already-seated", "You play in {code} already; nobody holds two seats.", code=match.code
            )
        if seat is None or not seat.is_open or not match.is_running:
            raise Refused(
                "not-open-seat", "This seat of {code} is not free any more; choose another.", code=match.code
            )
        seat.user, seat.bot, seat.is_open = user, Seat.Bot.NONE, False
        seat.clock_left, seat.seen_at = match.time_control.bank, None
        _change_address(seat)
        if seat.is_waiting:
            turns.ask_anew(match, seat, now)
        seat.save()
        key = f"seat-taken:{seat.index}:{seat.token_generation}"
        notices.post(match, "seat-taken", key, now=now, player=seat.index, letter=seat.letter)
    return seat


def _change_address(seat: Seat) -> None:
    """The reply address of whoever held the seat before is dead from now on."""
    seat.token_generation += 1
    seat.token_hash = seat.current_token_hash()
