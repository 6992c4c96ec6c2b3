"""Say if a new table's result may change ratings."""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused


def set_rated(match: Match, is_rated: bool | None, creator: User | None, *, has_bots: bool) -> None:
    """Set the wish of a table that has just been opened; None: as is usual at such a table.

    Usual are ratings where a person opens the table to anyone, bots excepted, and the seats are equal. What can never
    be rated is refused if it was asked for. Raises Refused(not-rateable).
    """
    if is_rated and has_bots:
        raise Refused("not-rateable", "A match with bots is not rated; leave out the bots, or the rating.")
    if is_rated and creator is not None and creator.is_guest:
        raise Refused("not-rateable", "Guests have no rating; sign up first, or play without.")
    if is_rated and match.allows_bots and not (creator is not None and creator.is_bot):
        raise Refused(
            "not-rateable",
            "Where bots may join, people are not rated; keep bots out, or leave out the rating.",
        )
    if is_rated and is_unequal(match):
        raise Refused(
            "not-rateable",
            "These options make the seats unequal; choose the usual ones, or leave out the rating.",
        )
    if is_rated is None:
        is_open = match.access == Match.Access.ANYONE and not match.allows_bots and not has_bots
        is_rated = creator is not None and not creator.is_guest and is_open and not is_unequal(match)
    if is_rated:
        match.is_rated = True
        match.save(update_fields=["is_rated"])


def is_unequal(match: Match) -> bool:
    """True if an option that says something for each seat differs from the game's own, or the seats' ages count."""
    if (match.dealt_by or {}).get("ages"):
        return True
    chosen = replay.options(match)
    per_seat = [option for option in match.rules.meta.options if option.per_seat] if match.is_offered else []
    return any(chosen.get(option.name) != option.values_for(match.seat_count)[0] for option in per_seat)
