"""The course of a rating as a small drawing, with the same in a sentence for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.translation import ngettext

from gemserver.ratings.selectors import Point

WIDTH, HEIGHT = 320, 96
_MARGIN = 4
_MOST = 120
"""Points that are drawn; of more, evenly chosen ones."""
_LEAST_RANGE = 100
"""Points of rating from top to bottom at least, so that small changes look small."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A drawing, of `WIDTH` by `HEIGHT`: the line of the rating, and around it the band of its uncertainty."""

    line: str
    band: str
    best: int
    words: str
    first: Point
    last: Point


def draw_curve(points: Sequence[Point]) -> Curve | None:
    """Draw the ratings after each match; None for fewer than two."""
    if len(points) < 2:
        return None
    drawn = _thin(points)
    top = max(point.belief.number + point.belief.margin for point in drawn)
    bottom = min(point.belief.number - point.belief.margin for point in drawn)
    spare = max(0, _LEAST_RANGE - (top - bottom)) // 2
    top, bottom = top + spare, bottom - spare

    def x(number: int) -> float:
        return round(_MARGIN + (WIDTH - 2 * _MARGIN) * number / (len(drawn) - 1), 1)

    def y(rating: int) -> float:
        return round(_MARGIN + (HEIGHT - 2 * _MARGIN) * (top - rating) / (top - bottom), 1)

    line = [(x(number), y(point.belief.number)) for number, point in enumerate(drawn)]
    above = [(x(n), y(point.belief.number + point.belief.margin)) for n, point in enumerate(drawn)]
    below = [(x(n), y(point.belief.number - point.belief.margin)) for n, point in enumerate(drawn)]
    return Curve(
        line=_write(line),
        band=_write([*above, *reversed(below)]),
        best=max(point.belief.number for point in points),
        words=_say(points),
        first=points[0],
        last=points[-1],
    )


def _thin(points: Sequence[Point]) -> Sequence[Point]:
    if len(points) <= _MOST:
        return points
    return [points[round(number * (len(points) - 1) / (_MOST - 1))] for number in range(_MOST)]


def _write(corners: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in corners)


def _say(points: Sequence[Point]) -> str:
    best = max(points, key=lambda point: point.belief.number)
    return ngettext(
        "The rating after %(number)d match: %(first)d on %(from)s, %(last)d on %(to)s, at best %(best)d on %(on)s.",
        "The rating after each of %(number)d matches: %(first)d on %(from)s, %(last)d on %(to)s, "
        "at best %(best)d on %(on)s.",
        len(points),
    ) % {
        "number": len(points),
        "first": points[0].belief.number,
        "from": date_format(points[0].at, "j M Y"),
        "last": points[-1].belief.number,
        "to": date_format(points[-1].at, "j M Y"),
        "best": best.belief.number,
        "on": date_format(best.at, "j M Y"),
    }
