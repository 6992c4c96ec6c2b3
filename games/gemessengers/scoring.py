"""Gemessengers' count: gems by the guild, tokens, totals (RULES.md, paragraphs 24 to 28)."""

from __future__ import annotations

from collections.abc import Sequence

from games.contract import rank_seats
from games.gemessengers.components import PLAIN_VALUE, VALUES, Piece, Row
from games.gemessengers.state import Cards, State, View, Workshop, is_over, piece_of
from games.gemessengers.workshop import find_rows


def value_gem(gem: str, row: Row, guild: Sequence[Cards]) -> int:
    """The value of a gem in this row of its piece."""
    proclaimed = guild[row]
    return VALUES[len(proclaimed)] if gem in proclaimed else PLAIN_VALUE


def value_workshop(workshop: Workshop, guild: Sequence[Cards], piece: Piece) -> int:
    """The value of all gems as the guild stands; one point each until their rows are fixed."""
    rows = find_rows(workshop, piece)
    if rows is None:
        return PLAIN_VALUE * sum(len(gems) for gems in workshop)
    return sum(value_gem(gem, row, guild) for row, gems in zip(rows, workshop, strict=True) for gem in gems)


def score_round(position: State | View) -> tuple[int, ...]:
    """The points of every seat in the present round, as it stands."""
    piece = piece_of(position)
    return tuple(
        value_workshop(workshop, position.guild, piece) + taken
        for workshop, taken in zip(position.workshops, position.taken, strict=True)
    )


def total_results(position: State | View) -> tuple[int, ...]:
    """The points of every seat in all finished rounds."""
    return tuple(sum(result[seat] for result in position.results) for seat in range(len(position.workshops)))


def total_scores(position: State | View) -> tuple[int, ...]:
    """The points of every seat if the match ended now."""
    totals = total_results(position)
    if is_over(position):
        return totals
    return tuple(total + now for total, now in zip(totals, score_round(position), strict=True))


def rank_scores(scores: Sequence[int]) -> tuple[int, ...]:
    """Rank the seats: the most points win; equal scores share a rank."""
    return rank_seats([(score,) for score in scores])
