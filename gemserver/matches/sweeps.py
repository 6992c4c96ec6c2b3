"""Finds the rows that are due and hands each to its action.

Two sweeps at once do no harm: each action looks again under the lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import timedelta

from gemserver.accounts.guests import expired_guests
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import sitters, uptime
from gemserver.matches.actions.expire_seat import expire_seat
from gemserver.matches.actions.mail_mode import queue_digest
from gemserver.matches.actions.play_bot import play_bot
from gemserver.matches.actions.practice import remove_guest
from gemserver.matches.actions.remind_seat import remind_seat
from gemserver.matches.actions.sitting import settle_sitting
from gemserver.matches.models import Heartbeat, Seat

log = logging.getLogger(__name__)

BATCH = 100
BOT_PATIENCE = timedelta(seconds=5)
"""How long a bot may be left to the worker that was nudged for it, before a sweep takes it up."""


def play_bots(match_id: int | None = None) -> None:
    """Let waiting bots move: those of one match until a person is asked, else those whose nudge seems lost."""
    waiting = Seat.objects.filter(is_waiting=True).exclude(bot="").order_by("prompted_at", "pk")
    if match_id is None:
        waiting = waiting.filter(prompted_at__lte=clock.now() - BOT_PATIENCE)
    else:
        waiting = waiting.filter(match=match_id)
    _each("bot", waiting.values_list("pk", flat=True)[:BATCH], play_bot)


def act_on_deadlines() -> None:
    """Reminders and digests, then what has run out, the oldest first; before all, credit for time that was missed."""
    now = clock.now()
    uptime.watch(now)
    waiting = Seat.objects.filter(is_waiting=True)
    to_remind = waiting.filter(remind_at__lte=now).order_by("remind_at").values_list("pk", flat=True)[:BATCH]
    _each("reminder", to_remind, lambda pk: remind_seat(pk, now=now))
    digests = User.objects.filter(next_digest_at__lte=now).order_by("next_digest_at")
    _each("digest", digests.values_list("pk", flat=True)[:BATCH], lambda pk: queue_digest(pk, now=now))
    sittings = sitters.to_settle(now).values_list("pk", flat=True)[:BATCH]
    _each("sitting", sittings, lambda pk: settle_sitting(pk, now=now))
    due = waiting.filter(due_at__lte=now).order_by("due_at").values_list("pk", flat=True)[:BATCH]
    _each("deadline", due, lambda pk: expire_seat(pk, now=now))
    uptime.beat(clock.now(), Heartbeat.Duty.SWEEP)  # a long sweep is no downtime


def remove_guests() -> None:
    """Guests who have not signed up in time, and what they have played, the oldest first."""
    expired = expired_guests(clock.now()).order_by("date_joined").values_list("pk", flat=True)[:BATCH]
    _each("guest", expired, remove_guest)


def _each(duty: str, pks: Iterable[int], act: Callable[[int], object]) -> None:
    for pk in list(pks):
        try:
            act(pk)
        except Exception:  # one broken match does not hold up the others; the row stays due
            log.exception("%s %s failed", duty, pk)
