"""A quick player of Jewellers: bids for each gem up to what it is worth, and looks who else wants it.

Hands are open, so everybody can work out what everybody can pay. All figures were tried in some thousand matches.
"""

from __future__ import annotations

from functools import lru_cache
from math import fsum

from games.chance import Chance
from games.contract import Seat
from games.jewellers.bidding import beating_sets
from games.jewellers.components import COMBINATIONS, GEM_VALUE, JUNCTIONS, SILVER_POINTS, SIZES, TOUCHED
from games.jewellers.state import Bid, Cards, Draw, Move, Pass, Phase, Place, State, must_open

BEGUN = 0.8
"""The part of a combination's points that a further gem of it is taken to bring, less the nearer it is begun."""
DENIED = 0.4
"""The part of what a gem brings to the other who wants it most, that it is worth to keep it from them."""
SHORT = 6.0
"""The loss of a bid, in cards, if somebody is likely to go higher, so that further cards are needed."""
EAGER = 1.2
"""Its loss for each unit it is short of that, in units: better one high card at once than two low ones."""
HOPED = 0.7
"""The points that combinations add to a gem in the mean."""
PATIENCE = 1.1
"""So much dearer than they are cards are held, for who waits buys cheaply from those who have none left."""
LEAST = 0.02
"""The least worth of a unit of a card's value, where nothing is left that could be bought with it."""
EACH = 0.4
"""The points that a card brings whatever its value, where there are as many cards as gems."""

COMBINED = {
    gem: tuple(other for gems, _ in COMBINATIONS if gem in gems for other in gems if other != gem)
    for gem in GEM_VALUE
}
"""The gems with which each makes combinations."""
NOBODY_YET = -1
"""In place of the owner of a gem that has not been sold."""

DOUBT = 0.7
"""The part of a gem's worth by which whoever bids in hard's playouts may think it more or less than it is, shared by
all at the table: of many somebody would always think it far too much."""


def choose(state: State, seat: Seat, chance: Chance) -> Move:
    """A move of the seat that is to act; see `Game.policy`."""
    match state.phase:
        case Phase.DRAW:
            return _draw(state, seat)
        case Phase.BID:
            return _bid(state, seat)
        case _:
            undrawn = _list_undrawn(state.bag)
            return Place(max(JUNCTIONS, key=lambda junction: len(TOUCHED[junction] & undrawn)))


def choose_in_doubt(state: State, seat: Seat, chance: Chance) -> Move:
    """A move of somebody who is not sure what the gem is worth, as people are not; see `Game.deep_policy`.

    Where all bid by the same sums, the search trusts too much in who gets what for how much.
    """
    if state.phase is not Phase.BID:
        return choose(state, seat, chance)
    doubt = DOUBT / len(state.hands)
    return _bid(state, seat, 1 + doubt * (chance.below(201) - 100) / 100)


def _draw(state: State, seat: Seat) -> Move:
    """Draw from the size in which the seat gains most compared with the others."""
    gains = {}
    for size, colours in zip(SIZES, state.bag, strict=True):
        if colours:
            leads = []
            for colour in colours:
                worths = _rate_gem(state, colour + size[0])
                leads.append(worths[seat] - max(worths[:seat] + worths[seat + 1 :]))
            gains[size] = fsum(leads) / len(leads)  # the same in any order: that of the bag is secret
    return Draw(max(gains, key=gains.__getitem__))


