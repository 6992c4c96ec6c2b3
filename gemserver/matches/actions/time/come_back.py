"""Leave a seat to a bot when its player's time for the whole match is used up, until the player is back."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches import timing, turns
from gemserver.matches.actions.play.submit import require_running
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Seat, StoredPlan
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat
from gemserver.nudge import nudge

LONGEST_RETURN = timedelta(days=1)
"""The time that somebody gets who comes back, if so much is left before the match ends."""
SHORTEST_RETURN = timedelta(hours=1)


def leave_to_bot(match: Match, seat: Seat, *, now: datetime) -> None:
    """Let a bot answer for a player without time, who keeps the seat. The caller holds the match's lock."""
    # Time may run out at the same question again: for who came back, and for who has taken the seat.
    returns = match.notices.filter(kind="came-back", key__startswith=f"came-back:{seat.index}:").count()
    number = seat.token_generation + returns
    turns.tell_seat(match, seat, "away", turn=seat.prompt_ply, number=number, now=now)
    plans = match.plans.filter(seat=seat.index, end="")
    plans.update(end=StoredPlan.End.HANDED_OVER, ended_ply=match.ply)
    seat.is_away, seat.clock_left, seat.due_at, seat.remind_at = True, timedelta(0), None, None
    seat.save(update_fields=["is_away", "clock_left", "due_at", "remind_at"])
    notices.post(match, "away", f"away:{seat.index}:{seat.prompt_ply}:{number}", now=now, player=seat.index)
    nudge("gemserver.matches.tasks.play_bots", match.pk)


def come_back(match_id: int, user: User, *, now: datetime) -> Seat:
    """Take one's seat back from the bot, with some of the time that the match has to spare; twice changes nothing.

    What is given fits before `Match.play_until` together with the time of all others.
    Raises Refused(no-such-match, not-seated, not-started, over, not-away, no-time-left).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = require_held_seat(match, user)
        require_running(match)
        if not seat.is_away:
            raise Refused("not-away", "You play in {code} yourself; nothing is to be done.", code=match.code)
        granted = min(LONGEST_RETURN, timing.time_to_spare(match, seat, now))
        if granted < SHORTEST_RETURN:
            raise Refused(
                "no-time-left",
                "{code} has no time left for you, because it must end on its date; the bot plays on.",
                code=match.code,
            )
        seat.is_away, seat.clock_left = False, granted
        if seat.is_waiting:
            turns.ask_again(match, seat, now)
        seat.save()
        key = f"came-back:{seat.index}:{now.isoformat()}"
        notices.post(match, "came-back", key, now=now, player=seat.index)
    return seat
