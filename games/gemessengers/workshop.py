"""Sliding rows: the places that a workshop's rows can still take in the pattern, and the spots for a gem.

*Sizes* are the numbers of gems in a workshop's rows from the top. An *offset* is the pattern row on which the top
row lies; the rows below follow without a gap (RULES.md, paragraphs 12 to 15).
"""

from __future__ import annotations

from functools import cache

from games.gemessengers.components import ROWS, Piece, Row
from games.gemessengers.state import ROW_SPOTS, Spot, Workshop

Sizes = tuple[int, ...]


def count_gems(workshop: Workshop) -> Sizes:
    """The sizes of the workshop's rows."""
    return tuple(map(len, workshop))


@cache
def list_offsets(sizes: Sizes, capacities: Sizes) -> Sizes:
    """Every offset at which no row holds more gems than the pattern takes there."""
    return tuple(
        offset
        for offset in range(len(capacities) - len(sizes) + 1)
        if all(size <= capacities[offset + place] for place, size in enumerate(sizes))
    )


@cache
def list_spots(sizes: Sizes, capacities: Sizes) -> tuple[Spot, ...]:
    """List the spots for a gem, in canonical order: in any row that has room at some offset, or next to all rows."""
    if not sizes:
        return (Spot.FIRST,)
    offsets = list_offsets(sizes, capacities)
    spots = [
        ROW_SPOTS[place]
        for place, size in enumerate(sizes)
        if any(size < capacities[offset + place] for offset in offsets)
    ]
    if any(offset > 0 for offset in offsets):
        spots.append(Spot.ABOVE)
    if any(offset + len(sizes) < len(capacities) for offset in offsets):
        spots.append(Spot.BELOW)
    return tuple(spots)


def put_gem(workshop: Workshop, gem: str, spot: Spot) -> Workshop:
    """Put the gem at the spot without checking that it fits. A row that is named must exist."""
    if spot in ROW_SPOTS:
        place = ROW_SPOTS.index(spot)
        return (*workshop[:place], (*workshop[place], gem), *workshop[place + 1 :])
    if spot is Spot.BELOW:
        return (*workshop, (gem,))
    return ((gem,), *workshop)


def find_rows(workshop: Workshop, piece: Piece) -> tuple[Row, ...] | None:
    """The pattern rows in which the workshop's rows lie; None until only one offset is left."""
    offsets = list_offsets(count_gems(workshop), piece.capacities)
    if len(offsets) != 1:
        return None
    return ROWS[offsets[0] : offsets[0] + len(workshop)]


def list_possible_rows(workshop: Workshop, piece: Piece, place: int) -> tuple[Row, ...]:
    """The pattern rows in which the row at this place (from 0) may come to lie."""
    return tuple(ROWS[offset + place] for offset in list_offsets(count_gems(workshop), piece.capacities))


def find_spot(workshop: Workshop, piece: Piece, row: Row) -> Spot | None:
    """The spot that puts a gem into this pattern row, once rows are fixed: an existing row or the one next to it."""
    rows = find_rows(workshop, piece)
    if not rows:
        return None
    if row in rows:
        return ROW_SPOTS[rows.index(row)]
    if row == rows[0] - 1:
        return Spot.ABOVE
    return Spot.BELOW if row == rows[-1] + 1 else None
