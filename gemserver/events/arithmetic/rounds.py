"""The rounds of a two-seat event, as its pairings and tie-breaks read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

WIN, DRAW, LOSS = Fraction(1), Fraction(1, 2), Fraction(0)


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


def find_game(player: int, played: Round) -> Game | None:
    """The game of this player in a round; None: they were not paired."""
    return next((game for game in played if player in (game.first, game.second)), None)


def score(player: int, played: Sequence[Round]) -> Fraction:
    """The points of a player after these rounds."""
    games = (find_game(player, one) for one in played)
    return sum((game.of(player) for game in games if game is not None), Fraction(0))
