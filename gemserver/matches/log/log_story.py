"""Folds the log for people: one line for a settled contest, one for what several seats did alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gemserver.lib.text.translator import translator
from gemserver.matches.log.match_log import LogEntry, LogRows, tell_history
from gemserver.matches.models import Match, Move, Seat

TOLD_SOURCES = frozenset({Move.Source.FORCED, Move.Source.PLAN, Move.Source.CLOCK, Move.Source.MODERATOR})
"""The sources that the log names: all but the player's own move."""


def tell_story(
    match: Match, seat: Seat | None, rows: LogRows, *, is_own: bool = True, known_ply: int = 0
) -> list[LogEntry]:
    """Like `match_log.tell_history`, with a line for each event that people care about.

    `known_ply`: the live move that the reader knows, of which only what it set off is told.
    """
    entries = _fold_contests(tell_history(seat, rows, is_own=is_own))
    if known_ply:
        entries = _leave_out_move(entries, known_ply)
    names = [each.name for each in rows.seats]
    return _fold_alike(match, entries, names, seat.index if seat and is_own else None)


def tell_news(
    match: Match, seat: Seat | None, ply: int, seats: Sequence[Seat], *, is_own: bool = True
) -> list[LogEntry]:
    """Tell what happened since the last move of the reader, number `ply` (0: none), what that move set off included."""
    rows = LogRows.read(match, after_ply=max(0, ply - 1), seats=seats).since_move(ply)
    return tell_story(match, seat, rows, is_own=is_own, known_ply=ply)


def _fold_contests(entries: Sequence[LogEntry]) -> list[LogEntry]:
    """Put the moves of each settled contest into the line that tells its bids."""
    lines: list[LogEntry] = []
    for entry in entries:
        moves: list[LogEntry] = []
        while entry.first_ply and lines and lines[-1].seat is not None and lines[-1].ply >= entry.first_ply:
            moves.insert(0, lines.pop())
        lines.append(_join_bids(entry, moves) if moves else entry)
    return lines


def _leave_out_move(entries: Sequence[LogEntry], ply: int) -> list[LogEntry]:
    """Tell of this live move no more than what it set off, unless it stands in the line of a settled contest."""
    left = [
        replace(entry, events=entry.events[1:], sentences=entry.sentences[1:])
        if entry.ply == ply and entry.seat is not None and entry.events and not entry.is_taken_back
        else entry
        for entry in entries
    ]
    return [entry for entry in left if entry.sentences]


def _join_bids(told: LogEntry, moves: Sequence[LogEntry]) -> LogEntry:
    """One entry for a contest: its bids, then what came of them."""
    sentences = [
        sentence
        for move in moves
        for event, sentence in zip(move.events, move.sentences, strict=True)
        if event is not move.events[0] or event.seat != move.seat  # the first event is the move itself
    ]
    return replace(
        moves[-1],
        sentences=(*told.sentences, *sentences),
        source="",
        played_by="",
        events=(),
        first_ply=moves[0].ply,
    )


def _fold_alike(
    match: Match, entries: Sequence[LogEntry], names: Sequence[str], you: int | None
) -> list[LogEntry]:
    """Join moves in a row that differ only in the seat: `Ana and Ben pass.`"""
    lines: list[LogEntry] = []
    group: list[LogEntry] = []
    for entry in [*entries, None]:
        if entry is not None and group and _is_alike(group, entry):
            group.append(entry)
            continue
        lines += _join_alike(match, group, names, you)
        group = [] if entry is None else [entry]
    return lines


def _is_alike(group: Sequence[LogEntry], entry: LogEntry) -> bool:
    """True if this move does what those before it did; of them, none brought about anything else."""
    last = group[-1]
    if not last.events or not entry.events or len(last.events) > 1:
        return False
    first, second = last.events[0], entry.events[0]
    return (
        (first.kind, first.data) == (second.kind, second.data)
        and second.seat not in (None, *(each.seat for each in group))
        and last.is_taken_back == entry.is_taken_back
        and not (last.played_by or entry.played_by)
        and _told_source(last) == _told_source(entry)
    )


def _told_source(entry: LogEntry) -> str:
    return entry.source if entry.source in TOLD_SOURCES else ""


def _join_alike(
    match: Match, group: Sequence[LogEntry], names: Sequence[str], you: int | None
) -> Sequence[LogEntry]:
    if len(group) < 2:
        return group
    events = [entry.events[0] for entry in group]
    told = match.words.describe_alike(events, translator(), names, you)
    if told is None:
        return group
    last = group[-1]
    return [replace(last, sentences=(told, *last.sentences[1:]), first_ply=group[0].ply)]