def _bid(state: State, seat: Seat, mood: float = 1.0) -> Move:
    """Add the cards that cost least, within the worth of the gem, and rather enough to keep the others out at once.

    `mood`: by which the seat multiplies what the gem is worth to it.
    """
    worths = _rate_gem(state, state.gem or "")
    each, power = _price_cards(state, sum(worths) / len(worths))
    worth = worths[seat] * mood
    down = state.table[seat]
    # Each card is a point that is kept, or buys other gems if that is more.
    price = {card: max(1.0, each + card * power) for card in (*state.hands[seat], *down)}
    spare = worth - sum([price[card] for card in down])
    limit = (worth - each) / power
    target = max(
        [
            min(sum(hand) + sum(state.table[other]), (worths[other] - each) / power)
            for other, hand in enumerate(state.hands)
            if other != seat and other not in state.passed and (hand or state.table[other])
        ],
        default=0.0,
    )
    best, best_cost = None, spare
    for cards in beating_sets(state, seat):
        total = sum(cards)
        if total * power > spare:
            break
        cost = sum([price[card] for card in cards])
        if cost > spare:
            continue
        short = min(target, limit) - sum(down) - total
        if short > 0:
            cost += SHORT * each + EAGER * power * short
        if best is None or cost < best_cost:
            best, best_cost = cards, cost
    if best is not None:
        return Bid(best)
    return Bid(state.hands[seat][:1]) if must_open(state, seat) else Pass()


def _price_cards(state: State, worth: float) -> tuple[float, float]:
    """The points that a card brings, and those that a unit of its value brings, when all are spent on gems.

    All cards together buy all gems that are left. The fewer cards there are for a gem, the more the number of cards
    counts beside their values.
    """
    undrawn = _list_undrawn(state.bag)
    # Whole numbers first: a sum of fractions depends on the order in which a set lists them.
    later = sum([GEM_VALUE[gem] for gem in undrawn]) + HOPED * len(undrawn) + worth
    held = tuple(sorted([card for cards in (*state.hands, *state.table) for card in cards]))
    each = EACH * (1 + len(undrawn)) / max(1, len(held))
    return each, PATIENCE * _settle_power(held, later, each)


@lru_cache(maxsize=200)
def _settle_power(held: Cards, later: float, each: float) -> float:
    """The points that a unit of these cards' values brings; it is the same for all bids of an auction.

    Cards that buy less than the point for which they can be kept are left out, so the price settles in a few turns.
    """
    power = later
    for _ in range(3):
        used = [card for card in held if each + card * power >= 1.0]
        power = max(LEAST, (later - each * len(used)) / max(1, sum(used)))
    return power


def _rate_gem(state: State, gem: str) -> tuple[float, ...]:
    """The points that the gem is worth to each seat: its value, combinations, silver, and what it denies others."""
    buyers = {sale.gem: sale.buyer for sale in state.sales}
    owners = tuple([buyers.get(other, NOBODY_YET) for other in COMBINED[gem]])
    is_silvery = state.tower is not None and gem in TOUCHED[state.tower]
    silver = SILVER_POINTS[len(state.silver)] + 1.0 if is_silvery else 0.0
    return _rate(gem, owners, silver, len(state.hands))


@lru_cache(maxsize=2000)
def _rate(gem: str, owners: tuple[int | None, ...], silver: float, seats: int) -> tuple[float, ...]:
    """As `_rate_gem`. `owners`: of the gems that combine with it; `silver`: the points that come with it."""
    owner = dict(zip(COMBINED[gem], owners, strict=True))
    gains = [0.0] * seats
    for gems, points in COMBINATIONS:
        if gem in gems:
            others = [owner[other] for other in gems if other != gem]
            taken = {buyer for buyer in others if buyer is not None and buyer != NOBODY_YET}
            if len(taken) > 1 or None in others:
                continue  # nobody can complete it any more
            share = (1 + len(others) - others.count(NOBODY_YET)) / len(gems)
            for buyer in taken:
                gains[buyer] += points * (1.0 if share == 1 else BEGUN * share)
            if not taken:
                gains = [gain + points * BEGUN * share**2 for gain in gains]
    gains = [gain + silver for gain in gains]
    return tuple(
        [
            GEM_VALUE[gem] + gain + DENIED * max(gains[:seat] + gains[seat + 1 :]) / (seats - 1)
            for seat, gain in enumerate(gains)
        ]
    )


@lru_cache(maxsize=200)
def _list_undrawn(bag: tuple[tuple[str, ...], ...]) -> frozenset[str]:
    return frozenset(colour + size[0] for size, colours in zip(SIZES, bag, strict=True) for colour in colours)
