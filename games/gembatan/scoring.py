"""Scores a play, and counts the points at any time; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from games.contract import rank_seats
from games.gembatan.components import GEMBATAN_GEMS, GEMBATAN_POINTS, SHORTEST_LINE
from games.gembatan.state import Point, State, View

DIAGONALS = ((1, 1), (1, -1))
"""One step along each kind of diagonal, towards the east."""


@dataclass(frozen=True, slots=True)
class Line:
    """A maximal line of gems that share a colour, from its western end."""

    colour: str
    start: Point
    step: Point
    length: int


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a play: a point for each gem, the lines, and the bonus."""

    gems: int
    lines: tuple[Line, ...]

    @property
    def bonus(self) -> int:
        return GEMBATAN_POINTS if self.gems == GEMBATAN_GEMS else 0

    @property
    def points(self) -> int:
        return self.gems + sum([line.length for line in self.lines]) + self.bonus


def score_play(gems: Mapping[Point, str], filled: Sequence[Point]) -> Score:
    """The score of having filled these points, which are among the `gems` (paragraphs 20 to 24)."""
    lines = dict.fromkeys([line for point in filled for line in _list_lines(gems, point)])
    return Score(len(filled), tuple(lines))


def _list_lines(gems: Mapping[Point, str], point: Point) -> Iterator[Line]:
    """The lines through a point that are long enough (paragraphs 21 to 23)."""
    find = gems.get
    for colour in gems[point]:
        for east, north in DIAGONALS:
            x, y = point
            while colour in find((x - east, y - north), ""):
                x, y = x - east, y - north
            length = 1
            while colour in find((x + length * east, y + length * north), ""):
                length += 1
            if length >= SHORTEST_LINE:
                yield Line(colour, (x, y), (east, north), length)


def count_points(position: State | View) -> tuple[int, ...]:
    """Every seat's points so far, less one for each gem in hand (paragraph 27)."""
    return tuple(points - len(hand) for points, hand in zip(position.points, position.gem_hands, strict=True))


def rank_points(points: Iterable[int]) -> tuple[int, ...]:
    """The rank of every seat; ties are shared."""
    return rank_seats([(value,) for value in points])
