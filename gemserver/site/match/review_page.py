"""The contents of the page of a review: a curve for each seat, and the moves that mattered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext

from games.analysis import Judged
from gemserver.matches.models import Match, Seat
from gemserver.matches.words.moves import word_move
from gemserver.study.models import Review
from gemserver.study.review_words import find_movers, find_questions, say_no_slip, say_slip
from gemserver.study.reviews import list_moves, list_turning_points

WIDTH = 320
HEIGHT = 100
"""Units of a curve's drawing; a unit of height is a hundredth of a whole result."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The expected result of one seat over the match, and where it made one of the moves that mattered."""

    seat: Seat
    known: Sequence[float]
    true: Sequence[float]
    turns: Sequence[int]

    @property
    def known_points(self) -> str:
        return _join(self.known)

    @property
    def true_points(self) -> str:
        return _join(self.true)

    @property
    def marks(self) -> list[float]:
        """The places of its turning points, in units of the drawing."""
        return [_place(ply, len(self.known)) for ply in self.turns]

    @property
    def words(self) -> str:
        values = [round(value) for value in self.known]
        return gettext("%(name)s: from %(first)s to %(last)s of 100, lowest %(least)s, highest %(most)s") % {
            "name": self.seat.name,
            "first": values[0],
            "last": values[-1],
            "least": min(values),
            "most": max(values),
        }


def _join(values: Sequence[float]) -> str:
    """The points of an SVG line."""
    return " ".join(
        f"{_place(ply, len(values)):.1f},{HEIGHT - value:.1f}" for ply, value in enumerate(values)
    )


def _place(ply: int, number: int) -> float:
    return round(WIDTH * ply / max(number - 1, 1), 1)


@dataclass(frozen=True, slots=True)
class Slip:
    """A move beside the better one, with the name of whoever played it."""

    match: Match
    question: Any
    """The position in which it was made."""
    judged: Judged
    name: str

    @property
    def sentence(self) -> str:
        return say_slip(self.match, self.question, self.judged, self.name)

    @property
    def played(self) -> str:
        """The move in words."""
        return word_move(self.match.rules, self.question, self.judged.seat, self.judged.played)

    @property
    def best(self) -> str:
        """Like `played`, the better one."""
        return word_move(self.match.rules, self.question, self.judged.seat, self.judged.best)

    @property
    def before(self) -> int:
        """The ply of the position in which it was made."""
        return self.judged.ply - 1


@dataclass(frozen=True)
class ReviewPage:
    """A review that is done, or how far it has come."""

    match: Match
    review: Review | None

    @cached_property
    def seats(self) -> list[Seat]:
        return self.match.read_seats()

    @property
    def is_done(self) -> bool:
        return self.review is not None and self.review.is_done

    @property
    def reached(self) -> int:
        return self.review.reached if self.review else 0

    @cached_property
    def turning_points(self) -> list[Slip]:
        return [self._name(each) for each in list_turning_points(self.review)] if self.review else []

    @property
    def no_slip(self) -> str:
        return say_no_slip([slip.judged for slip in self.choices])

    @cached_property
    def choices(self) -> list[Slip]:
        """All moves that somebody chose, in the order of the match."""
        return [self._name(each) for each in list_moves(self.review)] if self.review else []

    @cached_property
    def curves(self) -> list[Curve]:
        plies = self.review.plies if self.review else []
        return [
            Curve(
                seat,
                [each["known"][seat.index] for each in plies],
                [each["true"][seat.index] for each in plies],
                [slip.judged.ply for slip in self.turning_points if slip.judged.seat == seat.index],
            )
            for seat in self.seats
        ]

    def _name(self, judged: Judged) -> Slip:
        return Slip(self.match, self._questions[judged.ply], judged, self._movers[judged.ply])

    @cached_property
    def _questions(self) -> Mapping[int, Any]:
        judged = list_moves(self.review) if self.review else ()
        return find_questions(self.match, {each.ply for each in judged})

    @cached_property
    def _movers(self) -> Mapping[int, str]:
        return find_movers(self.match)
