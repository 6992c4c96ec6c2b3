"""Start a season: divide its players, draw up the fixtures, and open their matches."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from games.ratings import NEWCOMER
from gemserver.accounts.models import User
from gemserver.events.actions.open_match import open_match
from gemserver.events.actions.pair_round import pair_round
from gemserver.events.arithmetic.budget import CLOSING
from gemserver.events.arithmetic.divisions import divide, fewest_players
from gemserver.events.arithmetic.schedules import make_schedule
from gemserver.events.locking import lock_season
from gemserver.events.models import Division, Entry, Event, Fixture, Place, Season
from gemserver.events.notifications import tell_not_played, tell_started
from gemserver.events.rights import club_closed, require_organiser
from gemserver.events.seasons import (
    close_with_club,
    is_club_closed,
    lot_of,
    make_lots,
    make_next_season,
    post,
)
from gemserver.matches.refusal import Refused
from gemserver.nudge import nudge
from gemserver.ratings.selectors import ratings_in

OPENED_AT_ONCE = 30
"""Matches for whose opening whoever presses *start* waits, a twentieth of a second each."""
MOST_UNPLAYED = 3
"""Seasons in a row with too few players, after which an event is closed."""


def start_season(season_id: int, *, by: User | None, now: datetime) -> Season:
    """Start it once, however many ask for it; `by` is an organiser, who may do it early (None: its date has come).

    With too few players an organiser is refused. On its date such a season is not played: a league opens the next one,
    and those who had entered have entered that; after `MOST_UNPLAYED` of them the event is closed. Nor is one whose
    time is over before the server can start it, nor one of a club that is closed, which ends the event.
    The matches are opened afterwards, each by itself: the first few at once, the others by the sweep.
    Raises Refused(no-such-season, not-organiser, too-few-players, season-over, club-closed).
    """
    with transaction.atomic():
        season = lock_season(season_id)
        if not _may_start(season, by, now):
            return season
        _take_out_absent(season, now)
        entries = _entered(season)
        if is_club_closed(season.event):
            tell_not_played(close_with_club(season, now=now))
            _cancel(season, entries, now)
            return season
        if len(entries) < fewest_players(season.event.seats):
            if by is not None:
                raise _too_few(season, entries)
            tell_not_played(post(season, "not-played", by=None, now=now, players=len(entries)))
            _rest(season, now)
            _cancel(season, entries, now)
            return season
        if now >= season.ends_at - CLOSING:
            tell_not_played(post(season, "missed", by=None, now=now))
            _cancel(season, entries, now)
            return season
        _start(season, entries, now)
        post(season, "started", by=by, now=now, players=len(entries))
        tell_started(season, now=now)
    _open_first_matches(season, now)
    nudge("gemserver.events.tasks.hold_events")
    return season


def _may_start(season: Season, by: User | None, now: datetime) -> bool:
    """Return whether it waits for its start, or for its end if its club is closed.

    Before its date it starts for an organiser alone. Raises Refused(not-organiser, season-over, club-closed).
    """
    is_off = is_club_closed(season.event)
    if by is None:
        return season.state == Season.State.ENTERING and (is_off or now >= season.starts_at)
    require_organiser(season.event, by)
    if season.state not in (Season.State.ENTERING, Season.State.RUNNING):
        raise Refused("season-over", "This season is over; open the entries of another.")
    if is_off and season.state == Season.State.ENTERING:
        raise club_closed(season.event)
    return season.state == Season.State.ENTERING


def _too_few(season: Season, entries: Sequence[Entry]) -> Refused:
    return Refused(
        "too-few-players",
        "Entered so far: {entered}. A division needs {least} players; wait for more.",
        entered=len(entries),
        least=fewest_players(season.event.seats),
    )


def _start(season: Season, entries: Sequence[Entry], now: datetime) -> None:
    season.state, season.started_at = Season.State.RUNNING, now
    season.starts_at = min(season.starts_at, now)
    season.lots = make_lots(season, entries)
    season.save(update_fields=["state", "started_at", "starts_at", "lots"])
    _draw_up(season, _in_order(season, entries))


def _open_first_matches(season: Season, now: datetime) -> None:
    """Open as many matches as whoever starts the season waits for."""
    if season.event.format == Event.Format.SWISS:
        pair_round(season.pk, now=now)
    fixtures = Fixture.objects.filter(division__season=season, match=None, adjudicated_at=None)
    for fixture in fixtures.order_by("pk")[:OPENED_AT_ONCE]:
        open_match(fixture.pk, now=now)


def _take_out_absent(season: Season, now: datetime) -> None:
    """Withdraw whoever cannot play: shut out since they entered, or no member any more of a private club."""
    entered = season.entries.filter(withdrawn_at=None)
    entered.filter(player__is_active=False).update(withdrawn_at=now)
    club = season.event.club
    if club is not None and club.is_private:
        entered.exclude(player__in=club.members.values("user")).update(withdrawn_at=now)


def _entered(season: Season) -> list[Entry]:
    """The entries of all who play, in the order in which they entered."""
    entered = season.entries.filter(withdrawn_at=None, player__isnull=False)
    return list(entered.order_by("entered_at", "pk"))


def _in_order(season: Season, entries: Sequence[Entry]) -> list[Entry]:
    """The players, the highest first: by what the last season ended with, then newcomers as they entered.

    Who was relegated stands before those who stay below, and they before those who come up. The players of a Swiss
    tournament stand by their ratings (FIDE Handbook C.04.1, 7); groups of a tournament are drawn.
    """
    if season.event.format == Event.Format.SWISS:
        return _by_rating(season.event, _drawn(season, entries))
    if season.event.format == Event.Format.TOURNAMENT:
        return _drawn(season, entries)
    last = (
        Season.objects.filter(event=season.event, state=Season.State.OVER, number__lt=season.number)
        .order_by("number")
        .last()
    )
    if last is None:
        return list(entries)
    before: dict[int | None, tuple[int, int, int]] = {}
    for entry in last.entries.exclude(division=None).select_related("division"):
        assert entry.division is not None
        step = {Entry.Outcome.PROMOTED: -1, Entry.Outcome.RELEGATED: 1}.get(Entry.Outcome(entry.outcome), 0)
        before[entry.player_id] = entry.division.level + step, -step, entry.final_place or 0
    below_all = (1 + max((level for level, _, _ in before.values()), default=0), 0, 0)
    return sorted(entries, key=lambda entry: before.get(entry.player_id, below_all))


def _by_rating(event: Event, entries: Sequence[Entry]) -> list[Entry]:
    """The strongest first, equal ones as they come; who has no rating counts as everybody begins."""
    club = event.club if event.club and event.club.is_private else None
    found = ratings_in(event.game, [entry.player_id for entry in entries if entry.player_id], club)
    beliefs = {player: rating.belief for player, rating in found.items()}
    return sorted(entries, key=lambda entry: -beliefs.get(entry.player_id or 0, NEWCOMER).number)


def _draw_up(season: Season, entries: Sequence[Entry]) -> None:
    event = season.event
    if event.format == Event.Format.SWISS:
        sizes = [len(entries)]
    else:
        sizes = divide(len(entries), seats=event.seats, wanted=event.division_size)
    left = list(entries)
    is_league = event.format == Event.Format.LEAGUE
    for index, size in enumerate(sizes, start=1):
        division = Division.objects.create(
            season=season, level=index if is_league else 1, number=1 if is_league else index
        )
        members, left = left[:size], left[size:]
        if event.format != Event.Format.SWISS:
            members = _drawn(season, members)
        for number, entry in enumerate(members):
            entry.division, entry.number = division, number
        Entry.objects.bulk_update(members, ["division", "number"])
        if event.format != Event.Format.SWISS:
            make_fixtures(division, members, make_schedule(size, event.seats).fixtures)


def make_fixtures(division: Division, members: Sequence[Entry], fixtures: Sequence[Sequence[int]]) -> None:
    """Write the fixtures of a schedule down; `members` by their numbers in it."""
    rows = Fixture.objects.bulk_create(
        Fixture(division=division, number=number) for number, _ in enumerate(fixtures, start=1)
    )
    Place.objects.bulk_create(
        Place(fixture=row, index=index, entry=members[player])
        for row, fixture in zip(rows, fixtures, strict=True)
        for index, player in enumerate(fixture)
    )


def _drawn(season: Season, entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: lot_of(season, entry))


def _rest(season: Season, now: datetime) -> None:
    """Close an event that too few people want to play any more."""
    last = season.event.seasons.filter(number__lt=season.number).order_by("-number")[: MOST_UNPLAYED - 1]
    if [each.state for each in last] == [Season.State.CANCELLED] * (MOST_UNPLAYED - 1):
        season.event.closed_at = now
        season.event.save(update_fields=["closed_at"])
        post(season, "rested", by=None, now=now, seasons=MOST_UNPLAYED)


def _cancel(season: Season, entries: Sequence[Entry], now: datetime) -> None:
    season.state, season.closed_at = Season.State.CANCELLED, now
    season.save(update_fields=["state", "closed_at"])
    if following := make_next_season(season, now=now):
        Entry.objects.bulk_create(
            Entry(season=following, player=entry.player, entered_at=entry.entered_at) for entry in entries
        )
