"""Act when a seat's time has run out: the default move, a bot's move, or a bot in the seat; the player is told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from gemserver.accounts.reachability import is_cut_off
from gemserver.matches import prompts, replay, timing, turns
from gemserver.matches.actions.play.play_bot import think
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.actions.seats.hand_over import give_to_bot
from gemserver.matches.actions.time.come_back import leave_to_bot
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Move, Seat
from gemserver.nudge import nudge

log = logging.getLogger(__name__)

MAIL_PATIENCE = timedelta(minutes=10)
"""How long unread mail may hold a deadline up (mail-requirements.md T3)."""

MOST_MISSES = 2
"""Prompts in a row that run out before a match may give the seat away."""


def expire_seat(seat_id: int, *, now: datetime) -> Accepted | None:
    """Apply the match's rule for absence to a seat that is due.

    None when nothing is played: the seat is not due any more (it has answered, or was given time), a mail that came in
    time is still unread, or a bot takes the seat over and will play.
    """
    thought = _let_a_bot_think(seat_id, now)
    with transaction.atomic():
        match = lock_match(Seat.objects.values_list("match_id", flat=True).get(pk=seat_id))
        seat = Seat.objects.select_related("user").get(pk=seat_id)
        if not _has_run_out(match, seat, now):
            return None
        if match.play_until is not None:
            leave_to_bot(match, seat, now=now)
            return None
        # A player whom no mail reaches is not absent, but the clock's move is made all the same.
        is_miss = seat.user is not None and not is_cut_off(seat.user)
        if match.absence == Match.Absence.REPLACE and is_miss and seat.misses + 1 >= MOST_MISSES:
            give_to_bot(match, seat, now=now)
            return None
        is_apt = thought is not None and thought.prompt_ply == seat.prompt_ply
        text = thought.text if thought and is_apt else _default_text(match, seat)
        request = Request(
            match_code=match.code,
            actor=Actor.clock(seat.index),
            text=text,
            source=Move.Source.CLOCK,
            request_id=str(seat.prompt_ply),
            prompt_ply=seat.prompt_ply,
        )
        turns.tell_seat(match, seat, "timeout", turn=seat.prompt_ply, now=now, text=request.text)
        accepted = submit(request, now=now)
        Seat.objects.filter(pk=seat.pk).update(misses=seat.misses + is_miss)
        return accepted


def _default_text(match: Match, seat: Seat) -> str:
    """The default move; empty while sealed orders are collected, for it will depend on the others' orders."""
    position = replay.position(match)
    if prompts.has_open_contest(match, position):
        return ""
    return match.rules.write(match.rules.default_move(position, seat.index))


def _has_run_out(match: Match, seat: Seat, now: datetime) -> bool:
    if not match.is_running or not seat.is_waiting or seat.due_at is None or seat.due_at > now:
        return False
    return timing.is_due(match, seat, now) and not _may_have_answered(seat, seat.due_at, now)


@dataclass(frozen=True, slots=True)
class _Thought:
    """A bot's move for the prompt with this number."""

    prompt_ply: int
    text: str


def _let_a_bot_think(seat_id: int, now: datetime) -> _Thought | None:
    """Choose the bot's move before the match is locked; None unless a bot plays for absent players."""
    seat = Seat.objects.select_related("match").get(pk=seat_id)
    match = seat.match
    if (
        match.absence != Match.Absence.BOT
        or match.play_until is not None
        or not match.is_running
        or not seat.is_waiting
    ):
        return None
    if seat.due_at is None or seat.due_at > now:
        return None
    return _Thought(seat.prompt_ply, think(match, seat, Seat.Bot.NORMAL))


def _may_have_answered(seat: Seat, due: datetime, now: datetime) -> bool:
    """True if a mail received before the due time is still to be read: a reply counts by its receipt."""
    has_unread_mail = cast(Callable[[Seat, datetime], bool], import_string(settings.UNREAD_MAIL))
    if not has_unread_mail(seat, due):
        return False
    if now - due >= MAIL_PATIENCE:
        log.error("seat %s: mail from before %s is still unread, its deadline is acted on", seat.pk, due)
        return False
    nudge("gemserver.mailgate.tasks.read_mail")
    return True
