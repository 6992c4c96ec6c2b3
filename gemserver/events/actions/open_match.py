"""Open the match of a fixture."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.events.locking import lock_fixture, lock_season
from gemserver.events.models import Season
from gemserver.events.seasons import clock_of, server_part
from gemserver.matches.actions.tables.open_fixture import open_fixture
from gemserver.matches.models import Match


def open_match(fixture_id: int, *, now: datetime) -> Match | None:
    """Begin the match of this fixture once, in the turn order of its places; bots play for those who have withdrawn.

    The deal follows from the season's secret, promised before anybody entered, and from what players gave on entering.
    None if the fixture is adjudicated, its season over, or the time in which people play: it counts for nobody then.
    """
    with transaction.atomic():
        # Who plays is decided under the lock of the season: nobody withdraws or is replaced meanwhile.
        season = lock_season(Season.objects.values_list("pk", flat=True).get(divisions__fixtures=fixture_id))
        fixture = lock_fixture(fixture_id)
        if fixture.match_id is not None:
            return fixture.match
        if fixture.adjudicated_at is not None or season.state != Season.State.RUNNING:
            return None
        bank, play_until = clock_of(season, fixture.round, now=now)
        if now >= play_until:
            return None
        places = list(fixture.places.select_related("entry__player").order_by("index"))
        fixture.match = open_fixture(
            game=season.event.game,
            players=[None if place.entry.is_gone else place.entry.player for place in places],
            options=season.event.options,
            bank=bank,
            play_until=play_until,
            is_rated=season.event.is_rated,
            club=season.event.club,
            secret=(server_part(fixture, season), season.opens_at),
            parts={
                place.index: (place.entry.part, place.entry.part_at)
                for place in places
                if place.entry.part_at is not None and not place.entry.is_gone
            },
            # The mail at the season's start names all fixtures of the first round.
            tells_all=fixture.round > 1,
            now=now,
        )
        fixture.save(update_fields=["match"])
    return fixture.match
