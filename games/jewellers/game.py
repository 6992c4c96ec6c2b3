"""Jewellers as hosts and bots see it."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from games.contract import Game, SealedPace
from games.jewellers import notation, sealed, words
from games.jewellers.describing import describe
from games.jewellers.evaluation import evaluate
from games.jewellers.explaining import explain
from games.jewellers.foresight import foresee
from games.jewellers.policy import choose, choose_in_doubt
from games.jewellers.rules import RULES
from games.jewellers.search import suggest
from games.jewellers.state import State


def list_pieces(state: State) -> Counter[str]:
    """Gems, and every seat's cards: in hand, on the table, or spent on a gem."""
    pieces = Counter(sale.gem for sale in state.sales)
    pieces.update(colour + size for size, colours in zip("sml", state.bag, strict=True) for colour in colours)
    pieces.update([state.gem] if state.gem else [])
    for seat, cards in enumerate(zip(state.hands, state.table, strict=True)):
        pieces.update(f"{seat}: {card}" for card in chain(*cards))
    pieces.update(f"{sale.buyer}: {card}" for sale in state.sales for card in sale.cards)
    return pieces


GAME = Game(
    package="games.jewellers",
    rules=RULES,
    words=words,
    list_pieces=list_pieces,
    policy=choose,
    deep_policy=choose_in_doubt,
    evaluate=evaluate,
    suggest=suggest,
    simulations=100,
    deep_simulations=500,
    shortlist=14,
    sealed_pace=SealedPace(
        sealed.at_turn,
        words.prompt_order,
        notation.read_later,
        sealed.ask_limit,
        sealed.read_bid,
    ),
    read_later=notation.read_later,
    foresee=foresee,
    spell_out=notation.spell_out,
    explain=explain,
    describe=describe,
)
