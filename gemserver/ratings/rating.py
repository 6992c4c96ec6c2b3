"""Rates finished matches, in the order in which they finished, each pool under its own lock.

A match is judged once (`verdict`); who counts for which seat then stands in its rows. Figures are computed again from
the first match that is new, taken out, or came late, so that they never depend on when a worker looked.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from games.ratings import Board, Change, Result
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.database.database_faults import is_passing, with_new_plans
from gemserver.matches.models import Match
from gemserver.matches.privacy import BEGAN_IN_PUBLIC, began_in_public
from gemserver.ratings import announcing
from gemserver.ratings.facts import read_facts
from gemserver.ratings.models import Contender, Pool, RatedMatch, Rating, RatingChange
from gemserver.ratings.verdict import Placed, judge

log = logging.getLogger(__name__)

NEW_AT_ONCE = 100
"""Matches that one transaction judges."""
RATED_AT_ONCE = 500
"""Matches whose figures one transaction computes."""
LATELY = timedelta(days=1)
"""The frequent task looks at matches that have finished since; `rate_all` looks at all."""


LONGEST = timedelta(minutes=1)
"""The time that one run may take; it begins no transaction after that, and the next run goes on."""


def rate_matches() -> None:
    """Rate what has finished lately and what a moderator has taken out; safe to run twice, and by two at once."""
    _rate_where(_unrated().filter(finished_at__gte=clock.now() - LATELY))


def rate_all() -> None:
    """Like `rate_matches`, for all matches."""
    _rate_where(_unrated())


def _unrated() -> QuerySet[Match]:
    return Match.objects.filter(status=Match.Status.FINISHED, is_rated=True, rated=None)


def _rate_where(unrated: QuerySet[Match]) -> None:
    public, private = unrated.order_by().filter(BEGAN_IN_PUBLIC), unrated.order_by().exclude(BEGAN_IN_PUBLIC)
    keys: set[tuple[int | None, str]] = {
        (None, game) for game in public.values_list("game", flat=True).distinct()
    }
    keys |= set(private.values_list("club", "game").distinct())
    waiting = Pool.objects.filter(Q(stale_from__isnull=False) | Q(pk__in=_taken_out().values("pool")))
    keys |= set(waiting.values_list("club", "game"))
    began = time.monotonic()
    for club, game in sorted(keys, key=str):
        try:
            while time.monotonic() - began < LONGEST.total_seconds() and with_new_plans(
                _rate_some, club, game
            ):
                pass
        except Exception as error:  # one pool, held or broken, does not hold up the others
            if is_passing(error):
                log.warning(
                    "ratings of %s are left to the next sweep: %s", game, type(error.__cause__).__name__
                )
            else:
                log.exception("ratings of %s failed", game)


def _rate_some(club: int | None, game: str) -> bool:
    """Judge the next matches of a pool and compute its figures from the first that is new; True if some are left."""
    now = clock.now()
    with transaction.atomic():
        pool = Pool.objects.select_for_update(no_key=True).get(pk=_find_pool(club, game).pk)
        was_stale = pool.stale_from is not None
        new = list(_of_pool(_unrated(), pool).order_by("finished_at", "pk")[: NEW_AT_ONCE + 1])
        announced = [_take_up(pool, match) for match in new[:NEW_AT_ONCE]]
        lost = _take_out(pool)
        announced += lost.matches
        starts = [pool.stale_from, lost.since, *(rated.finished_at for rated in announced)]
        pool.stale_from = min((start for start in starts if start is not None), default=None)
        if pool.stale_from is None:
            return False
        replayed = _replay(pool, pool.stale_from)
        pool.stale_from = replayed.next
        pool.save(update_fields=["stale_from"])
        if pool.stale_from is None:
            _refresh(pool, None if was_stale else replayed.contenders | lost.contenders)
        announcing.announce({rated.match_id for rated in announced} | replayed.changed, now)
        return pool.stale_from is not None or len(new) > NEW_AT_ONCE


def pool_of(match: Match) -> tuple[int | None, str]:
    """The club (primary key; None: public) and the game under which the match is rated, for good."""
    return (None if began_in_public(match) else match.club_id), match.game


def _find_pool(club: int | None, game: str) -> Pool:
    if club is None:
        return Pool.objects.get_or_create(club=None, game=game)[0]
    return Pool.objects.get_or_create(club_id=club, game=game)[0]


def _of_pool(matches: QuerySet[Match], pool: Pool) -> QuerySet[Match]:
    if pool.club_id is not None:
        return matches.filter(game=pool.game, club=pool.club_id).exclude(BEGAN_IN_PUBLIC)
    return matches.filter(BEGAN_IN_PUBLIC, game=pool.game)


def _take_up(pool: Pool, match: Match) -> RatedMatch:
    """Judge a match and write whoever counts for its seats; the figures follow with `_replay`."""
    assert match.finished_at is not None
    verdict = judge(read_facts(match))
    rated = RatedMatch.objects.create(
        match=match, pool=pool, finished_at=match.finished_at, refusal=verdict.refusal
    )
    RatingChange.objects.bulk_create(write_change(rated, placed) for placed in verdict.places)
    return rated


def write_change(rated: RatedMatch, placed: Placed) -> RatingChange:
    """The row of one player in a match, unsaved and without its figures."""
    contender = placed.player.contender
    if contender is None:
        assert placed.player.user is not None
        user = User.objects.get(pk=placed.player.user)
        contender, _ = Contender.objects.get_or_create(user=user, defaults={"is_bot": placed.player.is_bot})
    return RatingChange(
        match_id=rated.match_id,
        seat=placed.seat.index,
        pool_id=rated.pool_id,
        contender=contender,
        finished_at=rated.finished_at,
        place=placed.place,
        why=placed.seat.why,
        absent_since=placed.seat.absent_since,
        mu_before=0,
        sigma_before=0,
        mu_after=0,
        sigma_after=0,
    )


def _taken_out() -> QuerySet[RatedMatch]:
    """The matches that a moderator has taken out, and that still stand as they were."""
    return RatedMatch.objects.filter(match__voided_result__isnull=False).exclude(
        refusal=RatedMatch.Refusal.VOIDED
    )


@dataclass
class _Lost:
    matches: list[RatedMatch] = field(default_factory=list)
    contenders: set[int] = field(default_factory=set)
    since: datetime | None = None


def _take_out(pool: Pool) -> _Lost:
    """Take out the matches of the pool that a moderator has voided."""
    lost = _Lost()
    for rated in _taken_out().filter(pool=pool):
        rated.refusal = RatedMatch.Refusal.VOIDED
        rated.save(update_fields=["refusal"])
        changes = RatingChange.objects.filter(match=rated.match_id)
        lost.contenders |= set(changes.values_list("contender", flat=True))
        changes.delete()
        lost.matches.append(rated)
    lost.since = min((rated.finished_at for rated in lost.matches), default=None)
    return lost


@dataclass(frozen=True, slots=True)
class _Replayed:
    """How far the figures are right again, and what has changed on the way."""

    next: datetime | None
    contenders: set[int]
    changed: set[int]
    """Primary keys of matches."""


def _replay(pool: Pool, since: datetime) -> _Replayed:
    """Compute the figures of the pool's matches from this time on, as many as one transaction takes."""
    changes = RatingChange.objects.filter(pool=pool, finished_at__gte=since)
    order = list(
        RatedMatch.objects.filter(pool=pool, finished_at__gte=since, refusal="")
        .order_by("finished_at", "match")
        .values_list("finished_at", flat=True)[: RATED_AT_ONCE + 1]
    )
    following = None
    if len(order) > RATED_AT_ONCE:
        following = order[-1]
        if following == order[0]:  # all of them at one instant: take them together, however many there are
            later = RatedMatch.objects.filter(pool=pool, finished_at__gt=following, refusal="")
            following = later.order_by("finished_at").values_list("finished_at", flat=True).first()
        if following is not None:
            changes = changes.filter(finished_at__lt=following)
    rows = list(changes.order_by("finished_at", "match", "seat"))
    contenders = {row.contender_id for row in rows}
    changed = list(replay(rows, board_before(pool, contenders, since)))
    RatingChange.objects.bulk_update(changed, _FIGURES, batch_size=500)
    return _Replayed(following, contenders, {row.match_id for row in changed})


