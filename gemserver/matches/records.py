"""A match as a record (notation, "Match record"): what anybody may download."""

from __future__ import annotations

from django.utils import translation

from games.record import MoveLine, Record, SealedLine, write_record
from gemserver.matches import replay, selectors
from gemserver.matches.models import Match, Move

_UNNAMED_SOURCES = frozenset({Move.Source.WEB, Move.Source.MAIL})
"""A move of the player's own needs no word about how it came about."""


def record_text(match: Match, *, with_seed: bool = False) -> str:
    """The record of a match that has begun: with seed and parts once it is over, with the commitment alone before.

    The same for every reader and in every language. `with_seed`: everything, also while it runs; for operators only.
    """
    is_whole = match.is_over or with_seed
    with translation.override(None):
        players = tuple(selectors.names(match))
    moves = tuple(
        MoveLine(move.seat, move.text, "" if move.source in _UNNAMED_SOURCES else move.source)
        for move in (replay.moves(match) if with_seed else selectors.public_moves(match))
    )
    dealt = (match.dealt_by or {}) if is_whole else {}
    seats = list(match.seats.order_by("index"))
    return write_record(
        Record(
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
    )


def _sealed_lines(match: Match) -> tuple[SealedLine, ...]:
    """Every version of every order whose hash the log has shown, but for those that were asked anew."""
    orders = match.sealed_orders.filter(voided_at=None).exclude(hash="")
    return tuple(
        SealedLine(order.context, order.seat, order.version, order.hash, order.salt, order.text)
        for order in orders
    )
