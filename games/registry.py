"""The games of the house: one explicit line each."""

from __future__ import annotations

from collections.abc import Mapping

from games.contract import Game, GameError, SealedPace
from games.florentine import evaluation as florentine_evaluation
from games.florentine import foresight as florentine_foresight
from games.florentine import words as florentine_words
from games.florentine.rules import RULES as FLORENTINE
from games.gem import evaluation as gem_evaluation
from games.gem import foresight as gem_foresight
from games.gem import sealed as gem_sealed
from games.gem import words as gem_words
from games.gem.rules import RULES as GEM
from games.gembatan import evaluation as gembatan_evaluation
from games.gembatan import foresight as gembatan_foresight
from games.gembatan import words as gembatan_words
from games.gembatan.rules import RULES as GEMBATAN
from games.gemessengers import evaluation as gemessengers_evaluation
from games.gemessengers import words as gemessengers_words
from games.gemessengers.rules import RULES as GEMESSENGERS
from games.jewellers import evaluation as jewellers_evaluation
from games.jewellers import foresight as jewellers_foresight
from games.jewellers import notation as jewellers_notation
from games.jewellers import sealed as jewellers_sealed
from games.jewellers import words as jewellers_words
from games.jewellers.rules import RULES as JEWELLERS

GAMES: Mapping[str, Game] = {
    "florentine": Game(
        rules=FLORENTINE,
        words=florentine_words,
        foresee=florentine_foresight.foresee,
        evaluate=florentine_evaluation.evaluate,
        simulations=600,
        horizon=8,
    ),
    "gem": Game(
        rules=GEM,
        words=gem_words,
        evaluate=gem_evaluation.evaluate,
        simulations=600,
        horizon=10,
        sealed_pace=SealedPace(gem_sealed.at_turn, gem_words.prompt_order, gem_sealed.read),
        foresee=gem_foresight.foresee,
        spell_out=gem_sealed.spell_out,
    ),
    "gembatan": Game(
        rules=GEMBATAN,
        words=gembatan_words,
        foresee=gembatan_foresight.foresee,
        evaluate=gembatan_evaluation.evaluate,
        simulations=10,
        shortlist=4,
        horizon=1,
        breadth=12,
    ),
    "gemessengers": Game(
        rules=GEMESSENGERS,
        words=gemessengers_words,
        evaluate=gemessengers_evaluation.evaluate,
        simulations=60,
        shortlist=6,
        horizon=6,
        breadth=3,
    ),
    "jewellers": Game(
        rules=JEWELLERS,
        words=jewellers_words,
        evaluate=jewellers_evaluation.evaluate,
        simulations=60,
        shortlist=6,
        horizon=8,
        breadth=3,
        sealed_pace=SealedPace(
            jewellers_sealed.at_turn,
            jewellers_words.prompt_order,
            jewellers_notation.read_later,
            jewellers_sealed.ask_limit,
        ),
        read_later=jewellers_notation.read_later,
        foresee=jewellers_foresight.foresee,
        spell_out=jewellers_notation.spell_out,
    ),
}


class UnknownGame(GameError):
    """No game has this slug."""


def game(slug: str) -> Game:
    """The game with this slug. Raises UnknownGame (`unknown-game`)."""
    try:
        return GAMES[slug]
    except KeyError:
        raise UnknownGame(
            "unknown-game",
            "There is no game “{slug}”. The games are: {slugs}.",
            slug=slug,
            slugs=", ".join(GAMES),
        ) from None
