"""GEM's count: jewels on active cards, majorities, ties (RULES.md, paragraphs 20 to 23)."""

from __future__ import annotations

from collections.abc import Sequence

from games.contract import rank_seats
from games.gem.components import JEWELS, KINDS, MAJORITY, SHARED_MAJORITY
from games.gem.state import Pieces


def count_jewels(pieces: Pieces) -> dict[str, int]:
    """Jewels of each kind on the cards among these pieces."""
    shown = "".join([JEWELS.get(piece, "") for piece in pieces])
    return {kind: shown.count(kind) for kind in KINDS}


def score_seats(counts: Sequence[dict[str, int]]) -> tuple[int, ...]:
    """The score of every seat from its jewels of each kind."""
    scores = [sum(count.values()) for count in counts]
    for kind in KINDS:
        most = max(count[kind] for count in counts)
        if most == 0:
            continue
        holders = [seat for seat, count in enumerate(counts) if count[kind] == most]
        for seat in holders:
            scores[seat] += MAJORITY if len(holders) == 1 else SHARED_MAJORITY
    return tuple(scores)


def score_active(active: Sequence[Pieces]) -> tuple[int, ...]:
    """The score of every seat with these active pieces."""
    return score_seats([count_jewels(pieces) for pieces in active])


def rank_active(active: Sequence[Pieces]) -> tuple[int, ...]:
    """The rank of every seat with these active pieces; ties go to more active jewels, then are shared."""
    counts = [count_jewels(pieces) for pieces in active]
    return rank_seats(list(zip(score_seats(counts), [sum(count.values()) for count in counts], strict=True)))
