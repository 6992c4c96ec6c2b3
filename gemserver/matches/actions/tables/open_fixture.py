"""Open a match whose players and turn order a schedule has fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TypeAlias

from django.db import transaction

from games import deal
from games.contract import FIRST_SEAT
from gemserver.accounts.models import User
from gemserver.clubs.models import Club
from gemserver.matches.actions.play.start_match import begin
from gemserver.matches.actions.tables.open_table import commit_to_deal
from gemserver.matches.actions.tables.promise_secret import take_secret
from gemserver.matches.actions.tables.terms import check_seats, find_meta, options_text
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused

Promised: TypeAlias = tuple[str, datetime]
"""A part of a deal, and when it was given or promised."""


def open_fixture(
    *,
    game: str,
    players: Sequence[User | None],
    options: Mapping[str, str],
    bank: timedelta,
    play_until: datetime,
    is_rated: bool,
    club: Club | None,
    secret: Promised | None = None,
    parts: Mapping[int, Promised] = MappingProxyType({}),
    tells_all: bool = True,
    now: datetime,
) -> Match:
    """Begin a match of these players at once, in this turn order: the first of them has seat A and begins.

    A bot plays for None. `bank` is all the time that a player has in the whole match, and it runs by night, at
    weekends and in vacations; when it is used up a bot plays until the player comes back (`come_back`). From
    `play_until` on bots play for everybody, so that the match is over soon after. All of `bank` must fit before it, one
    player after the other. The commitment covers that seat A begins.

    `secret`: the server's part (32 bytes, hex) and when it was promised, such as with the season's entries (None: drawn
    now). `parts`: those that players gave, by seat, as `part_from` makes them. Without `tells_all` only who is asked at
    once is told of the start.

    Raises Refused(no-such-game, wrong-seats, no-such-option, no-budget).
    """
    meta = find_meta(game)
    check_seats(meta, len(players))
    _check_budget(bank, len(players), play_until - now)
    with transaction.atomic():
        match = commit_to_deal(
            meta,
            *(secret or take_secret(None, "", now)),
            options=f"{options_text(meta, options, len(players))} {FIRST_SEAT.name}=A".strip(),
            seat_count=len(players),
            bank=bank,
            increment=timedelta(0),
            cap=bank,
            vacation_days=0,
            absence=Match.Absence.BOT,
            access=Match.Access.INVITED,
            is_rated=is_rated,
            club=club,
            play_until=play_until,
            created_at=now,
        )
        _seat(match, players, parts)
        begin(match, now, tells_all=tells_all)
    return match


def _check_budget(bank: timedelta, players: int, left: timedelta) -> None:
    if not timedelta(0) < bank * players <= left:
        raise Refused(
            "no-budget",
            "{seats} players with {hours} hours each do not fit before the end; give less time, or end later.",
            seats=players,
            hours=round(bank / timedelta(hours=1)),
        )


def _seat(match: Match, players: Sequence[User | None], parts: Mapping[int, Promised]) -> None:
    """Create the seats, each with the part of the deal that its player gave, else the default one."""
    given: Mapping[int, tuple[str, datetime | None]] = {
        index: parts.get(index) or (deal.default_part(match.server_part, index), None)
        for index in range(len(players))
    }
    Seat.objects.bulk_create(
        Seat(
            match=match,
            index=index,
            user=player,
            bot=Seat.Bot.NONE if player else Seat.Bot.NORMAL,
            part=given[index][0],
            part_at=given[index][1],
        )
        for index, player in enumerate(players)
    )
