"""The consequences of a move for the table: the next turns, their clocks, the end, and the mails about them.

Everything here runs inside the transaction of the action that holds the match's lock.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from gemserver.lib.database.prepared import MostlyEmpty, Param, Prepared
from gemserver.lib.database.prepared_writes import PreparedUpdate
from gemserver.matches import codec, replay, sitters, timing
from gemserver.matches.models import Match, Move, Seat, Sitting
from gemserver.matches.notifications import Addressee, tell_players
from gemserver.matches.offered.game_guard import UNPLAYABLE
from gemserver.nudge import nudge

log = logging.getLogger(__name__)


def ask_next(
    match: Match,
    seats: Sequence[Seat],
    state: Any,
    waiting: Collection[int],
    *,
    answered: Collection[int],
    now: datetime,
    asked_at: datetime | None = None,
) -> None:
    """Write the position and ask the seats that are waited for now.

    `seats`: all seats of the match in order, read under its lock; changed ones are saved. `waiting`: the seats that the
    match now waits for. `answered`: the seats whose players (or clocks, or bots) have just moved. Their clocks stop at
    `now`, and those that must move again get a new prompt; other waiting seats keep the prompt they have. The clocks of
    new prompts start at `asked_at`, later than `now` when a mail has waited to be read.
    """
    asked_at = max(now, asked_at or now)
    before = {seat.pk: _state_of(seat) for seat in seats}
    match.position = codec.dump(state)
    standing = match.rules.standing(state)
    for seat in seats:
        seat.score = standing[seat.index]
        if seat.index in answered and seat.is_waiting:
            _stop_clock(match, seat, now)
    asked = [seat for seat in seats if seat.index in waiting]
    _ask(match, [seat for seat in asked if seat.index in answered or not seat.is_waiting], asked_at)
    for seat in seats:
        if seat.index not in waiting:
            seat.is_waiting, seat.due_at, seat.remind_at = False, None, None
    if not waiting:
        _finish(match, state, seats, now)
    _save_seats([seat for seat in seats if _state_of(seat) != before[seat.pk]])
    _save_match([match])
    _nudge_bots(match, seats)


_SEAT_FIELDS = (
    *("is_waiting", "prompt_ply", "prompted_at", "clock_left", "due_at", "remind_at", "reminders_sent"),
    *("reminded_for", "misses", "score", "rank"),
)
_save_seats = PreparedUpdate(Seat, *_SEAT_FIELDS)
_save_match = PreparedUpdate(Match, "position", "ply", "status", "ending", "finished_at")


def _state_of(seat: Seat) -> tuple[object, ...]:
    return tuple(getattr(seat, name) for name in _SEAT_FIELDS)


def _stop_clock(match: Match, seat: Seat, now: datetime) -> None:
    if seat.bot_level:
        return
    seat.misses = 0  # however late, it is an answer, for the clock was not acted on before
    control = match.time_control
    seat.clock_left = (
        control.bank if control.is_per_move else control.after_answer(timing.time_left(match, seat, now))
    )


def ask_again(match: Match, seat: Seat, now: datetime) -> None:
    """Put the open question to whoever plays the seat from now on; the caller saves the seat."""
    seat.prompted_at = now
    # `reminders_sent` is not reset: it numbers the reminders of the prompt, whoever gets them.
    seat.reminded_for = None
    timing.set_alarms(match, seat, now)
    tell_seat(match, seat, "turn", turn=seat.prompt_ply, number=seat.token_generation, now=now)


def _ask(match: Match, seats: Sequence[Seat], now: datetime) -> None:
    for seat in seats:
        seat.is_waiting = True
        seat.prompt_ply = match.ply + 1
        seat.prompted_at = now
        seat.reminders_sent, seat.reminded_for = 0, None
    if people := [seat for seat in seats if not seat.bot_level]:
        timing.set_all_alarms(match, people, now)
        at_board = [seat for seat in people if _is_at_board(seat, now)]
        others = [seat for seat in people if seat not in at_board]
        tell_seats(match, others, "turn", turn=match.ply + 1, now=now)
        tell_seats(match, at_board, "turn", turn=match.ply + 1, now=now, not_before=now + _pause())


_SHORT = timedelta(hours=2)
"""Time left of which a mail about the turn must not take any."""


def _is_at_board(seat: Seat, now: datetime) -> bool:
    """True for who has just looked at a turn; the mail about the next one can wait."""
    has_looked = seat.seen_at is not None and now - seat.seen_at < _pause()
    return has_looked and (seat.due_at is None or seat.due_at - now > _SHORT)


def _pause() -> timedelta:
    return timedelta(seconds=settings.AT_BOARD_SECONDS)


def _finish(match: Match, state: Any, seats: Sequence[Seat], now: datetime) -> None:
    outcome = match.rules.outcome(state)
    assert outcome is not None, "nobody is waited for, yet the game is not over"
    end(match, seats, Match.Ending.PLAYED_OUT, outcome.scores, outcome.ranks, now)


def last_standing(match: Match, seats: Sequence[Seat]) -> tuple[Sequence[int], Sequence[int]]:
    """Scores and ranks (1 is best) of the present position, in seat order, to end a match that is not played out.

    Where the rules fail or are gone, or the position is damaged, the scores that stand there, and one rank for all: a
    match that cannot be played can be ended all the same.
    """
    try:
        state = replay.position(match)
        return match.rules.standing(state), match.rules.ranks(state)
    except UNPLAYABLE as error:
        log.error("match %s ends without its rules: %s", match.code, error)
        return [seat.score or 0 for seat in seats], [1] * len(seats)


def end(
    match: Match,
    seats: Sequence[Seat],
    ending: Match.Ending,
    scores: Sequence[int],
    ranks: Sequence[int],
    now: datetime,
    *,
    is_told: bool = True,
) -> None:
    """End the match, for whatever reason: nobody is waited for any more, and all players are told if `is_told`.

    `scores` and `ranks` (1 is best) are in seat order. The caller saves match and seats.
    """
    match.status, match.ending, match.finished_at = Match.Status.FINISHED, ending, now
    for seat in seats:
        seat.score, seat.rank = scores[seat.index], ranks[seat.index]
        seat.is_waiting, seat.due_at, seat.remind_at = False, None, None
    if is_told:
        tell_seats(match, seats, "finished", turn=match.ply, now=now)
    if match.is_rated:
        nudge("gemserver.ratings.tasks.rate_matches")


def tell_seats(
    match: Match,
    seats: Sequence[Seat],
    kind: str,
    *,
    turn: int,
    now: datetime,
    number: int = 0,
    not_before: datetime | None = None,
    **data: object,
) -> None:
    """Queue a mail to the player or sitter of each of these seats, once for a reader, kind, turn and number.

    While a sitter plays, turns and reminders go to the sitter instead of the player, and both are told that time ran
    out. `notifications` decides who wants a mail. Takes as many queries for all as for one.
    """
    if not seats:
        return
    taken_back, agreed = _rare(
        match=match.pk, before=turn - 1, ply=turn, seats=[seat.pk for seat in seats], at=now
    )
    number += _PER_TIME_TAKEN_BACK * len(taken_back)
    sittings = sitters.sittings_among(agreed, seats) if kind in _FOR_SITTERS else {}
    tell_players(
        match,
        kind,
        _find_addressees(seats, kind, sittings),
        turn=turn,
        now=now,
        number=number,
        not_before=not_before,
        **data,
    )


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
    """Like `tell_seats`, for one seat."""
    tell_seats(match, [seat], kind, turn=turn, now=now, number=number, not_before=not_before, **data)


def _find_addressees(seats: Sequence[Seat], kind: str, sittings: Mapping[int, Sitting]) -> list[Addressee]:
    addressees = []
    for seat in seats:
        sitting = sittings.get(seat.pk)
        if sitting:
            addressees.append(Addressee(sitting.sitter, seat.index, sitting))
        if seat.user and (sitting is None or kind == "timeout"):
            addressees.append(Addressee(seat.user, seat.index))
    return addressees


_PER_TIME_TAKEN_BACK = 1000
"""Added to a mail's number for each time its turn, or the move that led to it, was taken back.

So the turn is told again, whichever of the two is played anew.
"""

_taken_back = Prepared(
    lambda: Move.objects.filter(
        match=Param("match"), ply__gte=Param("before"), ply__lte=Param("ply"), voided_at__isnull=False
    ).values_list("pk")
)

_rare = MostlyEmpty(_taken_back, sitters.find_agreed)

_FOR_SITTERS = frozenset({"turn", "reminder", "timeout"})


def _nudge_bots(match: Match, seats: Sequence[Seat]) -> None:
    levels = {seat.bot_level for seat in seats if seat.is_waiting and seat.bot_level}
    if Seat.Bot.HARD in levels:
        nudge("gemserver.matches.tasks.play_hard_bots", match.pk)
    if levels - {Seat.Bot.HARD}:
        nudge("gemserver.matches.tasks.play_bots", match.pk)
