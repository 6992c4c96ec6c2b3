"""Pairs a round of a two-seat event by the Dutch system of FIDE, which py4swiss computes.

Players are numbered from 1 in their initial order, the strongest first. What is *white* in chess is the first place in
turn order here. py4swiss 0.3.1 follows the rules as they were until 31 January 2026.

>>> first = pair_round(4, [], rounds=3)
>>> first
[(1, 3), (4, 2)]
>>> pair_round(4, [[Game(1, 3, Fraction(1)), Game(4, 2, Fraction(1, 2))]], rounds=3)
[(2, 1), (3, 4)]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction(0)


class CannotPair(Exception):
    """No pairing is left in which nobody meets an opponent twice."""


@dataclass(frozen=True, slots=True)
class Game:
    """The result of one pairing: `points` are those of `first`, 1, 1/2 or 0.

    `second` None: a bye, given by the pairing (1) or asked for (1/2, 0). `is_played` False: decided without playing.
    """

    first: int
    second: int | None
    points: Fraction
    is_played: bool = True

    def of(self, player: int) -> Fraction:
        """The points of one of the two."""
        return self.points if player == self.first else 1 - self.points


Round = Sequence[Game]


def pair_round(
    players: int,
    played: Sequence[Round],
    *,
    rounds: int,
    absent: Collection[int] = (),
    first_is_first: bool = True,
) -> list[tuple[int, int | None]]:
    """The pairings of the next round, each in turn order; who is alone has the bye (None). Raises CannotPair.

    `rounds`: how many there will be in all; `absent`: players who are not paired, such as those who withdrew;
    `first_is_first`: whether the strongest has the first place in the first round.
    """
    # py4swiss takes its time and pydantic with it, which no process needs that pairs nobody.
    from gemserver.events.arithmetic.dutch_pairing import pair

    return pair(players, played, rounds=rounds, absent=absent, first_is_first=first_is_first)


def find_game(player: int, played: Round) -> Game | None:
    """The game of this player in a round; None: they were not paired."""
    return next((game for game in played if player in (game.first, game.second)), None)


def score(player: int, played: Sequence[Round]) -> Fraction:
    """The points of a player after these rounds."""
    games = (find_game(player, one) for one in played)
    return sum((game.of(player) for game in games if game is not None), Fraction(0))
