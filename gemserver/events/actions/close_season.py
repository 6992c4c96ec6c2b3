"""Close a season on its date: final tables, promotion and relegation, and the entries of the next one."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.events.arithmetic.divisions import moves
from gemserver.events.locking import lock_season
from gemserver.events.models import Division, Entry, Event, Fixture, Season
from gemserver.events.notifications import tell_over
from gemserver.events.rights import require_organiser
from gemserver.events.seasons import make_next_season, post, require_running
from gemserver.events.standings import Standings, find_standings
from gemserver.matches.actions.play.adjudicate import end_if_running
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused


def close_season(season_id: int, *, by: User | None, now: datetime) -> Season:
    """Close it once. `by` is an organiser, who may do it early when all is decided (None: its date has come).

    Matches that run on after the date, which bots have been finishing since a day before it, count as they stand.
    Raises Refused(no-such-season, not-organiser, season-not-running, still-playing).
    """
    is_due = Season.objects.filter(pk=season_id, state=Season.State.RUNNING, ends_at__lte=now).exists()
    if is_due:
        _end_matches(season_id, now)
    with transaction.atomic():
        season = lock_season(season_id)
        if by is not None:
            require_organiser(season.event, by)
        if season.state == Season.State.OVER or (by is None and now < season.ends_at):
            return season
        require_running(season)
        divisions = list(season.divisions.order_by("level", "number"))
        if now < season.ends_at and any(
            find_standings(division, with_bounds=False).open_fixtures for division in divisions
        ):
            raise Refused(
                "still-playing",
                "Fixtures are still being played; the season ends by itself on its date, or when all are "
                "decided.",
            )
        season.state, season.closed_at = Season.State.OVER, now
        season.save(update_fields=["state", "closed_at"])
        _write_final_places(season, divisions)
        post(season, "over", by=by, now=now)
        make_next_season(season, now=now)
        tell_over(season, now=now)
    return season


def _end_matches(season_id: int, now: datetime) -> None:
    """Each match in a transaction of its own: their locks are not taken together. The season's mail tells of all."""
    running = Fixture.objects.filter(division__season=season_id, match__status=Match.Status.RUNNING)
    for match_id in running.order_by("match_id").values_list("match_id", flat=True):
        assert match_id is not None
        end_if_running(match_id, "", notice="season-over", is_told=False, now=now)


def _write_final_places(season: Season, divisions: list[Division]) -> None:
    for division in divisions:
        # The season is over now: lots are drawn, and the table has no shared places left.
        division.season = season
    tables = [find_standings(division, with_bounds=False) for division in divisions]
    is_league = season.event.format == Event.Format.LEAGUE
    exchanged = season.event.exchanged if is_league else 0
    for table, (up, down) in zip(
        tables, moves([len(table.rows) for table in tables], exchanged), strict=True
    ):
        _place(table, up, down, is_league=is_league)


def _place(table: Standings, up: int, down: int, *, is_league: bool) -> None:
    changed = []
    for index, row in enumerate(table.rows):
        entry = table.entries[row.player]
        if entry.is_gone and entry.withdrawn_at is None:
            entry.withdrawn_at = entry.season.closed_at  # an account that was erased before the end
        entry.final_place = row.place
        if is_league:
            entry.outcome = Entry.Outcome.STAYS
            if index < up:
                entry.outcome = Entry.Outcome.PROMOTED
            elif index >= len(table.rows) - down:
                entry.outcome = Entry.Outcome.RELEGATED
        changed.append(entry)
    Entry.objects.bulk_update(changed, ["final_place", "outcome", "withdrawn_at"])
