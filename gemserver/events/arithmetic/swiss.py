"""Pairs a round of a two-seat event by the Dutch system of FIDE, which py4swiss computes.

Players are numbered from 1 in their initial order, the strongest first. What is *white* in chess is the first place in
turn order here. py4swiss 0.3.1 follows the rules as they were until 31 January 2026. It takes its time to be loaded,
and brings pydantic; so this module is imported where a round is paired.

>>> from fractions import Fraction
>>> first = pair_round(4, [], rounds=3)
>>> first
[(1, 3), (4, 2)]
>>> pair_round(4, [[Game(1, 3, Fraction(1)), Game(4, 2, Fraction(1, 2))]], rounds=3)
[(2, 1), (3, 4)]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from py4swiss.engines import DutchEngine
from py4swiss.engines.common import PairingError
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from gemserver.events.arithmetic.rounds import DRAW, LOSS, WIN, Game, Round, find_game, score

_PLAYED = {WIN: ResultToken.WIN, DRAW: ResultToken.DRAW, LOSS: ResultToken.LOSS}
_NOT_PLAYED = {WIN: ResultToken.FORFEIT_WIN, LOSS: ResultToken.FORFEIT_LOSS}
_BYES = {
    WIN: ResultToken.PAIRING_ALLOCATED_BYE,
    DRAW: ResultToken.HALF_POINT_BYE,
    LOSS: ResultToken.ZERO_POINT_BYE,
}


class CannotPair(Exception):
    """No pairing is left in which nobody meets an opponent twice."""


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
    section = XSection(number_of_rounds=rounds, zeroed_ids=set(absent))
    section.configuration.first_round_color = first_is_first
    sections = [_player_section(player, played) for player in range(1, players + 1)]
    trf = ParsedTrf(player_sections=sections, x_section=section)
    trf.validate_contents()
    try:
        pairings = DutchEngine.generate_pairings(trf)
    except PairingError:
        raise CannotPair from None
    return [(pairing.white, pairing.black or None) for pairing in pairings]


def _player_section(player: int, played: Sequence[Round]) -> PlayerSection:
    return PlayerSection(
        code=PlayerCode.PLAYER,
        starting_number=player,
        name=str(player),
        points_times_ten=int(10 * score(player, played)),
        rank=player,
        results=[_result(player, find_game(player, one)) for one in played],
    )


def _result(player: int, game: Game | None) -> RoundResult:
    if game is None:
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken.ZERO_POINT_BYE)
    if game.second is None:
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=_BYES[game.points])
    is_first = player == game.first
    tokens = _PLAYED if game.is_played else _NOT_PLAYED
    return RoundResult(
        id=game.second if is_first else game.first,
        color=ColorToken.WHITE if is_first else ColorToken.BLACK,
        result=tokens[game.of(player)],
    )
