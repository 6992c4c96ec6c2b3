"""Builds a move of GEM piece by piece: for forms, previews, the terminal and keyboards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from games.contract import Choice, Message, Seat
from games.gem.components import COST, ORDER, VALUE
from games.gem.notation import parse, write
from games.gem.payment import jewel_cards, payments, rate_payment, total_cost, worth
from games.gem.state import Bid, Invest, Keep, Pass, Phase, Pieces, State, Take, leading_bid

MOST_PAYMENTS = 24
"""A payment with more possibilities than this is chosen piece by piece."""


def build_steps(state: State, seat: Seat, partial: str) -> Sequence[Choice]:
    """The choices after `partial`; each legal move is reached in exactly one way.

    Raises GameError for a `partial` that cannot be read.
    """
    if state.phase is Phase.OVER or seat != state.turn:
        return ()
    if not partial.strip():
        return tuple(_begin(state, seat))
    move = parse(state, seat, partial)
    match state.phase, move:
        case Phase.TAKE, Take(card, pay) if card in state.open:
            return _choose_payment(f"take {card}", state.active[seat], leading_bid(state.calls), pay)
        case Phase.INVEST, Invest(cards, pay) if set(cards) <= set(jewel_cards(state.inactive[seat])):
            more = () if pay else _choose_more(state, seat, cards)
            text = write(Invest(cards, ()))
            return (*_choose_payment(text, state.active[seat], total_cost(cards), pay), *more)
        case _:
            return ()


def _begin(state: State, seat: Seat) -> Iterator[Choice]:
    purse = worth(state.active[seat])
    lead = leading_bid(state.calls)
    match state.phase:
        case Phase.BID:
            if state.calls:
                yield Choice(write(Pass()), Message("Pass"), complete=True)
            for amount in range(lead + 1, purse + 1):
                yield Choice(write(Bid(amount)), Message("Bid {amount}", {"amount": amount}), complete=True)
        case Phase.TAKE:
            for card in state.open:
                label = Message("Take {card} (value {value})", {"card": card, "value": VALUE[card]})
                yield Choice(write(Take(card, ())), label, complete=lead == 0)
        case _:
            yield Choice(write(Keep()), Message("Activate nothing"), complete=True)
            for card in jewel_cards(state.inactive[seat]):
                if COST[card] <= purse:
                    label = Message("Activate {card} (cost {cost})", {"card": card, "cost": COST[card]})
                    yield Choice(write(Invest((card,), ())), label, complete=False)


def _choose_more(state: State, seat: Seat, cards: Pieces) -> Iterator[Choice]:
    """A further card to activate; in canonical order, so that a set is built in one way only."""
    left = worth(state.active[seat]) - total_cost(cards)
    for card in jewel_cards(state.inactive[seat]):
        if ORDER[card] > ORDER[cards[-1]] and COST[card] <= left:
            label = Message("and {card} (cost {cost})", {"card": card, "cost": COST[card]})
            yield Choice(write(Invest((*cards, card), ())), label, complete=False)


def _choose_payment(text: str, active: Pieces, cost: int, start: Pieces) -> Sequence[Choice]:
    """The payments that begin with `start`, the cheapest first, or what may come next when there are too many."""
    found = list(islice((pay for pay in payments(active, cost, start) if pay != start), MOST_PAYMENTS + 1))
    if len(found) <= MOST_PAYMENTS:
        return [_pay_choice(text, pay, complete=True) for pay in sorted(found, key=rate_payment)]
    longer = [(*start, piece) for piece in active if not start or ORDER[piece] > ORDER[start[-1]]]
    return [
        _pay_choice(text, pay, complete=worth(pay) >= cost)
        for pay in longer
        if next(payments(active, cost, pay), None) is not None
    ]


def _pay_choice(text: str, pay: Pieces, *, complete: bool) -> Choice:
    label = Message("Pay {pieces} (worth {worth})", {"pieces": " ".join(pay), "worth": worth(pay)})
    return Choice(f"{text} pay {' '.join(pay)}", label, complete)
