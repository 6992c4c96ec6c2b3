"""Writes a match as a record for download (notation, "Match record")."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.utils import translation

from games.record import RESIGN, MoveLine, Record, SealedLine, write_record
from gemserver.matches import replay, selectors
from gemserver.matches.models import Match, Move

_UNNAMED_SOURCES = frozenset({Move.Source.WEB, Move.Source.MAIL, Move.Source.API})
"""Sources that a record does not name: the player's own move."""


def record_text(match: Match, *, with_seed: bool = False) -> str:
    """The text of `make_record`."""
    return write_record(make_record(match, with_seed=with_seed))


def make_record(match: Match, *, with_seed: bool = False) -> Record:
    """The record of a match that has begun: with seed and parts once it is over, with the commitment alone before.

    It is the same for every reader and in every language. `with_seed`: everything, even while the match runs; for
    operators only.
    """
    is_whole = match.is_over or with_seed
    with translation.override(None):
        players = tuple(selectors.names(match))
    rows = list(replay.moves(match) if with_seed else selectors.public_moves(match))
    by_bot = _find_bots_moves(match, rows) if match.is_over else frozenset()
    moves = tuple(MoveLine(move.seat, move.text, _name_player(move, by_bot)) for move in rows)
    dealt = (match.dealt_by or {}) if is_whole else {}
    seats = list(match.seats.order_by("index"))
    return Record(
        game=match.game,
        version=match.rules_version,
        players=players,
        options=match.options,
        match=match.code,
        commitment=match.commitment or None,
        moves=moves,
        seed=replay.seed(match) if is_whole and "deal" not in dealt else None,
        deal=dealt.get("deal"),
        first=dealt.get("first", 0),
        ages=tuple(dealt.get("ages", ())),
        server_part=match.server_part or None if is_whole else None,
        parts=tuple(seat.part for seat in seats) if is_whole and match.server_part else (),
        result=tuple(seat.score or 0 for seat in seats) if match.is_over else None,
        ending=match.ending if match.is_over else None,
        sealed=_sealed_lines(match) if match.is_over else (),
    )


def _name_player(move: Move, by_bot: Collection[int]) -> str:
    if move.ply in by_bot:
        return Move.Source.BOT
    return "" if move.source in _UNNAMED_SOURCES else move.source


def _find_bots_moves(match: Match, moves: Iterable[Move]) -> frozenset[int]:
    """The plies of the clock's moves that a bot chose, by the match's rule for absence.

    In a record the clock plays the default move, and only where no order lay: that can be checked. Of a game that is
    not offered any more nobody can tell.
    """
    if not match.is_offered:
        return frozenset()
    clocks = {move.ply for move in moves if move.source == Move.Source.CLOCK and move.text != RESIGN}
    if not clocks:
        return frozenset()
    ordered = set() if match.rules.meta.has_sealed_picks else _find_ordered(match)
    by_bot = set()
    before = None
    for move, step in replay.steps(match):
        if move is not None and move.ply in clocks:
            is_ordered = (match.rules.context(before), move.seat) in ordered and match.rules.bidders(before)
            default = match.rules.write(match.rules.default_move(before, move.seat))
            if is_ordered or move.text != default:
                by_bot.add(move.ply)
        before = step.state
    return frozenset(by_bot)


def _find_ordered(match: Match) -> set[tuple[str, int]]:
    orders = match.sealed_orders.filter(voided_at=None).exclude(hash="")
    return set(orders.values_list("context", "seat"))


def _sealed_lines(match: Match) -> tuple[SealedLine, ...]:
    """Every version of every order whose hash is in the log, except those of contests that were taken back."""
    orders = match.sealed_orders.filter(voided_at=None).exclude(hash="")
    return tuple(
        SealedLine(order.context, order.seat, order.version, order.hash, order.salt, order.text)
        for order in orders
    )
