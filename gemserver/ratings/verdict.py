"""Decides from what is known of a finished match if it counts for ratings, and who took which place. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gemserver.matches.models import Match
from gemserver.ratings.models import Contender, RatedMatch, RatingChange

LEAST_MOVES = 2
"""Moves that each player has made by then, if a resignation that ends a match is to count."""

Refusal = RatedMatch.Refusal
Why = RatingChange.Why


class Vacancy(StrEnum):
    """Reasons why nobody counts for a seat."""

    BOT = "bot"
    MODERATOR = "moderator"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Player:
    """The person or bot that counts for a seat."""

    user: int | None
    """Primary key of the account; None once it is erased."""
    contender: Contender | None
    """As ratings know them; None if this is their first match to be rated."""
    family: int | None
    is_bot: bool
    is_guest: bool = False


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """A seat at the end of a match, and whoever counts for it."""

    index: int
    player: Player | Vacancy
    rank: int
    why: Why
    moves: int
    """How often the player decided something, also by a plan or through a sitter."""
    absent_since: datetime | None = None
    """The last thing that the player did anywhere before they lost by absence, if so."""


@dataclass(frozen=True, slots=True)
class Facts:
    """A finished match that wished to be rated."""

    ending: str
    is_voided: bool
    is_unequal: bool
    seats: Sequence[SeatFacts]

    @property
    def lacks_players(self) -> bool:
        """True if the account of somebody who sat there is erased, and nothing says any more who it was."""
        return any(seat.player is Vacancy.REMOVED for seat in self.seats)


@dataclass(frozen=True, slots=True)
class Placed:
    """A player's place as it is rated."""

    seat: SeatFacts
    player: Player
    place: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The places in seat order, or the reason why there are none."""

    refusal: RatedMatch.Refusal
    places: Sequence[Placed] = ()


def judge(facts: Facts) -> Verdict:
    """Return the places that count, or the first reason why the match does not.

    Who left a seat to time or resigned it takes the last place, shared if several did; the others keep their order.
    A seat that a moderator gave to another counts for nobody.
    """
    refusal = _refuse(facts)
    return Verdict(refusal) if refusal else Verdict(Refusal.NONE, _place(facts))


def _refuse(facts: Facts) -> RatedMatch.Refusal:
    players = [seat.player for seat in facts.seats if isinstance(seat.player, Player)]
    vacancies = {seat.player for seat in facts.seats if isinstance(seat.player, Vacancy)}
    families = [player.family for player in players if player.family is not None]
    moves = [seat.moves for seat in facts.seats if isinstance(seat.player, Player)]
    reasons = {
        Refusal.VOIDED: facts.is_voided,
        Refusal.ADJUDICATED: facts.ending == Match.Ending.ADJUDICATED,
        Refusal.GUEST: any(player.is_guest for player in players),
        Refusal.BOT: Vacancy.BOT in vacancies or len({player.is_bot for player in players}) > 1,
        Refusal.ONE_HAND: len(families) > len(set(families)),
        Refusal.UNEQUAL: facts.is_unequal,
        Refusal.REMOVED: len(players) < 2 and Vacancy.REMOVED in vacancies,
        Refusal.HANDED_OVER: len(players) < 2,
        Refusal.ABORTED: sum(number > 0 for number in moves) < 2,
        Refusal.TOO_SHORT: facts.ending == Match.Ending.RESIGNED and min(moves, default=0) < LEAST_MOVES,
    }
    return next((refusal for refusal, holds in reasons.items() if holds), Refusal.NONE)


def _place(facts: Facts) -> list[Placed]:
    counted = [(seat, seat.player) for seat in facts.seats if isinstance(seat.player, Player)]
    last = len(facts.seats) + 1
    ranks = [last if _has_left(seat) else seat.rank for seat, _ in counted]
    return [
        Placed(seat, player, 1 + sum(other < rank for other in ranks))
        for (seat, player), rank in zip(counted, ranks, strict=True)
    ]


def _has_left(seat: SeatFacts) -> bool:
    return seat.why in (Why.TIME, Why.RESIGNED)
