"""Checks all ratings against the records: matches, moves, seats, departures, voided results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction

from games.contract import seat_letter
from games.ratings import Board
from gemserver.matches.models import Match, Notice
from gemserver.ratings import announcing
from gemserver.ratings.facts import Erased, read_facts
from gemserver.ratings.models import Pool, RatedMatch, Rating, RatingChange
from gemserver.ratings.rating import figures, pool_of, replay, write_change
from gemserver.ratings.verdict import Refusal, Verdict, judge


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that is stored and does not follow from the records."""

    match: str
    """Its code; empty where the difference is in no single match."""
    seat: str
    """Its letter, or the name of a player; empty where the whole match differs."""
    what: str
    stored: object
    computed: object

    def __str__(self) -> str:
        where = " ".join(part for part in (self.match, self.seat) if part)
        return f"{where}: {self.what}: stored {self.stored}, computed {self.computed}"


def verify() -> tuple[int, Difference | None]:
    """Compute all ratings anew; return the number of matches looked at, and the first difference, if any.

    The pools are locked one after the other, so that nothing is rated meanwhile. Changes nothing.
    """
    number = 0
    for pk in Pool.objects.order_by("game", "club").values_list("pk", flat=True):
        with transaction.atomic():
            pool = Pool.objects.select_for_update(no_key=True).get(pk=pk)
            number += RatedMatch.objects.filter(pool=pool).count()
            difference = next(_differences(pool), None)
            transaction.set_rollback(True)
        if difference is not None:
            return number, difference
    return number, _find_missing()


def _find_missing() -> Difference | None:
    left = Match.objects.filter(status=Match.Status.FINISHED, is_rated=True, rated=None)
    match = left.order_by("finished_at", "pk").first()
    return (
        Difference(match.code, "", "the match was not looked at", None, "rated or refused") if match else None
    )


def _differences(pool: Pool) -> Iterator[Difference]:
    if pool.stale_from is not None:
        yield Difference("", str(pool), "ratings are being computed again", pool.stale_from, "nothing to do")
        return
    board: Board[int] = Board()
    counts: dict[int, int] = {}
    last_at: dict[int, object] = {}
    rated_matches = RatedMatch.objects.filter(pool=pool).select_related("match__club", "pool")
    for rated in rated_matches.order_by("finished_at", "match").iterator(chunk_size=500):
        stored = list(
            RatingChange.objects.filter(match=rated.match_id).select_related("contender").order_by("seat")
        )
        yield from _differences_of_match(rated, stored, board)
        for row in stored:
            counts[row.contender_id] = counts.get(row.contender_id, 0) + 1
            last_at[row.contender_id] = row.finished_at
    for rating in Rating.objects.filter(pool=pool).select_related("contender__user").order_by("contender"):
        contender = rating.contender_id
        belief = board.beliefs.get(contender)
        computed = (belief, counts.pop(contender, 0), last_at.get(contender))
        if (rating.belief, rating.matches, rating.last_at) != computed:
            yield Difference("", str(rating), "the rating now", rating.belief, belief)
    for contender, number in counts.items():
        yield Difference(
            "", f"player {contender}", "the rating now", None, f"a rating after {number} matches"
        )


def _differences_of_match(
    rated: RatedMatch, stored: list[RatingChange], board: Board[int]
) -> Iterator[Difference]:
    match = rated.match
    if (rated.pool.club_id, rated.pool.game) != pool_of(match) or rated.finished_at != match.finished_at:
        yield Difference(
            match.code, "", "pool and time", (str(rated.pool), rated.finished_at), match.finished_at
        )
    facts = read_facts(match, find_erased(stored))
    # Why a match was not rated nobody can tell any more once a player of it is gone, who has no row that stays.
    verdict = Verdict(Refusal(rated.refusal)) if rated.refusal and facts.lacks_players else judge(facts)
    if rated.refusal != verdict.refusal:
        yield Difference(match.code, "", "the verdict", rated.refusal or "rated", verdict.refusal or "rated")
    computed = {placed.seat.index: write_change(rated, placed) for placed in verdict.places}
    by_seat = {row.seat: row for row in stored}
    for index in sorted(computed.keys() | by_seat.keys()):
        one, other = _terms(by_seat.get(index)), _terms(computed.get(index))
        if one != other:
            yield Difference(match.code, seat_letter(index), "who counts, and how", one, other)
    rows = [computed[index] for index in sorted(computed)]
    for row in list(replay(rows, board)) if rows else []:
        found = by_seat.get(row.seat)
        if found is not None and figures(found) != figures(row):
            yield Difference(match.code, seat_letter(row.seat), "before and after", _show(found), _show(row))
    expected = announcing.line(rated, stored)
    notice = Notice.objects.filter(match=match, key=announcing.KEY).first()
    if notice is None or (notice.kind, notice.data) != expected:
        yield Difference(match.code, "", "the line in the log", notice and notice.data, expected[1])


def find_erased(stored: list[RatingChange]) -> dict[int, Erased]:
    """The players of a match whose accounts are gone: only these rows still know whose the seats were."""
    return {
        row.seat: Erased(row.contender, RatingChange.Why(row.why), row.absent_since)
        for row in stored
        if row.contender.user_id is None
    }


def _terms(row: RatingChange | None) -> tuple[object, ...] | None:
    return (row.contender_id, row.place, str(row.why), row.absent_since) if row else None


def _show(row: RatingChange) -> str:
    return f"{row.mu_before!r} ±{row.sigma_before!r} → {row.mu_after!r} ±{row.sigma_after!r}" + (
        " (spared)" if row.is_spared else ""
    )
