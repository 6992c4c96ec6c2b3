"""Reviews of finished matches: the result that each seat could expect, move by move, and the moves that mattered most.

Computed in pieces of a few seconds, so that whoever waits for a hint or a
short review does not wait for a long one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.core.cache import cache
from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from games.analysis import Judged, Reviewed, find_turning_points, review
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import records
from gemserver.matches.broken_games import stop_broken
from gemserver.matches.models import Match
from gemserver.matches.notifications import Addressee, tell_players
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.refusal import Refused
from gemserver.notify.channels import in_use
from gemserver.nudge import nudge
from gemserver.study.limits import PIECE, Counter, count_nothing, lock_family
from gemserver.study.models import Review
from gemserver.study.studied import require_studied

log = logging.getLogger(__name__)

DAY = timedelta(days=1)
MOST_A_DAY = 10
"""Reviews that one person begins within a day, with their bots."""
KEPT = timedelta(days=90)
_LAST = "last-review"
"""Key in the cache: the number of the review that was worked on last, by whichever process."""


def ask_review(
    match: Match, user: User, *, is_by_mail: bool = False, count: Counter = count_nothing, now: datetime
) -> Review:
    """Ask for the review of this match; a second time, or asked by others, it is the same one.

    A reader who has a channel is told there once it is done. `is_by_mail`: any other reader gets it by mail. `count` is
    called before a new one begins.

    Raises Refused(guest, still-running, not-studied, same-deal-runs, review-failed, too-many-reviews).
    """
    found = find_review(match, user, now) or _begin(match, user, count, now)
    if is_by_mail or (not found.is_done and in_use(user).exists()):
        _promise_news(found, user, now)
    return found


def find_review(match: Match, user: User, now: datetime) -> Review | None:
    """The review, done or not; one that failed is forgotten after a day. Raises Refused like `ask_review`."""
    require_studied(match, user)
    found = Review.objects.filter(match=match).first()
    if found is None or not found.is_given_up:
        return found
    if found.asked_at <= now - DAY:
        return None
    raise Refused("review-failed", "A bot could not go through {code}. Ask again tomorrow.", code=match.code)


def _begin(match: Match, user: User, count: Counter, now: datetime) -> Review:
    with transaction.atomic():
        family = lock_family(user)
        if Review.objects.filter(family, asked_at__gt=now - DAY).count() >= MOST_A_DAY:
            raise Refused(
                "too-many-reviews",
                "You have asked for {most} reviews within a day. Tomorrow there are more.",
                most=MOST_A_DAY,
            )
        count()
        Review.objects.filter(match=match, done_at__isnull=False, reached=0).delete()
        begun, _ = Review.objects.get_or_create(match=match, defaults={"user": user, "asked_at": now})
    nudge("gemserver.study.tasks.think")
    return begun


def _promise_news(found: Review, user: User, now: datetime) -> None:
    with transaction.atomic():
        locked = Review.objects.select_for_update().filter(pk=found.pk).first()
        if locked is None:  # its match was removed meanwhile
            return
        promise, is_new = Review.readers.through.objects.get_or_create(review=locked, user=user)
        if is_new and locked.done_at:
            _tell(locked, user, promise.pk, now)


def _tell(found: Review, user: User, number: int, now: datetime) -> None:
    """Queue the news of a review for one reader, also for those who hold no seat."""
    seat = found.match.seats.filter(user=user).first()
    reader = Addressee(user, seat.index if seat else 0)
    tell_players(
        found.match, "review", [reader], turn=found.match.ply, number=number, now=now, review=found.pk
    )


def go_on() -> bool:
    """Work on the review whose turn it is, for `PIECE` seconds; True if there is more to do."""
    found = _take_turn()
    if found is None:
        return False
    try:
        _work(found)
    except BrokenGame as error:
        _give_up(found)
        stop_broken(error)
    except DatabaseError:  # it is gone on with at the next sweep
        log.exception("the review of %s waits", found)
        return False
    except Exception:  # one match that fails does not hold up the others
        log.exception("the review of %s failed", found)
        _give_up(found)
    return _waiting().exists()


def _waiting() -> QuerySet[Review]:
    """Those that are not done, but for matches whose deal is being played once more."""
    same = Match.objects.filter(
        status=Match.Status.RUNNING,
        game=OuterRef("match__game"),
        server_part=OuterRef("match__server_part"),
    ).exclude(server_part="")
    return Review.objects.filter(~Exists(same), done_at=None).select_related("match").order_by("pk")


def _take_turn() -> Review | None:
    """Choose the next one behind the one that had the last turn, so that a long one holds up no other."""
    found = _waiting().filter(pk__gt=cache.get(_LAST, 0)).first() or _waiting().first()
    if found is not None:
        cache.set(_LAST, found.pk, timeout=None)
    return found


def _work(found: Review) -> None:
    """Add the next positions. What another process has added meanwhile stays."""
    begun, until = found.reached, monotonic() + PIECE
    added = []
    record, ranks = records.make_record(found.match), _find_decided_ranks(found.match)
    for reviewed in review(record, begin_at=begun, ranks=ranks):
        added.append(_write(reviewed))
        if monotonic() >= until:
            break
    with transaction.atomic():
        locked = Review.objects.select_for_update().filter(pk=found.pk).first()
        if locked is None or locked.reached != begun or locked.done_at:
            return
        locked.plies += added
        locked.reached += len(added)
        if locked.reached > found.match.ply:
            _finish(locked)
        locked.save(update_fields=["plies", "reached", "done_at"])


def _find_decided_ranks(match: Match) -> list[int] | None:
    """The ranks by seat that somebody decided; None if the rules have given them."""
    if match.ending != Match.Ending.ADJUDICATED:
        return None
    return [seat.rank or 1 for seat in match.read_seats()]


def _give_up(found: Review) -> None:
    with transaction.atomic():
        locked = Review.objects.select_for_update().filter(pk=found.pk).first()
        if locked is None:
            return
        locked.plies, locked.reached = [], 0
        _finish(locked)
        locked.save(update_fields=["plies", "reached", "done_at"])


def _finish(found: Review) -> None:
    found.done_at = clock.now()
    for promise in Review.readers.through.objects.filter(review=found).select_related("user"):
        _tell(found, promise.user, promise.pk, found.done_at)


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
