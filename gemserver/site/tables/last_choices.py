"""The terms of the table that a player opened last, with which the form for the next one begins."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from games.contract import GameMeta
from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.matches import replay
from gemserver.matches.actions.tables.start_practice import TIME
from gemserver.matches.models import Match, Seat
from gemserver.site.tables.table_forms import OWN_CLOCK

LOOKED_AT = 10
"""The newest matches among which a table is looked for that was no practice match."""


def last_choices(user: User, meta: GameMeta) -> dict[str, Any]:
    """The initial values for `NewTableForm`; empty if the player has opened no table of this game."""
    opened = Match.objects.filter(created_by=user, game=meta.slug).order_by("-pk")
    for match in opened.prefetch_related("seats")[:LOOKED_AT]:
        seats = sorted(match.seats.all(), key=lambda seat: seat.index)
        if not _is_practice(match, seats):
            return choices_of(match, seats, meta)
    return {}


def _is_practice(match: Match, seats: list[Seat]) -> bool:
    is_invited_only = match.access == Match.Access.INVITED
    return is_invited_only and match.time_control == TIME and _begins_at_once(match, seats)


def _begins_at_once(match: Match, seats: list[Seat]) -> bool:
    """True if bots took all other seats as soon as the table was opened."""
    return all(seat.bot for seat in seats[1:]) and match.started_at == match.created_at


def choices_of(match: Match, seats: list[Seat], meta: GameMeta) -> dict[str, Any]:
    """The terms of this table as initial values for `NewTableForm`."""
    bots = _bots(match, seats)
    return {
        "seats": match.seat_count,
        "free_weekends": match.free_weekends,
        "vacation_days": match.vacation_days,
        "absence": match.absence,
        "access": match.access,
        "starts_when_full": match.starts_when_full,
        "allows_bots": match.allows_bots,
        "rated": _rated(match),
        "bots": len(bots),
        **({"strength": bots[0].bot} if bots else {}),
        **_clock(match),
        **_options(match, meta),
    }


def _rated(match: Match) -> str:
    """As usual, unless the player has chosen otherwise for that table."""
    usual = match.access == Match.Access.ANYONE and not match.allows_bots
    return "" if match.is_rated == usual else "yes" if match.is_rated else "no"


def _bots(match: Match, seats: list[Seat]) -> list[Seat]:
    """The bots that sat there from the first; those that filled up a table later were not chosen with it."""
    found: list[Seat] = []
    for seat in seats[1:]:
        if not seat.bot:
            return found
        found.append(seat)
    return found if match.is_open or _begins_at_once(match, seats) else []


def _clock(match: Match) -> dict[str, Any]:
    named = next((name for name, control in PRESETS.items() if control == match.time_control), None)
    if named:
        return {"clock": named}
    hour = timedelta(hours=1)
    return {
        "clock": OWN_CLOCK,
        "bank": _round_whole(match.bank / hour),
        "increment": _round_whole(match.increment / hour),
        "cap": _round_whole(match.cap / hour),
    }


def _round_whole(hours: float) -> float:
    """The hours as people write them: `36`, `1.5`."""
    return int(hours) if hours.is_integer() else hours


def _options(match: Match, meta: GameMeta) -> dict[str, Any]:
    """The options by field; a value that a smaller table has cut is completed."""
    chosen = replay.options(match)
    return {
        f"option_{option.name}": next(
            (value for value in option.values if value.startswith(chosen.get(option.name, value))),
            option.values[0],
        )
        for option in meta.options
    }
