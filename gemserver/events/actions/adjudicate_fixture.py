"""Decide a fixture by ranks of an organiser's choice."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.events.locking import lock_fixture, lock_season
from gemserver.events.models import Fixture, Place
from gemserver.events.notifications import players_of, tell_decision
from gemserver.events.rights import require_impartial, require_reason
from gemserver.events.seasons import post, require_running
from gemserver.matches.actions.play.adjudicate import end_if_running
from gemserver.matches.refusal import Refused


def adjudicate_fixture(
    fixture_id: int, ranks: Sequence[int], *, by: User, reason: str, now: datetime
) -> Fixture:
    """Let these ranks count, in turn order (1 is best, equal players share: 1 2 2 4), instead of the match's.

    A match that runs ends as it stands and is not rated; one that is over stays rated as it ended. The same ranks a
    second time change nothing.
    Raises Refused(no-such-fixture, not-organiser, plays-here, no-reason, season-not-running, bad-ranks).
    """
    reason = require_reason(reason)
    with transaction.atomic():
        found = Fixture.objects.filter(pk=fixture_id).values_list("division__season", flat=True).first()
        if found is None:
            raise Refused("no-such-fixture", "There is no such fixture; look at the page of the division.")
        season = lock_season(found)
        fixture = lock_fixture(fixture_id)
        require_impartial(fixture.division, by)
        require_running(season)
        places = list(fixture.places.select_related("entry__player").order_by("index"))
        if not is_ranking(ranks, len(places)):
            raise Refused(
                "bad-ranks",
                "Give a rank for each of the {count} players in turn order, such as 1 2 2 4 where two share.",
                count=len(places),
            )
        if fixture.adjudicated_at is not None and [place.rank for place in places] == list(ranks):
            return fixture
        for place, rank in zip(places, ranks, strict=True):
            place.rank = rank
        Place.objects.bulk_update(places, ["rank"])
        fixture.adjudicated_at, fixture.reason = now, reason
        fixture.save(update_fields=["adjudicated_at", "reason"])
        if fixture.match_id is not None:
            end_if_running(fixture.match_id, reason, notice="ended-by-organiser", now=now)
        log = post(
            season,
            "adjudicated",
            by=by,
            now=now,
            reason=reason,
            fixture=fixture.pk,
            ranks=" ".join(map(str, ranks)),
        )
        tell_decision(log, players_of(place.entry for place in places))
    return fixture


def is_ranking(ranks: Sequence[int], players: int) -> bool:
    """True for competition ranks: each is one more than the number of better ones.

    >>> is_ranking([1, 2, 2, 4], 4), is_ranking([1, 2, 2, 3], 4)
    (True, False)
    """
    return len(ranks) == players and all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks)
