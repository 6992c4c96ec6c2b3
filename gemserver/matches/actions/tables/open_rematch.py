"""Play a finished match again with the same people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from games.contract import FIRST_SEAT
from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS, USUAL_CLOCK
from gemserver.matches import replay, tables
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.bot_accounts import is_one_kind
from gemserver.matches.clubs.clubs import lock_club_of
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Seat
from gemserver.matches.privacy import require_member
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat


def open_rematch(match_id: int, by: User, *, now: datetime) -> Match:
    """Open a table on the terms of a finished match, as one of its players; if there is one already, return that.

    It is rated if that was and no bot plays. Bots sit down at once, the other players are invited, and when it begins
    the places move on by one. A player who cannot be invited (`invite`) may join all the same. That of a season's match
    is a table like others, with the usual clock.
    Raises Refused(no-such-match, not-seated, not-over, not-a-member) and what `open_table` raises.
    """
    with transaction.atomic():
        lock_club_of(match_id)
        over = lock_match(match_id)
        require_held_seat(over, by)
        if not over.is_over:
            raise Refused("not-over", "{code} is not over yet; play it to its end first.", code=over.code)
        require_member(over, by)
        if known := tables.find_rematch(over):
            return known
        seats = over.read_seats()
        terms = Terms(
            game=over.game,
            seats=over.seat_count,
            options={name: value for name, value in replay.options(over).items() if name != FIRST_SEAT.name},
            **_time_terms(over),
            absence=Match.Absence(over.absence),
            access=Match.Access.INVITED,
            allows_bots=over.allows_bots,
            is_rated=over.is_rated and is_one_kind(seats),
            bots=[Seat.Bot(seat.bot) for seat in seats if seat.bot],
            club=over.club,
        )
        match = open_table(by, terms, rematch_of=over, now=now)
        for seat in seats:
            if seat.user and seat.user != by:
                _invite(match, by, seat.user, now)
    return match


def _time_terms(over: Match) -> dict[str, Any]:
    """The clock and the days off of the match; those of a season end with it, and a usual clock follows."""
    if over.play_until is not None:
        return {"time_control": PRESETS[USUAL_CLOCK]}
    return {
        "time_control": over.time_control,
        "free_weekends": over.free_weekends,
        "vacation_days": over.vacation_days,
    }


def _invite(match: Match, by: User, player: User, now: datetime) -> None:
    try:
        invite(match.pk, by, player.username, now=now)
    except Refused:
        return  # blocked, or too many today: the page of the finished match leads there too
