"""Finds rows that are due and hands each to its action.

Two sweeps at once do no harm: each action checks again under the lock.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from gemserver.accounts.guests import expired_guests
from gemserver.accounts.models import User, Vacation
from gemserver.lib import clock
from gemserver.lib.database.database_faults import is_passing, with_new_plans
from gemserver.matches import sitters, tables, uptime
from gemserver.matches.actions.play.play_bot import play_bot
from gemserver.matches.actions.seats.ask_sitter import begin_or_end_sitting
from gemserver.matches.actions.tables.leave_table import end_forgotten_table
from gemserver.matches.actions.tables.start_practice import remove_guest
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.actions.time.remind_of_vacation import remind_of_vacation
from gemserver.matches.actions.time.remind_seat import remind_seat
from gemserver.matches.broken_games import GameFailed, stop_broken
from gemserver.matches.digests import queue_digest
from gemserver.matches.models import IS_BOTS, Heartbeat, Seat, Stop
from gemserver.matches.offered.game_guard import BrokenGame

log = logging.getLogger(__name__)

BATCH = 1000
"""Rows of one kind that one sweep acts on, the longest due first; the next sweep takes the rest."""
BOTS = 50
"""Like `BATCH`, for bots: fewer, because they think."""
LONGEST = timedelta(minutes=1)
"""The time that one sweep may spend on the rows of one kind; it begins no row after that."""
BOT_PATIENCE = timedelta(seconds=5)
"""How long a bot is left to the worker that was nudged for it, before a sweep takes over."""
HARD_BOT_PATIENCE = timedelta(minutes=1)
"""Longer for hard bots, who queue for the thinker: a second thinker would only think the same."""


def play_bots(match_id: int | None = None) -> None:
    """Let waiting bots move, except hard ones: those of one match, else those whose nudge seems lost."""
    _play(waiting_bots().exclude(bot=Seat.Bot.HARD), match_id, BOT_PATIENCE)


def play_hard_bots(match_id: int | None = None) -> None:
    """Let waiting hard bots move, like `play_bots`; they take seconds for a move."""
    _play(waiting_bots().filter(bot=Seat.Bot.HARD), match_id, HARD_BOT_PATIENCE)


def _play(bots: QuerySet[Seat], match_id: int | None, patience: timedelta) -> None:
    if match_id is None:
        now = clock.now()
        is_put_back = Q(prompted_at__gt=now)  # asked while the server's clock was ahead
        bots = bots.filter(Q(prompted_at__lte=now - patience) | is_put_back)
    else:
        bots = bots.filter(match=match_id)
    _each("bot", bots[:BOTS], play_bot)


def act_on_deadlines() -> None:
    """Credit time that was missed, then act on reminders, digests, sittings and deadlines, the oldest first."""
    now, began = clock.now(), time.monotonic()
    uptime.watch(now)
    _each("reminder", seats_to_remind(now)[:BATCH], lambda pk: remind_seat(pk, now=now))
    _each("vacation", vacations_ending(now)[:BATCH], lambda pk: remind_of_vacation(pk, now=now))
    _each("digest", digests_due(now)[:BATCH], lambda pk: queue_digest(pk, now=now))
    _each("sitting", sitters.to_begin_or_end(now)[:BATCH], lambda pk: begin_or_end_sitting(pk, now=now))
    _each("deadline", seats_due(now)[:BATCH], lambda pk: expire_seat(pk, now=now))
    # A long sweep is not downtime; a machine that sleeps in the middle of it, or a clock that jumps, is.
    worked = timedelta(seconds=time.monotonic() - began)
    uptime.beat(now + worked, Heartbeat.Duty.SWEEP)


def seats_to_remind(now: datetime) -> QuerySet[Seat]:
    """Seats whose player is to be reminded, the longest due first; each of these queries reads an index."""
    return _waiting().filter(remind_at__lte=now).order_by("remind_at")


def seats_due(now: datetime) -> QuerySet[Seat]:
    """Seats whose time has run out."""
    return _waiting().filter(due_at__lte=now).order_by("due_at")


def vacations_ending(now: datetime) -> QuerySet[Vacation]:
    """Vacations of whose end their player is to be told."""
    return Vacation.objects.filter(remind_at__lte=now).order_by("remind_at")


def digests_due(now: datetime) -> QuerySet[User]:
    """Players whose digest is due."""
    return User.objects.filter(next_digest_at__lte=now).order_by("next_digest_at")


def waiting_bots() -> QuerySet[Seat]:
    """Seats of bots that are to move."""
    return _waiting().filter(IS_BOTS).order_by("prompted_at", "pk")


def _waiting() -> QuerySet[Seat]:
    """Seats that are waited for, except in a match whose game has failed, which would fail with every sweep."""
    failed = Stop.objects.filter(reason=Stop.Reason.GAME, end=None, match__isnull=False)
    return Seat.objects.filter(is_waiting=True).exclude(match__in=failed.values("match"))


def remove_guests() -> None:
    """Remove guests who have not signed up in time, with their matches, the oldest first."""
    now = clock.now()
    if uptime.may_delete_old(now):
        _each("guest", expired_guests(now).order_by("date_joined")[:BATCH], remove_guest)


def end_forgotten_tables() -> None:
    """Call off the tables at which nothing has changed for a month, the oldest first."""
    now = clock.now()
    if uptime.may_delete_old(now):
        _each("table", tables.forgotten_tables(now)[:BATCH], lambda pk: end_forgotten_table(pk, now=now))


def _each(duty: str, rows: QuerySet[Any], act: Callable[[int], object]) -> None:
    """Act on each row, until `LONGEST` has passed; the others stay due for the next sweep."""
    began = time.monotonic()
    for pk in list(rows.values_list("pk", flat=True)):
        if time.monotonic() - began > LONGEST.total_seconds():
            log.warning("%s: the rest is left to the next sweep", duty)
            break
        try:
            with_new_plans(act, pk)
        except (BrokenGame, GameFailed) as error:  # what was done for it is rolled back by now
            stop_broken(error.error if isinstance(error, GameFailed) else error)
        except Exception as error:
            # One match, broken or held, does not hold up the others; the row stays due.
            if is_passing(error):
                log.warning("%s %s is left to the next sweep: %s", duty, pk, type(error.__cause__).__name__)
            else:
                log.exception("%s %s failed", duty, pk)
