"""Pair the next round of a Swiss event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from gemserver.events.actions.open_match import open_match
from gemserver.events.locking import lock_season
from gemserver.events.models import Division, Entry, Event, Fixture, Place, Season
from gemserver.events.seasons import post
from gemserver.events.standings import find_standings, swiss_rounds


def pair_round(season_id: int, *, now: datetime) -> int:
    """Pair the next round once all fixtures of the one before are decided; return the number of the present round.

    Nothing happens while fixtures are open, and after the last round. If nobody can be paired any more without meeting
    an opponent twice, no further round is played.
    Raises Refused(no-such-season).
    """
    from gemserver.events.arithmetic import swiss  # loads py4swiss

    with transaction.atomic():
        season = lock_season(season_id)
        event = season.event
        division = Division.objects.filter(season=season).first()
        if event.format != Event.Format.SWISS or season.state != Season.State.RUNNING or division is None:
            return 0
        last = division.fixtures.order_by("round").last()
        number = last.round if last else 0
        if number == event.rounds or find_standings(division, with_bounds=False).open_fixtures:
            return number
        entries = {1 + (entry.number or 0): entry for entry in division.entries.select_related("player")}
        absent = [index for index, entry in entries.items() if not _is_there(entry)]
        if len(entries) - len(absent) < 2:
            return number
        try:
            pairs = swiss.pair_round(len(entries), swiss_rounds(division), rounds=event.rounds, absent=absent)
        except swiss.CannotPair:
            return number
        opened = [
            _make_fixture(division, number + 1, index, [entries[player] for player in pair if player], now)
            for index, pair in enumerate(pairs, start=1)
        ]
        post(season, "paired", by=None, now=now, round=number + 1)
    for fixture in opened:
        open_match(fixture.pk, now=now)
    return number + 1


def _is_there(entry: Entry) -> bool:
    """False for who has withdrawn, and while the account is shut."""
    return not entry.is_gone and entry.player is not None and entry.player.is_active


def _make_fixture(
    division: Division, round_number: int, index: int, entries: Sequence[Entry], now: datetime
) -> Fixture:
    """Write the fixture of a pair in turn order down; one alone has a bye, which is decided at once."""
    is_bye = len(entries) == 1
    fixture = Fixture.objects.create(
        division=division, round=round_number, number=index, adjudicated_at=now if is_bye else None
    )
    for place, entry in enumerate(entries):
        Place.objects.create(fixture=fixture, index=place, entry=entry, rank=1 if is_bye else None)
    return fixture
