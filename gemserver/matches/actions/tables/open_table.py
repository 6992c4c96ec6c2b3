"""Open a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from games import deal, registry
from games.contract import GameMeta
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.clubs.models import Club
from gemserver.clubs.selectors import is_member
from gemserver.matches.actions.tables.join_table import seat_newcomer, start_if_full
from gemserver.matches.actions.tables.promise_secret import take_secret
from gemserver.matches.actions.tables.set_rated import set_rated
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused

MOST_OPEN_TABLES = 10
"""Tables waiting for players that one person may have opened."""
MOST_TABLES_A_DAY = 40
SHORTEST = timedelta(minutes=10)
LONGEST = timedelta(days=90)
"""Bounds of a clock's bank, increment and cap."""
MOST_VACATION_DAYS = 366


def open_table(
    creator: User | None,
    *,
    game: str,
    seats: int,
    options: Mapping[str, str],
    time_control: TimeControl,
    free_weekends: bool = False,
    vacation_days: int | None = None,
    absence: Match.Absence = Match.Absence.DEFAULT,
    access: Match.Access = Match.Access.ANYONE,
    starts_when_full: bool = True,
    allows_bots: bool = False,
    is_rated: bool | None = None,
    bots: Sequence[Seat.Bot] = (),
    words: str = "",
    promised: str = "",
    rematch_of: Match | None = None,
    club: Club | None = None,
    now: datetime,
) -> Match:
    """Open a table with its commitment; its creator takes the first seat, `bots` the next ones.

    `options`: those that differ from the default; `vacation_days`: how many days of vacation a player may use in this
    match (None: all they have); `words`: the creator's own part of the seed; `promised`: the fingerprint of the secret
    that they were shown before (`promise_secret`); `rematch_of`: the match that is played again. The match begins when
    the last seat is taken, which may be here and now, or when a player starts it (`starts_when_full` off).
    `allows_bots`: bot accounts may join, as they may where one opens the table. `is_rated`: the result may change
    ratings; None: it may if a person opens the table to anyone but bots, with equal seats. `club`: only its members
    join, and if it is private nobody else knows of the match. Without a creator (None: the server itself) all seats but
    the bots' are free.

    Raises Refused(no-such-game, wrong-seats, no-such-option, bad-clock, bad-vacation, too-many-tables,
    too-many-seats, table-full, too-many-words, not-rateable, no-such-club, club-closed, no-bots).
    """
    meta = find_meta(game)
    check_seats(meta, seats)
    _check_time(time_control, vacation_days)
    if club is not None:
        _check_club(club, creator, allows_bots=allows_bots)
    with transaction.atomic():
        _check_tables(creator, now)
        match = commit_to_deal(
            meta,
            *take_secret(creator, promised, now),
            options=options_text(meta, options, seats),
            seat_count=seats,
            bank=time_control.bank,
            increment=time_control.increment,
            cap=time_control.cap,
            free_weekends=free_weekends,
            vacation_days=vacation_days,
            absence=absence,
            access=access,
            starts_when_full=starts_when_full,
            allows_bots=allows_bots or (creator is not None and creator.is_bot),
            created_by=creator,
            created_at=now,
            rematch_of=rematch_of,
            club=club,
        )
        set_rated(match, is_rated, creator, has_bots=bool(bots))
        if creator is not None:
            seat_newcomer(match, user=creator, words=words, now=now)
        for bot in bots:
            seat_newcomer(match, bot=bot, now=now)
        start_if_full(match, now)
    return match


def commit_to_deal(meta: GameMeta, server_part: str, promised_at: datetime, **fields: Any) -> Match:
    """Create the row of a match with the commitment to its deal; `fields` are those of `Match` that a table chooses."""
    match = Match.objects.create(
        code=f"new-{server_part[:12]}",  # the code follows from the row's number
        game=meta.slug,
        rules_version=meta.version,
        server_part=server_part,
        promised_at=promised_at,
        **fields,
    )
    match.code = f"M{match.pk}"
    match.commitment = deal.commitment(match.code, meta.slug, meta.version, match.options, server_part)
    match.save(update_fields=["code", "commitment"])
    return match


def find_meta(game: str) -> GameMeta:
    """The `GameMeta` of the game with this slug; raises Refused(no-such-game)."""
    if game not in registry.GAMES:
        raise Refused(
            "no-such-game",
            "There is no game {game}; choose one of {games}.",
            game=game,
            games=", ".join(registry.GAMES),
        )
    return registry.GAMES[game].rules.meta


def check_seats(meta: GameMeta, seats: int) -> None:
    if not meta.min_seats <= seats <= meta.max_seats:
        raise Refused(
            "wrong-seats",
            "{title} is played with {least} to {most} seats; choose a number in that range.",
            title=meta.title,
            least=meta.min_seats,
            most=meta.max_seats,
        )


def _check_time(control: TimeControl, vacation_days: int | None) -> None:
    spans = (control.bank, control.increment, control.cap)
    if not all(SHORTEST <= span <= LONGEST for span in spans) or control.bank > control.cap:
        raise Refused(
            "bad-clock",
            "Bank, increment and cap are each {least} minutes to {most} days, and the cap is no less than the bank.",
            least=SHORTEST // timedelta(minutes=1),
            most=LONGEST.days,
        )
    if vacation_days is not None and not 0 <= vacation_days <= MOST_VACATION_DAYS:
        raise Refused(
            "bad-vacation",
            "Give 0 to {most} days of vacation, or none for all that players have.",
            most=MOST_VACATION_DAYS,
        )


def _check_club(club: Club, creator: User | None, *, allows_bots: bool) -> None:
    if not is_member(club, creator):
        raise Refused("no-such-club", "You are in no such club; look at the list of your clubs.")
    if club.closed_at is not None:
        raise Refused("club-closed", "The club {name} is closed; open your table without it.", name=club.name)
    if allows_bots:
        raise Refused(
            "no-bots", "Clubs are for people; open the table without bot accounts, or without the club."
        )


def _check_tables(creator: User | None, now: datetime) -> None:
    if creator is None:
        return
    opened = Match.objects.filter(created_by=creator)
    if opened.filter(created_at__gt=now - timedelta(days=1)).count() >= MOST_TABLES_A_DAY:
        raise Refused(
            "too-many-tables",
            "You have opened {most} tables within a day; play those, and come back tomorrow.",
            most=MOST_TABLES_A_DAY,
        )
    if opened.filter(status=Match.Status.OPEN).count() >= MOST_OPEN_TABLES:
        raise Refused(
            "too-many-tables",
            "{most} tables of yours wait for players already; start or cancel one of them first.",
            most=MOST_OPEN_TABLES,
        )


def options_text(meta: GameMeta, options: Mapping[str, str], seats: int) -> str:
    """The `Options:` line with every option of the game, defaults filled in; raises Refused(no-such-option)."""
    allowed = {option.name: option.values_for(seats) for option in meta.options}
    for name, value in options.items():
        if value not in allowed.get(name, ()):
            raise Refused(
                "no-such-option",
                "{title} has no option {name}={value}; leave it out.",
                title=meta.title,
                name=name,
                value=value,
            )
    chosen = {name: options.get(name, values[0]) for name, values in allowed.items()}
    return " ".join(f"{name}={value}" for name, value in chosen.items())
