"""A quick player of GEM: knows what a card is worth to everybody, and what the coins to come will buy.

All but the cards of later days is open, so everybody can work out what the others can pay. Coins come back every
day: those that are left in the evening without an inactive card to spend them on are lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from operator import add
from typing import TypeAlias

from games.chance import Chance
from games.contract import Seat
from games.gem.components import CARDS, COINS, COST, DAYS, JEWELS, KINDS
from games.gem.payment import cheapest_payment, jewel_cards, sort_pieces, total_cost, worth
from games.gem.scoring import count_jewels, score_seats
from games.gem.state import Bid, Invest, Keep, Move, Pass, Phase, Pieces, State, Take, leading_bid

Rates: TypeAlias = Mapping[str, float]
"""Cards → the points that each is worth to a seat."""

COIN_WORTH = worth(COINS)
MEAN_COST = total_cost(card.code for card in CARDS) / len(CARDS)
MEAN_WORTH = 4.0
"""The points that a card is worth to a seat in the mean, by `_rate_cards`."""
LEADS = (0.1, 0.3, 0.8, 1.7, 2.4, 2.8, 3.0)
"""The hope for a kind's 3 points, in part, of a seat with 3 jewels less than the others' most, 2 less … 3 more."""
DENIED = 0.5
"""The part of what a card brings to the other who wants it most, that it is worth to keep it from them."""
SPREAD = 0.8
"""So much more is paid for cards that are worth more than the mean, in proportion."""


def choose(state: State, seat: Seat, chance: Chance) -> Move:
    """A move of the seat that is to act; see `Game.policy`."""
    match state.phase:
        case Phase.BID:
            return _bid(state, seat)
        case Phase.TAKE:
            rates = _rate_cards(state)[seat]
            card = max(state.open, key=lambda code: (rates[code] - _price(state, code), rates[code]))
            return Take(card, pay(state.active[seat], leading_bid(state.calls)))
        case _ if state.day == DAYS:
            return _invest_last(state, seat)
        case _:
            return _invest(state, seat)


def _bid(state: State, seat: Seat) -> Move:
    """Bid what keeps the later ones out, or else all that the best card is worth; everybody bids but once."""
    rates = _rate_cards(state)
    limit = _find_limit(state, seat, rates[seat])
    lead, seats = leading_bid(state.calls), len(state.active)
    if limit <= lead and state.calls:
        return Pass()
    later = [(state.oya + place) % seats for place in range(len(state.calls) + 1, seats)]
    enough = max([_find_limit(state, other, rates[other]) for other in later], default=0)
    return Bid(min(max(lead + 1, min(limit, enough)), worth(state.active[seat])))


def _find_limit(state: State, seat: Seat, rates: Rates) -> int:
    """The highest bid that the seat should make for its best open card: the coins to come, shared among the cards.

    What is left of today's coins, and no inactive card can use, may be spent as well.
    """
    active, inactive = state.active[seat], state.inactive[seat]
    purse = worth(active)
    coins = sum([int(piece) for piece in active if piece in COINS])
    backlog = total_cost(jewel_cards(inactive))
    later = sum([len(pile) for pile in state.piles])
    share = (len(state.open) + later) / len(state.active)
    last = len(state.piles[-1]) if state.piles else len(state.open)
    sleeping = MEAN_COST * (len(state.open) + later - last) / len(state.active)
    left = coins + COIN_WORTH * (DAYS - state.day) - backlog - sleeping
    mean = left / max(1.0, share)
    best = 0.0
    for card in state.open:
        size = 1 + SPREAD * (rates[card] - MEAN_WORTH) / MEAN_WORTH
        # On the last day nobody pays the cost of a card, nor is it left over.
        cost = MEAN_COST if state.day == DAYS else COST[card]
        best = max(best, (mean + MEAN_COST) * size - cost)
    lost = coins - backlog - (0 if state.day == DAYS else min([COST[card] for card in state.open]))
    return max(0, min(purse, round(max(best, lost))))


def _price(state: State, card: str) -> float:
    """The points that activating the card will cost, at what a coin brings in the mean."""
    return 0.0 if state.day == DAYS else 0.5 * COST[card]


def _rate_cards(state: State) -> Sequence[Rates]:
    """For each seat, the points that each open card is worth to it."""
    return _rate(state.open, tuple(map(add, state.active, state.inactive)))


@lru_cache(maxsize=200)
def _rate(cards: Pieces, owned: tuple[Pieces, ...]) -> Sequence[Rates]:
    """For each seat, what each of these cards is worth to it; all who bid for them ask, and who takes one."""
    counts = [count_jewels(pieces) for pieces in owned]
    gains = []
    for seat, own in enumerate(counts):
        others = counts[:seat] + counts[seat + 1 :]
        ahead = {kind: own[kind] - max([other[kind] for other in others]) for kind in KINDS}
        gains.append({card: _gain(card, ahead) for card in cards})
    rates = []
    for seat, gain in enumerate(gains):
        rest = gains[:seat] + gains[seat + 1 :]
        rates.append(
            {card: gain[card] + DENIED * max([other[card] for other in rest]) / len(rest) for card in cards}
        )
    return rates


def _gain(card: str, ahead: dict[str, int]) -> float:
    """The jewels of the card, and what they better the hope for the most of their kinds."""
    jewels = JEWELS[card]
    return len(jewels) + sum(
        [_hope(ahead[kind] + jewels.count(kind)) - _hope(ahead[kind]) for kind in dict.fromkeys(jewels)]
    )


def _hope(ahead: int) -> float:
    return LEADS[max(-3, min(3, ahead)) + 3]


@lru_cache(maxsize=10_000)
def pay(active: Pieces, cost: int) -> Pieces:
    """Pay with coins where they are enough, for they come back; else as cheaply as possible."""
    coins = tuple([piece for piece in active if piece in COINS])
    return cheapest_payment(coins if worth(coins) >= cost else active, cost)


def _invest(state: State, seat: Seat) -> Move:
    """Spend as many of the coins as possible, which are lost otherwise; on more jewels where there is a choice."""
    active = state.active[seat]
    coins = tuple([piece for piece in active if piece in COINS])
    best: tuple[int, int, Pieces] = (0, 0, ())
    cards = jewel_cards(state.inactive[seat])
    for size in range(1, len(cards) + 1):
        for chosen in combinations(cards, size):
            cost = total_cost(chosen)
            if cost <= worth(coins):
                best = max(best, (cost, sum([len(JEWELS[card]) for card in chosen]), chosen))
    return Invest(best[2], pay(coins, best[0])) if best[2] else Keep()


def _invest_last(state: State, seat: Seat) -> Move:
    """Choose the investment after which the seat's active cards score most; cards with few jewels may pay."""
    active = state.active[seat]
    counts = [count_jewels(pieces) for pieces in state.active]
    best_score, best_move = score_seats(counts)[seat], None
    cards = jewel_cards(state.inactive[seat])
    for size in range(1, len(cards) + 1):
        for chosen in combinations(cards, size):
            cost = total_cost(chosen)
            if cost > worth(active):
                continue
            paid = pay(active, cost)
            left = tuple([piece for piece in active if piece not in paid])
            counts[seat] = count_jewels((*left, *chosen))
            score = score_seats(counts)[seat]
            if score > best_score:
                best_score, best_move = score, Invest(sort_pieces(chosen), paid)
    return best_move or Keep()
