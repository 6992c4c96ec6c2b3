"""Tie-breaks of two-seat Swiss events: Buchholz and Sonneborn-Berger as FIDE defines them (regulations of 2023).

The points of an opponent count as they are, with one exception: the rounds after the last in which they were there to
play count half a point each. A round that one did not play counts as one against somebody with one's own points.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from gemserver.events.arithmetic.rounds import LOSS, WIN, Game, Round, find_game, score


def buchholz(player: int, played: Sequence[Round], *, cut: int = 0) -> Fraction:
    """The points of all opponents; `cut`: so many are left out, rounds one chose not to play first, then the least."""
    against = sorted(
        (not _is_absence(player, game), _opponent_score(player, game, played))
        for game in (find_game(player, one) for one in played)
    )
    return sum((points for _, points in against[cut:]), Fraction(0))


def sonneborn_berger(player: int, played: Sequence[Round]) -> Fraction:
    """The points of those whom one has beaten, and half the points of those with whom one has shared."""
    games = [find_game(player, one) for one in played]
    return sum(
        (game.of(player) * _opponent_score(player, game, played) for game in games if game is not None),
        Fraction(0),
    )


def _opponent_score(player: int, game: Game | None, played: Sequence[Round]) -> Fraction:
    if game is None or game.second is None or not game.is_played:
        return score(player, played)
    return _adjusted_score(game.second if player == game.first else game.first, played)


def _adjusted_score(player: int, played: Sequence[Round]) -> Fraction:
    there = len(played)
    while there and _is_absence(player, find_game(player, played[there - 1])):
        there -= 1
    return score(player, played[:there]) + Fraction(len(played) - there, 2)


def _is_absence(player: int, game: Game | None) -> bool:
    """True if the player chose not to play: a bye that they asked for, or a game lost without playing."""
    if game is None:
        return True
    if game.second is None:
        return game.points != WIN
    return not game.is_played and game.of(player) == LOSS
