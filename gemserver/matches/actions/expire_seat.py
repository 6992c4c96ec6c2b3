"""When a seat's time runs out: the server plays the game's default move and says so."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from gemserver.lib.nudge import nudge
from gemserver.matches import replay, timing, turns
from gemserver.matches.actions.submit import Accepted, Actor, Request, submit
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Move, Seat

log = logging.getLogger(__name__)

MAIL_PATIENCE = timedelta(minutes=10)
"""For so long the reading of mail may hold a deadline up (`email.md` T3)."""


def expire_seat(seat_id: int, *, now: datetime) -> Accepted | None:
    """Play the default move of a seat that is due.

    None when it is not due any more (answered, or given time), and while a mail that came in time waits to be read.
    """
    with transaction.atomic():
        match = lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        if not match.is_running or not seat.is_waiting or seat.due_at is None or seat.due_at > now:
            return None
        if not timing.is_due(match, seat, now) or _may_have_answered(seat, seat.due_at, now):
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


def _may_have_answered(seat: Seat, due: datetime, now: datetime) -> bool:
    """Whether a mail that came before the due time is to be read first: a reply counts by its receipt."""
    has_unread_mail = cast(Callable[[Seat, datetime], bool], import_string(settings.UNREAD_MAIL))
    if not has_unread_mail(seat, due):
        return False
    if now - due >= MAIL_PATIENCE:
        log.error("seat %s: mail from before %s is still unread, its deadline is acted on", seat.pk, due)
        return False
    nudge("gemserver.mailgate.tasks.read_mail")
    return True
