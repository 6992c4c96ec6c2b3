"""What a move means for the table: whose turn it becomes, their clocks, the end, and the mails that tell it.

Everything here runs inside the transaction of the action that holds the match's lock.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from gemserver.lib.nudge import nudge
from gemserver.matches import codec, mail_ids, timing
from gemserver.matches.models import Match, Seat
from gemserver.notify.outbox import tell


def settle(
    match: Match, state: Any, *, answered: Collection[int], now: datetime, asked_at: datetime | None = None
) -> None:
    """Write the position and ask whoever is waited for now.

    `answered`: the seats whose players (or clocks, or bots) have just moved; a seat of them that is waited for again
    is asked anew, any other keeps the prompt it has. Their clocks stop at `now`; those of the next start at
    `asked_at`, later than `now` when a mail has waited to be read.
    """
    asked_at = max(now, asked_at or now)
    match.position = codec.dump(state)
    waiting = match.rules.waiting_on(state)
    standing = match.rules.standing(state)
    seats = list(match.seats.select_related("user").order_by("index"))
    for seat in seats:
        seat.score = standing[seat.index]
        if seat.index in answered and seat.is_waiting:
            _stop_clock(match, seat, now)
        if seat.index not in waiting:
            seat.is_waiting, seat.due_at, seat.remind_at = False, None, None
        elif seat.index in answered or not seat.is_waiting:
            _ask(match, seat, asked_at)
    if not waiting:
        _finish(match, state, seats, now)
    Seat.objects.bulk_update(seats, _SEAT_FIELDS)
    match.save(update_fields=["position", "ply", "status", "ending", "finished_at"])
    _nudge_bots(match, seats)


_SEAT_FIELDS = [
    *("is_waiting", "prompt_ply", "prompted_at", "clock_left", "due_at", "remind_at", "reminders_sent"),
    *("reminded_for", "misses", "score", "rank"),
]


def _stop_clock(match: Match, seat: Seat, now: datetime) -> None:
    if seat.bot:
        return
    seat.misses = 0  # an answer that comes before the clock is acted on is one, however late
    seat.clock_left = match.time_control.after_answer(timing.time_left(match, seat, now))


def ask_anew(match: Match, seat: Seat, now: datetime) -> None:
    """Put the question that stands to the seat's new holder, whose bank is full; the caller saves the seat."""
    seat.clock_left = match.time_control.bank
    seat.prompted_at = now
    seat.reminders_sent, seat.reminded_for = 0, None
    timing.set_alarms(match, seat, now)
    tell_seat(match, seat, "turn", turn=seat.prompt_ply, number=seat.token_generation, now=now)


def _ask(match: Match, seat: Seat, now: datetime) -> None:
    seat.is_waiting = True
    seat.prompt_ply = match.ply + 1
    seat.prompted_at = now
    seat.reminders_sent, seat.reminded_for = 0, None
    if seat.bot:
        return
    timing.set_alarms(match, seat, now)
    tell_seat(match, seat, "turn", turn=seat.prompt_ply, now=now)


def _finish(match: Match, state: Any, seats: list[Seat], now: datetime) -> None:
    outcome = match.rules.outcome(state)
    assert outcome is not None, "nobody is waited for, yet the game is not over"
    match.status = Match.Status.FINISHED
    match.ending = Match.Ending.PLAYED_OUT
    match.finished_at = now
    for seat in seats:
        seat.score, seat.rank = outcome.scores[seat.index], outcome.ranks[seat.index]
        tell_seat(match, seat, "finished", turn=match.ply, now=now)


_ABOUT_TURNS = frozenset({"turn", "reminder"})


def tell_seat(
    match: Match,
    seat: Seat,
    kind: str,
    *,
    turn: int,
    now: datetime,
    number: int = 0,
    not_before: datetime | None = None,
    **data: object,
) -> None:
    """Queue one mail to the seat's player, if it has one; once for this kind, turn and number.

    Who has a digest is told of turns by that; mails about turns wait until the end of a snooze.
    """
    if seat.user is None or (kind == "turn" and seat.user.gets_digest):
        return
    tell(
        seat.user,
        kind,
        thread=match.thread,
        data={"match": match.pk, "seat": seat.index, "turn": turn, **data},
        dedup_key=f"{kind}:{match.pk}:{seat.index}:{turn}" + (f":{number}" if number else ""),
        message_id=mail_ids.message_id(kind, match.pk, turn, seat.index, number),
        now=now,
        not_before=seat.user.snoozed_until if kind in _ABOUT_TURNS else not_before,
    )


def _nudge_bots(match: Match, seats: list[Seat]) -> None:
    if any(seat.is_waiting and seat.bot for seat in seats):
        nudge("gemserver.matches.tasks.play_bots", match.pk)