_FIGURES = ("is_spared", "mu_before", "sigma_before", "mu_after", "sigma_after")


def replay(rows: Sequence[RatingChange], board: Board[int]) -> Iterable[RatingChange]:
    """Play the matches of these rows, in order, on the board; yield the rows whose figures differ, made right."""
    for match_rows in by_match(rows):
        results = [result_of(row) for row in match_rows]
        for row, change in zip(match_rows, board.add(results), strict=True):
            if figures(row) != _figures_of(change):
                row.is_spared, row.mu_before, row.sigma_before, row.mu_after, row.sigma_after = _figures_of(
                    change
                )
                yield row


def by_match(rows: Iterable[RatingChange]) -> list[list[RatingChange]]:
    """Group rows that stand in order."""
    grouped: dict[int, list[RatingChange]] = {}
    for row in rows:
        grouped.setdefault(row.match_id, []).append(row)
    return list(grouped.values())


def result_of(row: RatingChange) -> Result[int]:
    """A row as the engine takes it."""
    absence = row.absent_since.isoformat() if row.absent_since else ""
    return Result(row.contender_id, row.place, absence)


def figures(row: RatingChange) -> tuple[bool, float, float, float, float]:
    """The figures of a row that follow from the matches before it."""
    return row.is_spared, row.mu_before, row.sigma_before, row.mu_after, row.sigma_after


