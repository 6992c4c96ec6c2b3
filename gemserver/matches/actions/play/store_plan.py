"""Store, read and clear a plan: a seat's orders for its next turns."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from games.contract import GameError
from games.orders import UnreadableOrder
from gemserver.accounts.models import User
from gemserver.matches.actions.play.submit import Accepted, read_plan, require_running
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Move, StoredPlan
from gemserver.matches.playing import Origin, Playing
from gemserver.matches.refusal import Refused
from gemserver.matches.request_names import name_request
from gemserver.matches.seating import require_held_seat


def store_plan(
    match_id: int,
    user: User,
    text: str,
    *,
    source: Move.Source,
    request_id: str,
    seen_ply: int | None = None,
    now: datetime,
    asked_at: datetime | None = None,
    claim: Callable[[], object] | None = None,
) -> Accepted:
    """Store a plan for the user's seat in place of an earlier one; if it answers the open prompt, it is used at once.

    `seen_ply`: the ply up to which the user had seen the match, if known. The same `request_id` of a user stores it
    once. `claim` as for `submit`.
    Raises Refused(not-seated, over, not-started, stale), and with the game's own code for a line that is no move.
    """
    with transaction.atomic():
        if claim:
            claim()
        match = lock_match(match_id)
        seat = require_held_seat(match, user)
        name = name_request(source, user, seat.index, request_id)
        if name and (earlier := match.plans.filter(request_id=name).first()):
            return Accepted((), plan=earlier, is_repeat=True, seat=seat.index)
        require_running(match)
        playing = Playing.load(match, now)
        try:
            plan = read_plan(playing, seat, text, seen_ply)
            row = playing.keep_plan(seat.index, plan, Origin(source, user, name))
        except (UnreadableOrder, GameError) as error:
            raise Refused.by_game(error) from error
        playing.run()
        playing.ask_next(answered={seat.index}, asked_at=asked_at)
        return Accepted(tuple(playing.moves), plan=row, seat=seat.index, seats=tuple(playing.seats))


def clear_plan(match_id: int, user: User, *, now: datetime) -> bool:
    """Drop the seat's plan; False if there is none. A sealed order laid by the plan stands until it is replaced.

    Raises Refused(not-seated).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = require_held_seat(match, user)
        if not match.is_running:
            return False
        return Playing.load(match, now).end_plan(seat.index, StoredPlan.End.CLEARED)


def plan_of(match: Match, user: User) -> StoredPlan | None:
    """The user's own plan, if one stands; nobody reads another's."""
    return match.plans.filter(end="", user=user).first()
