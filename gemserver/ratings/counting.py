"""Takes finished matches into the statistics, each once."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, QuerySet

from gemserver.matches.models import Match
from gemserver.matches.privacy import BEGAN_IN_PUBLIC
from gemserver.ratings.match_statistics import MatchStatistics, TallyEntry, read_statistics
from gemserver.ratings.statistics_models import CountedMatch, GameTally, PlayedMatch

log = logging.getLogger(__name__)

BATCH = 200
"""Matches that one sweep takes in; the next one takes more."""
LATE = timedelta(days=3)
"""A match may end with an earlier time than one that is counted: by a mail that was read late."""


def count_finished() -> int:
    """Take in matches that have ended since the last sweep; return how many there were."""
    last = CountedMatch.objects.aggregate(last=Max("finished_at"))["last"]
    return _count_each(find_uncounted(since=last and last - LATE))


def count_changed() -> int:
    """Take in what `count_finished` does not look at: ended long ago, or a guest's who has signed up since."""
    return _count_each(find_uncounted()) + _count_each(find_changed())


def find_uncounted(since: datetime | None = None) -> QuerySet[Match]:
    """Finished matches that are not taken in, the oldest first. `since`: only those that have ended since then."""
    counted = CountedMatch.objects.filter(match=OuterRef("pk"), finished_at=OuterRef("finished_at"))
    finished = Match.objects.filter(status=Match.Status.FINISHED)
    if since is not None:  # said of both tables, so that neither is read whole
        counted, finished = counted.filter(finished_at__gte=since), finished.filter(finished_at__gte=since)
    return finished.filter(~Exists(counted)).order_by("finished_at", "pk")


def find_changed() -> QuerySet[Match]:
    """Matches that were looked at before their guest signed up."""
    return Match.objects.filter(BEGAN_IN_PUBLIC, counted__is_public=False).exclude(created_by__is_guest=True)


def _count_each(found: QuerySet[Match]) -> int:
    keys = list(found.values_list("pk", flat=True)[:BATCH])
    for key in keys:
        try:
            count_match(key)
        except Exception:  # one match that cannot be read does not hold up the others
            log.exception("match %s cannot be counted", key)
    return len(keys)


def count_match(match_id: int) -> None:
    """Take the match in as it stands; what it was counted as before is taken out."""
    with transaction.atomic():
        match = _lock(match_id)
        if match is None:
            return
        statistics = read_statistics(match)
        _take_out(match_id)
        assert match.finished_at is not None
        CountedMatch.objects.create(
            match=match, finished_at=match.finished_at, is_public=statistics.is_public, tally=statistics.tally
        )
        PlayedMatch.objects.bulk_create(statistics.results)
        _add(match, statistics.tally, 1)


def _lock(match_id: int) -> Match | None:
    """The finished match, locked: two workers count it one after the other."""
    found = Match.objects.select_for_update(of=("self",), no_key=True).select_related("club", "created_by")
    return found.filter(pk=match_id, status=Match.Status.FINISHED).first()


def _take_out(match_id: int) -> None:
    counted = CountedMatch.objects.select_related("match").filter(match=match_id).first()
    if counted is None:
        return
    _add(counted.match, [(kind, key, count, wins) for kind, key, count, wins in counted.tally], -1)
    PlayedMatch.objects.filter(match=match_id).delete()
    counted.delete()


def _add(match: Match, entries: Iterable[TallyEntry], sign: int) -> None:
    """Add the entries to the tallies of the game, in an order in which no two workers lock each other out."""
    of = {"game": match.game, "seat_count": match.seat_count}
    ordered = sorted(entries)
    GameTally.objects.bulk_create(
        [GameTally(**of, kind=kind, key=key) for kind, key, _count, _wins in ordered], ignore_conflicts=True
    )
    for kind, key, count, wins in ordered:
        rows = GameTally.objects.filter(**of, kind=kind, key=key)
        rows.update(count=F("count") + sign * count, wins=F("wins") + sign * wins)


def rebuild() -> int:
    """Count every finished match anew; return how many there are. Sweeps may run beside it."""
    keys = list(_finished().values_list("pk", flat=True))
    for key in keys:
        count_match(key)
    _add_up()
    return len(keys)


def _add_up() -> None:
    """Compute all tallies from what each match has added to them."""
    with transaction.atomic():
        # Whoever counts a match meanwhile waits here, and adds it to the right sum afterwards.
        rows = list(GameTally.objects.select_for_update().order_by("game", "seat_count", "kind", "key"))
        sums: dict[tuple[str, int, str, str], list[int]] = {}
        counted = CountedMatch.objects.values_list("match__game", "match__seat_count", "tally")
        for game, seats, tally in counted.iterator(chunk_size=2000):
            for kind, key, count, wins in tally:
                total = sums.setdefault((game, seats, kind, key), [0, 0])
                total[0] += count
                total[1] += wins
        for row in rows:
            right = sums.pop((row.game, row.seat_count, row.kind, row.key), [0, 0])
            if [row.count, row.wins] != right:
                row.count, row.wins = right
                row.save(update_fields=["count", "wins"])
        GameTally.objects.bulk_create(
            [
                GameTally(game=game, seat_count=seats, kind=kind, key=key, count=count, wins=wins)
                for (game, seats, kind, key), (count, wins) in sums.items()
            ]
        )


def find_differences() -> Iterator[str]:
    """Compare what is stored with what the matches say; yield a line for each difference."""
    tallies: dict[tuple[str, int, str, str], list[int]] = {}
    for match in _finished().select_related("club", "created_by").iterator(chunk_size=500):
        statistics = read_statistics(match)
        counted = CountedMatch.objects.filter(match=match).first()
        if counted is None or counted.finished_at != match.finished_at:
            yield f"{match.code}: not counted"
        elif (
            counted.is_public != statistics.is_public
            or [tuple(entry) for entry in counted.tally] != statistics.tally
        ):
            yield f"{match.code}: counted as {counted.tally}, is {[list(entry) for entry in statistics.tally]}"
        yield from _compare_results(match, statistics)
        for kind, key, count, wins in statistics.tally:
            total = tallies.setdefault((match.game, match.seat_count, str(kind), key), [0, 0])
            total[0] += count
            total[1] += wins
    for row in GameTally.objects.exclude(count=0, wins=0):
        right = tallies.pop((row.game, row.seat_count, row.kind, row.key), [0, 0])
        if [row.count, row.wins] != right:
            yield f"{row}: should be {right[0]}, and {right[1]} of wins instead of {row.wins}"
    for (game, seats, kind, key), (count, _wins) in tallies.items():
        yield f"{game} {seats} {kind} {key}: missing, should be {count}"


_COLUMNS = (
    *("user_id", "game", "seat_count", "place", "rank", "score", "above_mean", "answers", "times"),
    *("timeouts", "lost_seat", "finished_at"),
)


def _compare_results(match: Match, statistics: MatchStatistics) -> Iterator[str]:
    stored = {row.user_id: row for row in PlayedMatch.objects.filter(match=match)}
    right = {row.user_id: row for row in statistics.results}
    for user in sorted({*stored, *right}):
        if user not in stored:
            yield f"{match.code}: the result of player {user} is missing"
        elif user not in right:
            yield f"{match.code}: player {user} has a result and did not play"
        else:
            for name in _COLUMNS:
                if (has := getattr(stored[user], name)) != (is_ := getattr(right[user], name)):
                    yield f"{match.code}: {name} of player {user} is {has}, should be {is_}"


def _finished() -> QuerySet[Match]:
    return Match.objects.filter(status=Match.Status.FINISHED).order_by("pk")
