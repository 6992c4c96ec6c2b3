"""Reviews of finished matches: the result that each seat could expect, move by move, and the moves that mattered most.

Computed in pieces of a few seconds, so that whoever waits for a hint does not wait for a review.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db import DatabaseError, transaction

from games.analysis import Judged, Reviewed, find_turning_points, review
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.nudge import nudge
from gemserver.matches import records
from gemserver.matches.broken_games import stop_broken
from gemserver.matches.game_guard import BrokenGame
from gemserver.matches.models import Match
from gemserver.matches.notifications import Addressee, tell_players
from gemserver.matches.refusal import Refused
from gemserver.study.models import Review
from gemserver.study.studied import require_studied, runs_elsewhere

log = logging.getLogger(__name__)

MOST_A_DAY = 10
"""Reviews that one account begins within 24 hours."""
KEPT = timedelta(days=90)
PIECE = 5.0
"""Seconds of work after which hints have their turn."""


def ask_review(match: Match, user: User, *, is_by_mail: bool = False, now: datetime) -> Review:
    """Ask for the review of this match; a second time, or asked by others, it is the same one.

    `is_by_mail`: it is mailed, too, once to each reader.

    Raises Refused(guest, still-running, not-studied, same-deal-runs, too-many-reviews).
    """
    require_studied(match, user)
    found = Review.objects.filter(match=match).first() or _begin(match, user, now)
    if is_by_mail:
        _promise_mail(found, user, now)
    return found


def find_review(match: Match, user: User) -> Review | None:
    """The review, done or not. Raises Refused like `ask_review`."""
    require_studied(match, user)
    return Review.objects.filter(match=match).first()


def _begin(match: Match, user: User, now: datetime) -> Review:
    if Review.objects.filter(user=user, asked_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Refused(
            "too-many-reviews",
            "You have asked for {most} reviews within a day. Tomorrow there are more.",
            most=MOST_A_DAY,
        )
    begun, _ = Review.objects.get_or_create(match=match, defaults={"user": user, "asked_at": now})
    nudge("gemserver.study.tasks.think")
    return begun


def _promise_mail(found: Review, user: User, now: datetime) -> None:
    with transaction.atomic():
        locked = Review.objects.select_for_update().filter(pk=found.pk).first()
        if locked is None:  # given up meanwhile: the page offers it again
            return
        if locked.is_done:
            _mail(locked, user, now)
        else:
            locked.readers.add(user)


def _mail(found: Review, user: User, now: datetime) -> None:
    """Queue the mail; one for each reader, also for those who hold no seat."""
    seat = found.match.seats.filter(user=user).first()
    reader, number = (Addressee(user, seat.index), 0) if seat else (Addressee(user, 0), user.pk)
    tell_players(
        found.match, "review", [reader], turn=found.match.ply, number=number, now=now, review=found.pk
    )


def go_on() -> bool:
    """Work on the oldest review that waits, for `PIECE` seconds; True if there is more to do."""
    waiting = Review.objects.filter(done_at=None).select_related("match").order_by("asked_at", "pk")
    found = waiting.first()
    if found is None:
        return False
    try:
        _work(found)
    except BrokenGame as error:
        found.delete()
        stop_broken(error)
    except DatabaseError:  # it is gone on with at the next sweep
        log.exception("the review of %s waits", found)
        return False
    except Exception:  # one match that fails does not hold up the others
        log.exception("the review of %s failed", found)
        found.delete()
    return waiting.exists()


def _work(found: Review) -> None:
    """Add the next positions. What another process has added meanwhile stays."""
    if runs_elsewhere(found.match):
        found.delete()
        return
    begun, until = found.reached, monotonic() + PIECE
    added = []
    for reviewed in review(records.make_record(found.match), begin_at=begun):
        added.append(_write(reviewed))
        if monotonic() >= until:
            break
    with transaction.atomic():
        locked = Review.objects.select_for_update().filter(pk=found.pk).first()
        if locked is None or locked.reached != begun:
            return
        locked.plies += added
        locked.reached += len(added)
        if locked.reached > found.match.ply:
            _finish(locked)
        locked.save(update_fields=["plies", "reached", "done_at"])


def _finish(found: Review) -> None:
    found.done_at = clock.now()
    for reader in found.readers.all():
        _mail(found, reader, found.done_at)
    found.readers.clear()


def _write(reviewed: Reviewed) -> dict[str, Any]:
    judged = reviewed.judged
    return {
        "known": [round(value, 1) for value in reviewed.known],
        "true": [round(value, 1) for value in reviewed.true],
        "move": judged
        and {
            "seat": judged.seat,
            "played": judged.played,
            "best": judged.best,
            "worth": round(judged.worth, 1),
            "loss": round(judged.loss, 1),
        },
    }


def list_moves(found: Review) -> Iterator[Judged]:
    """The moves that their players chose, each beside the best one."""
    for ply, each in enumerate(found.plies):
        if each["move"]:
            yield Judged(ply, **each["move"])


def list_turning_points(found: Review) -> list[Judged]:
    """The three moves that lost the most; fewer if the match was played better."""
    return find_turning_points(list_moves(found))
