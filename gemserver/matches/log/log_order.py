"""Puts moves and notices of a match into the order in which they happened, even if moves were taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from gemserver.matches.models import Move, Notice

TAKING_BACK = frozenset({"voided", "undo-agreed"})
"""The kinds of notices that report that moves were taken back."""

Row: TypeAlias = Move | Notice


def in_order(moves: Sequence[Move], notices: Sequence[Notice], ply: int) -> list[Row]:
    """Merge moves and notices, oldest first; `ply`: the number of live moves in the match.

    `moves` may lack the first ones. Times do not give the order, because a mail counts by its receipt; primary keys do,
    among moves and among notices. So this works backwards from the end: a notice follows the move whose ply it has, and
    one that took moves back follows the last of those.
    """
    moves, notices = sorted(moves, key=_key), sorted(notices, key=_key)
    reached = max((move.ply for move in moves if move.voided_at is None), default=ply)
    found: list[Row] = []
    while moves or notices:
        if notices and (not moves or notices[-1].ply >= reached):
            notice = notices.pop()
            found.append(notice)
            reached = _ply_before(notice)
        else:
            move = moves.pop()
            found.append(move)
            reached = move.ply - 1
    return found[::-1]


def _key(row: Row) -> int:
    return row.pk


def _ply_before(notice: Notice) -> int:
    """The number of moves that had been played just before the notice."""
    return int(notice.data.get("to_ply", notice.ply)) if notice.kind in TAKING_BACK else notice.ply


def since(rows: Sequence[Row], ply: int) -> list[Row]:
    """The rows after the live move with this number, from rows in order; all for 0."""
    last = max((at for at, row in enumerate(rows) if _is_live(row) and row.ply <= ply), default=-1)
    return list(rows[last + 1 :])


def up_to(rows: Sequence[Row], ply: int) -> int:
    """The number of rows before the first live move with a higher number, from rows in order."""
    return next((at for at, row in enumerate(rows) if _is_live(row) and row.ply > ply), len(rows))


def _is_live(row: Row) -> bool:
    return isinstance(row, Move) and row.voided_at is None
