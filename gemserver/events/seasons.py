"""Makes the seasons of an event and knows their dates."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from hashlib import sha256
from secrets import token_hex

from gemserver.accounts.models import User
from gemserver.events.arithmetic.budget import CLOSING, bank_for
from gemserver.events.models import Entry, Event, EventLog, Fixture, Season
from gemserver.matches.refusal import Refused


def make_season(event: Event, number: int, *, starts_at: datetime, now: datetime) -> Season:
    """Open the entries of a season. Its deals and lots are bound to a secret from now on."""
    secret = token_hex(32)
    return Season.objects.create(
        event=event,
        number=number,
        opens_at=now,
        starts_at=starts_at,
        ends_at=starts_at + timedelta(days=event.season_days),
        secret=secret,
        commitment=sha256(secret.encode()).hexdigest(),
    )


def make_next_season(season: Season, *, now: datetime) -> Season | None:
    """Open the entries of the season after this one in a league that is not closed; other events are over with it.

    So is an event whose club is closed.
    """
    event = season.event
    if event.closed_at is not None:
        return None
    if is_club_closed(event):
        close_with_club(season, now=now)
        return None
    if event.format != Event.Format.LEAGUE:
        event.closed_at = now
        event.save(update_fields=["closed_at"])
        return None
    return make_season(event, season.number + 1, starts_at=now + timedelta(days=event.entry_days), now=now)


def is_club_closed(event: Event) -> bool:
    return event.club is not None and event.club.closed_at is not None


def close_with_club(season: Season, *, now: datetime) -> EventLog:
    """Close the event of a club that is closed, after this season; the caller holds the season's lock."""
    season.event.closed_at = now
    season.event.save(update_fields=["closed_at"])
    return post(season, "club-closed", by=None, now=now)


def round_days(event: Event) -> int:
    return event.season_days // event.rounds


def round_ends_at(season: Season, number: int) -> datetime:
    """When this round, from 1, is over; the last one with the season."""
    return season.ends_at - timedelta(days=round_days(season.event)) * (season.event.rounds - number)


def server_part(fixture: Fixture, season: Season) -> str:
    """The server's part of the deal of this fixture; whoever knows the season's secret can compute it again.

    From one that is published after its match neither the secret nor another part can be told.
    """
    division = fixture.division
    name = f"{division.level}.{division.number}|{fixture.round}.{fixture.number}"
    return sha256(f"{season.secret}|{name}".encode()).hexdigest()


def make_lots(season: Season, entries: Iterable[Entry]) -> str:
    """The key by which the lots of these entries are drawn: it exists only once it is known who plays.

    Until then nobody outside can compute it, for the season's secret goes into it; afterwards it is shown, and the
    secret tells nothing by it. With the secret anybody computes it again.
    """
    numbers = ",".join(str(number) for number in sorted(entry.pk for entry in entries))
    return sha256(f"{season.secret}|lots|{numbers}".encode()).hexdigest()


def lot_of(season: Season, entry: Entry) -> str:
    """The lot of an entry in a season that has started; the smaller comes first."""
    return sha256(f"{season.key_of_lots}:{entry.pk}".encode()).hexdigest()


def clock_of(season: Season, number: int, *, now: datetime) -> tuple[timedelta, datetime]:
    """The budget of a seat in this round, and when bots begin to play for everybody.

    A match that is opened late has less time, never a later end.
    """
    play_until = round_ends_at(season, number) - CLOSING
    seats = season.event.seats
    return min(bank_for(round_days(season.event), seats), (play_until - now) / seats), play_until


def require_running(season: Season) -> None:
    """Raise Refused(season-not-running)."""
    if season.state != Season.State.RUNNING:
        raise Refused(
            "season-not-running",
            "Season {number} of {event} is not running, so there is nothing to change in it.",
            number=season.number,
            event=season.event.name,
        )


def post(
    season: Season, kind: str, *, by: User | None, now: datetime, reason: str = "", **data: int | str
) -> EventLog:
    """Write a line of the event's log, in the transaction of what it tells of. `data` holds no names."""
    return EventLog.objects.create(
        event=season.event, season=season, at=now, by=by, kind=kind, data=data, reason=reason
    )
