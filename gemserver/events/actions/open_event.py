"""Open an event and the entries of its first season."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from games import registry
from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club
from gemserver.events.arithmetic.budget import offered_lengths
from gemserver.events.arithmetic.divisions import fewest_players
from gemserver.events.arithmetic.schedules import MOST_PLAYERS
from gemserver.events.arithmetic.tables import TieBreak
from gemserver.events.models import Event, Organiser
from gemserver.events.rights import organises_club, require_person
from gemserver.events.seasons import make_season, post
from gemserver.lib.text import clean
from gemserver.matches.actions.tables.terms import check_seats, find_meta, options_text
from gemserver.matches.refusal import Refused

MOST_EVENTS = 3
"""Events that are not closed which one person may have opened, below the role of a moderator."""
MOST_A_DAY = 5
"""Events that one person may open within a day, below that role: each takes a short name for good."""
MOST_ROUNDS = 9
USUAL_DIVISION = 7
"""Players of a division, about; schedules of so many are even at tables of two, three, four, six and seven."""
MOST_DAYS_AHEAD = 180

RESERVED = frozenset({"new"})
"""Short names that are addresses of pages already."""

_SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_OF_SWISS = frozenset({TieBreak.BUCHHOLZ_CUT, TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER})
USUAL_TIE_BREAKS = (TieBreak.FIRSTS, TieBreak.HEAD_TO_HEAD, TieBreak.SCORE_SHARE, TieBreak.LOT)
SWISS_TIE_BREAKS = (TieBreak.BUCHHOLZ_CUT, TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.LOT)


def open_event(
    organiser: User,
    *,
    slug: str,
    name: str,
    about: str = "",
    game: str,
    seats: int,
    options: Mapping[str, str],
    format: Event.Format,
    season_days: int | None = None,
    starts_at: datetime,
    tie_breaks: Sequence[str] = (),
    division_size: int | None = None,
    exchanged: int = 0,
    rounds: int = 1,
    entry_days: int = 7,
    is_rated: bool = True,
    club: Club | None = None,
    now: datetime,
) -> Event:
    """Open an event; who opens it is its first organiser, and players may enter its first season until `starts_at`.

    Where the game has a sealed pace and the options name none, that is played. `tie_breaks`: by name, in order; without
    any the usual ones of the format. Lots are always drawn last. `division_size`: None: `USUAL_DIVISION`, or what a
    table takes. `season_days`: of all rounds together; None: the
    shortest that is offered.

    Raises Refused(guest, no-bots, not-club-organiser, club-closed, too-many-events, bad-event-name, event-name-taken,
    no-such-game, wrong-seats, no-such-option, bad-format, bad-division, bad-tie-breaks, bad-length, bad-dates).
    """
    require_person(organiser)
    if club is not None and not organises_club(club, organiser):
        raise Refused("not-club-organiser", "Only organisers of {club} open its events.", club=club.name)
    if club is not None and club.closed_at is not None:
        raise Refused("club-closed", "The club {name} is closed; nothing changes there.", name=club.name)
    name = " ".join(name.split())
    _check_name(slug, name)
    meta = find_meta(game)
    check_seats(meta, seats)
    chosen = dict(options)
    if registry.game(game).sealed_pace:
        chosen.setdefault("pace", "sealed")
    options_text(meta, chosen, seats)
    if division_size is None:
        division_size = max(USUAL_DIVISION, fewest_players(seats))
    _check_format(format, seats, division_size, exchanged, rounds)
    ordered = _check_tie_breaks(tie_breaks, format)
    length = _find_length(game, seats, chosen, season_days, rounds)
    _check_dates(starts_at, entry_days, now)
    try:
        with transaction.atomic():
            lock_user(organiser.pk)  # so that two at once count each other
            _check_number(organiser, now)
            event = Event.objects.create(
                slug=slug,
                name=name,
                about=clean(about).strip(),
                game=game,
                seats=seats,
                options=chosen,
                format=format,
                tie_breaks=ordered,
                division_size=division_size,
                exchanged=exchanged,
                rounds=rounds,
                season_days=length,
                entry_days=entry_days,
                is_rated=is_rated,
                club=club,
                created_by=organiser,
                created_at=now,
            )
            Organiser.objects.create(event=event, user=organiser, since=now)
            season = make_season(event, 1, starts_at=starts_at, now=now)
            post(season, "opened", by=organiser, now=now)
    except IntegrityError:
        raise Refused(
            "event-name-taken",
            "There is an event called {slug} already; choose another short name.",
            slug=slug,
        ) from None
    return event


def _check_number(organiser: User, now: datetime) -> None:
    if organiser.has_role(Role.MODERATOR):
        return
    own = Event.objects.filter(created_by=organiser)
    if own.filter(created_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Refused(
            "too-many-events",
            "You have opened {most} events within a day; open more of them tomorrow.",
            most=MOST_A_DAY,
        )
    if own.filter(closed_at=None).count() >= MOST_EVENTS:
        raise Refused(
            "too-many-events",
            "{most} events of yours are open already; close one of them first.",
            most=MOST_EVENTS,
        )


def _check_name(slug: str, name: str) -> None:
    is_good = 1 <= len(name) <= 60 and name.isprintable() and "://" not in name  # it stands in our own mails
    if not _SLUG.fullmatch(slug) or slug in RESERVED or len(slug) > 30 or not is_good:
        raise Refused(
            "bad-event-name",
            "Give the event a name of at most 60 letters, and a short one of a to z, 0 to 9 and hyphens, such as"
            " winter-league.",
        )


def _check_format(format: Event.Format, seats: int, division_size: int, exchanged: int, rounds: int) -> None:
    is_swiss = format == Event.Format.SWISS
    if is_swiss and (seats != 2 or not 2 <= rounds <= MOST_ROUNDS):
        raise Refused(
            "bad-format", "A Swiss tournament has two seats and 2 to {most} rounds.", most=MOST_ROUNDS
        )
    if not is_swiss and rounds != 1:
        raise Refused(
            "bad-format", "Only a Swiss tournament has rounds; all others play all fixtures at once."
        )
    least = fewest_players(seats)
    if not least <= division_size <= MOST_PLAYERS:
        raise Refused(
            "bad-division",
            "A division at tables of {seats} has {least} to {most} players; choose a size in that range.",
            seats=seats,
            least=least,
            most=MOST_PLAYERS,
        )
    most = division_size // 2 if format == Event.Format.LEAGUE else 0
    if not 0 <= exchanged <= most:
        raise Refused(
            "bad-division", "At most {most} players are promoted here, and as many relegated.", most=most
        )


def _check_tie_breaks(tie_breaks: Sequence[str], format: Event.Format) -> list[str]:
    is_swiss = format == Event.Format.SWISS
    chosen = list(tie_breaks) or [str(one) for one in (SWISS_TIE_BREAKS if is_swiss else USUAL_TIE_BREAKS)]
    allowed = [str(one) for one in TieBreak if is_swiss or one not in _OF_SWISS]
    if len(set(chosen)) != len(chosen) or not set(chosen) <= set(allowed):
        raise Refused(
            "bad-tie-breaks", "Name each tie-break once, of these: {names}.", names=", ".join(allowed)
        )
    return [*(one for one in chosen if one != TieBreak.LOT), str(TieBreak.LOT)]


def _find_length(
    game: str, seats: int, options: Mapping[str, str], season_days: int | None, rounds: int
) -> int:
    """The worst case, all budgets used up one after the other, ends before the season; most people finish sooner."""
    lengths = offered_lengths(game, seats, is_sealed=options.get("pace") == "sealed")
    if season_days is None:
        return rounds * lengths[0]
    if season_days not in [rounds * days for days in lengths]:
        raise Refused(
            "bad-length",
            "With {seats} seats this game needs a season of {lengths} days, so that 99 of 100 fixtures are played to"
            " their end by people; choose one of these.",
            seats=seats,
            lengths=", ".join(str(rounds * days) for days in lengths),
        )
    return season_days


def _check_dates(starts_at: datetime, entry_days: int, now: datetime) -> None:
    if not now < starts_at <= now + timedelta(days=MOST_DAYS_AHEAD) or not 1 <= entry_days <= MOST_DAYS_AHEAD:
        raise Refused(
            "bad-dates",
            "Let the first season start within {most} days from now, and leave 1 to {most} days between seasons.",
            most=MOST_DAYS_AHEAD,
        )
