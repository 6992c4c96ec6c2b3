"""Take the last moves back: they stay as void rows, and the match goes on from before them.

New moves get the same plies, and hence the same chance. Exports hold live moves only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction

from gemserver.matches import codec, replay
from gemserver.matches.actions.play.submit import require_running
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move, SealedOrder, Seat, StoredPlan, Undo
from gemserver.matches.playing import Playing
from gemserver.matches.refusal import Refused

MICROSECOND = timedelta(microseconds=1)
"""The unit of the clocks that the notice of a taking back keeps."""


def void_moves(match_id: int, *, from_ply: int, why: str, now: datetime) -> list[Move]:
    """Take this move and all after it back by a moderator's decision; `why` is shown to the table.

    Players keep what they have seen. Sealed orders that the moves used are asked for again, and a contest settled from
    them is taken back whole.
    Raises Refused(no-such-match, over, not-started, nothing-to-void).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        require_running(match)
        clocks = [(seat.clock_left // MICROSECOND, seat.misses) for seat in match.read_seats()]
        voided = void_from(match, _first_of_contest(match, from_ply), now)
        notices.post(
            match,
            "voided",
            f"voided:{voided[0].pk}",
            now=now,
            from_ply=voided[0].ply,
            to_ply=voided[-1].ply,
            clocks=clocks,
            why=why,
        )
        Undo.objects.filter(match=match, outcome=Undo.Outcome.OPEN).update(
            outcome=Undo.Outcome.LAPSED, closed_at=now
        )
        go_on(match, now)
    return voided


def void_from(match: Match, from_ply: int, now: datetime) -> list[Move]:
    """Mark this move and all after it void, and restore clocks, position and orders to before it.

    The caller holds the match's lock, posts the reason in the log and lets the match go on. Raises
    Refused(nothing-to-void).
    """
    voided = list(match.moves.filter(voided_at=None, ply__gte=from_ply).order_by("ply"))
    if not voided or from_ply < 1:
        raise Refused(
            "nothing-to-void",
            "{code} has no move {ply}; name one that was played.",
            code=match.code,
            ply=from_ply,
        )
    orders = _void_orders(match, voided, now)
    _give_clocks_back(match, voided, orders)
    for move in voided:
        move.voided_at = now
        if move.source in _BY_SERVER:
            move.request_id = None  # the server will send the same request for the new move
    Move.objects.bulk_update(voided, ["voided_at", "request_id"])
    by_plan = {move.seat for move in voided if move.source == Move.Source.PLAN}
    plans = match.plans.filter(seat__in=by_plan, end="")
    plans.update(end=StoredPlan.End.UNDONE, ended_ply=from_ply - 1)
    match.ply = from_ply - 1
    match.position = codec.dump(replay.position_at(match, match.ply))
    match.save(update_fields=["ply", "position"])
    return voided


def _first_of_contest(match: Match, ply: int) -> int:
    """The first move of the sealed contest that this move belongs to; the move itself in any other case.

    Earlier moves of the contest cannot stand, because the orders behind them are asked for again.
    """
    if not match.is_sealed_pace:
        return ply
    first, contest = ply, None
    for number, (_, step) in enumerate(replay.steps(match), start=1):
        is_contest = bool(match.rules.bidders(step.state))
        before, contest = contest, match.rules.context(step.state) if is_contest else None
        if contest is None or contest != before:
            first = number
        if number == ply:
            return first
    return ply


_BY_SERVER = frozenset({Move.Source.BOT, Move.Source.CLOCK})


def go_on(match: Match, now: datetime) -> None:
    """Ask the seats that are to act in the restored position."""
    playing = Playing.load(match, now)
    playing.run()
    playing.ask_next(answered=())


def _void_orders(match: Match, voided: Sequence[Move], now: datetime) -> list[SealedOrder]:
    """Void the sealed orders that the moves used and those laid since; picks that stand lie face down again."""
    live = match.sealed_orders.filter(voided_at=None)
    used_since = live.filter(resolved_ply__gte=voided[0].ply)
    picks = live.filter(move__in=[move.pk for move in voided])
    orders = [*picks, *used_since.filter(move=None), *live.filter(move=None, resolved_ply=None)]
    for order in orders:
        order.voided_at = now
        if order.source in _BY_SERVER:
            order.request_id = None
    SealedOrder.objects.bulk_update(orders, ["voided_at", "request_id"])
    used_since.filter(move__isnull=False).update(resolved_ply=None)
    return orders


def _give_clocks_back(match: Match, voided: Iterable[Move], orders: Iterable[SealedOrder]) -> None:
    """Restore each seat's bank to its value when the seat was asked for the first thing that is taken back.

    A seat that was asked before that and has not answered keeps its prompt; all others are asked again.
    """
    first: dict[int, timedelta] = {}
    missed: dict[int, int] = {}
    rows: list[Move | SealedOrder] = [*orders, *voided]
    for row in sorted(rows, key=_when):
        if row.clock_before is not None:
            first.setdefault(row.seat, row.clock_before)
        missed[row.seat] = missed.get(row.seat, 0) + (row.source == Move.Source.CLOCK)
    from_ply = min(move.ply for move in voided)
    seats = list(match.seats.all())
    for seat in seats:
        seat.clock_left = first.get(seat.index, seat.clock_left)
        seat.misses = max(0, seat.misses - missed.get(seat.index, 0))
        seat.is_waiting = seat.is_waiting and seat.prompt_ply <= from_ply and seat.index not in first
    Seat.objects.bulk_update(seats, ["clock_left", "misses", "is_waiting"])


def _when(row: Move | SealedOrder) -> tuple[datetime, bool]:
    """Sort key by time; a move played from an order comes after the order."""
    return (row.placed_at, False) if isinstance(row, SealedOrder) else (row.created_at, True)
