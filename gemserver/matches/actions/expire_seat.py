"""When a seat's time runs out: the server plays the game's default move and says so."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.matches import replay, timing, turns
from gemserver.matches.actions.submit import Accepted, Actor, Request, submit
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Move, Seat


def expire_seat(seat_id: int, *, now: datetime) -> Accepted | None:
    """Play the default move of a seat that is due; None when it is not due any more (answered, or given time)."""
    with transaction.atomic():
        match = lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        if not match.is_running or not seat.is_waiting or seat.due_at is None or seat.due_at > now:
            return None
        if not timing.is_due(match, seat, now):
            return None
        default = match.rules.default_move(replay.position(match), seat.index)
        request = Request(
            match_id=match.pk,
            actor=Actor.clock(seat.index),
            text=match.rules.write(default),
            source=Move.Source.CLOCK,
            request_id=f"clock:{seat.index}:{seat.prompt_ply}",
            prompt_ply=seat.prompt_ply,
        )
        turns.tell_seat(match, seat, "timeout", turn=seat.prompt_ply, now=now, text=request.text)
        return submit(request, now=now)
