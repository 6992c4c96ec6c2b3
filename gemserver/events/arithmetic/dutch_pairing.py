"""The pairings of py4swiss, in its own terms."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from py4swiss.engines import DutchEngine
from py4swiss.engines.common import PairingError
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from gemserver.events.arithmetic.swiss import DRAW, LOSS, WIN, CannotPair, Game, Round, find_game, score

_PLAYED = {WIN: ResultToken.WIN, DRAW: ResultToken.DRAW, LOSS: ResultToken.LOSS}
_NOT_PLAYED = {WIN: ResultToken.FORFEIT_WIN, LOSS: ResultToken.FORFEIT_LOSS}
_BYES = {
    WIN: ResultToken.PAIRING_ALLOCATED_BYE,
    DRAW: ResultToken.HALF_POINT_BYE,
    LOSS: ResultToken.ZERO_POINT_BYE,
}


def pair(
    players: int, played: Sequence[Round], *, rounds: int, absent: Collection[int], first_is_first: bool
) -> list[tuple[int, int | None]]:
    """See `swiss.pair_round`."""
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
