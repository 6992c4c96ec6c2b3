"""Joins the moves of a mail that answer one sealed question: they are the lines of one order, as at the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from gemserver.mailgate.lines.commands import Line, MoveLine
from gemserver.mailgate.lines.meaning import reading_error
from gemserver.matches import prompts, replay
from gemserver.matches.models import Seat
from gemserver.matches.offered.game_guard import UNPLAYABLE
from gemserver.matches.refusal import Refused


def join_orders(
    lines: Sequence[Line],
    find_seat: Callable[[str | None], Seat],
    count_laid: Callable[[int, Seat], int],
) -> list[Line]:
    """The lines, with those moves made one that stand together and that an open contest takes as one sealed order.

    `find_seat` returns the seat that a match's code (or none) is for, or raises Refused. `count_laid`: how many lines
    the order has that the line of this number has laid already, when the mail is read again after a crash; 0 if none.
    """
    joined: list[Line] = []
    at = 0
    while at < len(lines):
        size = _size_of_order(lines[at:], len(joined), find_seat, count_laid)
        joined.append(_as_one(lines[at : at + size]))
        at += size
    return joined


def _size_of_order(
    lines: Sequence[Line],
    number: int,
    find_seat: Callable[[str | None], Seat],
    count_laid: Callable[[int, Seat], int],
) -> int:
    """The number of lines from the first on that are one order; 1 where they are none."""
    first, moves = lines[0], 0
    while moves < len(lines) and _may_join(first, lines[moves]):
        moves += 1
    if moves < 2 or not isinstance(first, MoveLine):
        return 1
    with suppress(Refused, *UNPLAYABLE):
        seat = find_seat(first.match)
        if not seat.match.is_sealed_pace:
            return 1
        if laid := count_laid(number, seat):
            return min(laid, moves)
        position = replay.position(seat.match)
        if prompts.has_open_contest(seat.match, position) and prompts.may_answer(
            seat.match, position, seat.index
        ):
            return max(1, _count_readable(lines[:moves], seat))
    return 1


def _may_join(first: Line, line: Line) -> bool:
    """True if a line is a move for the match of the first one, and names no other turn."""
    if not isinstance(first, MoveLine) or not isinstance(line, MoveLine):
        return False
    is_plain = not (first.runs_on or line.preview or line.misused)
    one_turn = line is first or None in (first.prompt_ply, line.prompt_ply)
    return is_plain and one_turn and line.match == first.match


def _count_readable(lines: Sequence[Line], seat: Seat) -> int:
    """How many lines from the first on are moves in notation, and so one order together."""
    moves = 0
    for line in lines:
        if not isinstance(line, MoveLine) or reading_error(seat.match, seat, line.text) is not None:
            break
        moves += 1
    return moves


def _as_one(lines: Sequence[Line]) -> Line:
    first = lines[0]
    moves = [line for line in lines if isinstance(line, MoveLine)]
    if len(lines) == 1 or not isinstance(first, MoveLine):
        return first
    number = next((line.prompt_ply for line in moves if line.prompt_ply is not None), None)
    return replace(
        first,
        text="; ".join(line.text for line in moves),
        prompt_ply=number,
        stands_alone=all(line.stands_alone for line in moves),
    )