def _figures_of(change: Change) -> tuple[bool, float, float, float, float]:
    before, after = change.before, change.after
    return change.is_spared, before.mu, before.sigma, after.mu, after.sigma


def board_before(pool: Pool, contenders: Collection[int], at: datetime) -> Board[int]:
    """The beliefs about these players (primary keys) just before this time."""
    board: Board[int] = Board()
    for contender, row in _last_changes(pool, contenders, Q(finished_at__lt=at)).items():
        board.beliefs[contender] = row.after
    paid = RatingChange.objects.filter(
        pool=pool,
        contender__in=contenders,
        finished_at__lt=at,
        absent_since__isnull=False,
        mu_after__lt=F("mu_before"),
    )
    board.absences = {
        (contender, since.isoformat())
        for contender, since in paid.values_list("contender", "absent_since")
        if since is not None
    }
    return board


def _last_changes(pool: Pool, contenders: Collection[int], until: Q) -> Mapping[int, RatingChange]:
    theirs = RatingChange.objects.filter(until, contender=OuterRef("pk"), pool=pool)
    last = theirs.order_by("-finished_at", "-match").values("pk")[:1]
    found = Contender.objects.filter(pk__in=contenders).annotate(last=Subquery(last)).exclude(last=None)
    pks = list(found.values_list("last", flat=True))
    return {row.contender_id: row for row in RatingChange.objects.filter(pk__in=pks)}


def _refresh(pool: Pool, contenders: Collection[int] | None) -> None:
    """Bring the current ratings of these players (None: of all in the pool) in line with their last changes."""
    changes = RatingChange.objects.filter(pool=pool)
    if contenders is None:
        rated = Rating.objects.filter(pool=pool)
        contenders = {pk for rows in (changes, rated) for pk in rows.values_list("contender", flat=True)}
    counts = dict(
        changes.filter(contender__in=contenders)
        .order_by()
        .values_list("contender")
        .annotate(number=Count("pk"))
    )
    last = _last_changes(pool, contenders, Q())
    Rating.objects.filter(pool=pool, contender__in=set(contenders) - set(last)).delete()
    Rating.objects.bulk_create(
        [
            Rating(
                pool=pool,
                contender_id=contender,
                mu=row.mu_after,
                sigma=row.sigma_after,
                matches=counts[contender],
                last_at=row.finished_at,
            )
            for contender, row in last.items()
        ],
        update_conflicts=True,
        unique_fields=["pool", "contender"],
        update_fields=["mu", "sigma", "matches", "last_at"],
        batch_size=500,
    )
