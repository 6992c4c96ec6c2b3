"""Rebuild the caches of a match from its truth; for operators."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db import transaction

from games.contract import GameError
from games.record import RESIGN
from gemserver.matches import codec, replay
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.playing import Playing
from gemserver.matches.refusal import Refused
from gemserver.matches.verify import Difference, first_difference

log = logging.getLogger(__name__)


def rebuild_match(match_id: int, *, now: datetime) -> Difference | None:
    """Recompute events, position, scores and the seats that are waited for; return the first difference, if any.

    In a running match, players who should have been asked are asked now, and a game that is over is ended. Moves,
    options, parts, clocks and endings by decision stay as they are.
    Raises Refused(no-such-match, not-started, cannot-replay).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        if not match.started_at:
            raise Refused(
                "not-started", "{code} has not started; there is nothing to rebuild.", code=match.code
            )
        difference = first_difference(match)
        if difference is None:
            return None
        log.warning("rebuilding match %s: %s", match.code, difference)
        state = recompute(match)
        _restore_seats(match, state)
        if match.is_running:
            playing = Playing.load(match, now)
            playing.run()
            playing.ask_next(answered=())
    return difference


def recompute(match: Match) -> Any:
    """Write events, number of moves and position as they follow from the moves; return the position.

    The caller holds the match's lock. Raises Refused(cannot-replay).
    """
    ply, state = 0, None
    try:
        for move, step in replay.steps(match):
            state = step.state
            if move is not None:
                ply += 1
                _require_number(match, move, ply)
                move.events = codec.dump_events(step.events)
                move.is_sealed = step.sealed and move.text != RESIGN
                move.save(update_fields=["events", "is_sealed"])
    except GameError as error:
        raise Refused(
            "cannot-replay",
            "Move {ply} of {code} is not possible ({reason}); its moves are damaged. Look for it in a backup.",
            ply=ply + 1,
            code=match.code,
            reason=error.code,
        ) from error
    match.ply, match.position = ply, codec.dump(state)
    match.save(update_fields=["ply", "position"])
    return state


def _require_number(match: Match, move: Move, ply: int) -> None:
    if move.ply != ply:
        raise Refused(
            "cannot-replay",
            "Move {ply} of {code} is missing; its moves are damaged. Look for it in a backup.",
            ply=ply,
            code=match.code,
        )


def _restore_seats(match: Match, state: Any) -> None:
    seats = match.read_seats()
    outcome, standing = match.rules.outcome(state), match.rules.standing(state)
    for seat in seats:
        seat.score = standing[seat.index]
        if match.ending == Match.Ending.PLAYED_OUT and outcome is not None:
            seat.rank = outcome.ranks[seat.index]
        if match.is_over:
            seat.is_waiting, seat.due_at, seat.remind_at = False, None, None
        if seat.token_hash is not None:
            seat.token_hash = seat.current_token_hash()
    Seat.objects.bulk_update(seats, ["score", "rank", "is_waiting", "due_at", "remind_at", "token_hash"])
