"""GEM on the contract; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from games.chance import Chance
from games.contract import (
    Choice,
    GameMeta,
    InvalidMove,
    Message,
    Option,
    Options,
    Outcome,
    Seat,
    Step,
)
from games.gem import notation
from games.gem.building import build_steps
from games.gem.components import CARD_CODES, COINS, COST, JEWELS, ORDER, PILE_SIZES, VALUE
from games.gem.payment import (
    cheapest_payment,
    jewel_cards,
    payments,
    random_payment,
    sort_pieces,
    total_cost,
    worth,
)
from games.gem.play import play_bid, play_invest, play_keep, play_pass, play_take
from games.gem.scoring import rank_active, score_active
from games.gem.state import (
    Bid,
    Invest,
    Keep,
    Move,
    Pass,
    Phase,
    Pieces,
    State,
    Take,
    View,
    leading_bid,
)
from games.reading import lower
from games.turns import expect_turn, find_only_move

META = GameMeta(
    slug="gem",
    title="GEM",
    designer="Chris Handy",
    year=None,
    version=1,
    min_seats=2,
    max_seats=4,
    max_plies=18 * (4 + 1) + 6 * 4,
    summary=Message("An auction of jewels in six days"),
    usual_moves=20,
    weight="light",
    options=(Option("pace", ("table", "sealed"), "How bids are made."),),
    contests=(Message("day {} auction {}"), Message("day {} investments")),
    reconstructed=(
        Message("the faces of the jewel cards"),
        Message("the value and the cost printed on each jewel card"),
    ),
    has_hidden=True,
)


class Gem:
    """The rules of GEM."""

    meta = META
    state_type = State

    def deal(self, *, seats: int, options: Options, chance: Chance) -> State:
        cards = list(CARD_CODES)
        chance.shuffle(cards)
        return _open_first_day(seats, tuple(cards), first=chance.below(seats))

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> State:
        cards = tuple(notation.read_cards(lower(deal).split(), CARD_CODES))
        if sorted(cards) != sorted(CARD_CODES):
            raise InvalidMove("bad-deal", "A deal of GEM names each of the 18 jewel cards once.")
        return _open_first_day(seats, cards, first)

    def write_deal(self, state: State) -> str:
        return " ".join([*state.open, *(card for pile in state.piles for card in pile)])

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return frozenset() if state.phase is Phase.OVER else frozenset((state.turn,))

    def legal_moves(self, state: State, seat: Seat) -> Iterator[Move]:
        if seat != state.turn:
            return
        active = state.active[seat]
        match state.phase:
            case Phase.BID:
                if state.calls:
                    yield Pass()
                for amount in range(leading_bid(state.calls) + 1, worth(active) + 1):
                    yield Bid(amount)
            case Phase.TAKE:
                bid = leading_bid(state.calls)
                for card in sort_pieces(state.open):
                    for pay in payments(active, bid):
                        yield Take(card, pay)
            case Phase.INVEST:
                yield Keep()
                for cards in _affordable_sets((), jewel_cards(state.inactive[seat]), worth(active)):
                    for pay in payments(active, total_cost(cards)):
                        yield Invest(cards, pay)
            case Phase.OVER:
                return
            case _:
                assert_never(state.phase)

    def apply(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        expect_turn(seat, state.turn, is_over=state.phase is Phase.OVER)
        match move:
            case Bid(amount):
                return play_bid(state, amount)
            case Pass():
                return play_pass(state)
            case Take(card, pay):
                return play_take(state, card, pay)
            case Invest(cards, pay):
                return play_invest(state, cards, pay)
            case Keep():
                return play_keep(state)
            case _:
                assert_never(move)

    def outcome(self, state: State) -> Outcome | None:
        if state.phase is not Phase.OVER:
            return None
        return Outcome(score_active(state.active), rank_active(state.active))

    def standing(self, state: State) -> Sequence[int]:
        return score_active(state.active)

    def ranks(self, state: State) -> Sequence[int]:
        return rank_active(state.active)

    def view(self, state: State, seat: Seat | None) -> View:
        return View(
            reader=seat,
            phase=state.phase,
            day=state.day,
            auction=state.auction,
            oya=state.oya,
            turn=state.turn,
            calls=state.calls,
            buyer=state.buyer,
            open=state.open,
            pile_sizes=tuple(len(pile) for pile in state.piles),
            active=state.active,
            inactive=state.inactive,
        )

    def context(self, state: State) -> str | None:
        match state.phase:
            case Phase.BID | Phase.TAKE:
                return f"day {state.day} auction {state.auction}"
            case Phase.INVEST:
                return f"day {state.day} investments"
            case Phase.OVER:
                return None
            case _:
                assert_never(state.phase)

    def bidders(self, state: State) -> frozenset[Seat]:
        if state.phase in (Phase.BID, Phase.INVEST):
            return frozenset(range(len(state.active)))
        return frozenset()

    def default_move(self, state: State, seat: Seat) -> Move:
        """The move for a player whose time is up (paragraph 25)."""
        match state.phase:
            case Phase.BID:
                return Pass() if state.calls else Bid(0)
            case Phase.TAKE:
                card = min(state.open, key=lambda code: (-len(JEWELS[code]), VALUE[code], ORDER[code]))
                return Take(card, cheapest_payment(state.active[seat], leading_bid(state.calls)))
            case Phase.INVEST | Phase.OVER:
                return Keep()
            case _:
                assert_never(state.phase)

    def forced_move(self, state: State) -> tuple[Seat, Move] | None:
        """The only move that is possible (paragraph 24)."""
        return find_only_move(self, state, state.turn)

    def resample(self, state: State, seat: Seat | None, chance: Chance) -> State:
        hidden = list(sort_pieces(card for pile in state.piles for card in pile))
        chance.shuffle(hidden)
        piles = _cut_piles(tuple(hidden), tuple(len(pile) for pile in state.piles))
        return replace(state, piles=piles)

    def write(self, move: Move) -> str:
        return notation.write(move)

    def parse(self, state: State, seat: Seat, text: str) -> Move:
        return notation.parse(state, seat, text)

    def steps(self, state: State, seat: Seat, partial: str) -> Sequence[Choice]:
        return build_steps(state, seat, partial)

    def random_move(self, state: State, seat: Seat, chance: Chance) -> Move:
        active = state.active[seat]
        match state.phase:
            case Phase.BID:
                lead = leading_bid(state.calls)
                raises = worth(active) - lead
                drawn = chance.below(max(raises, 0) + 1) if state.calls else 1 + chance.below(raises)
                return Bid(lead + drawn) if drawn else Pass()
            case Phase.TAKE:
                card = state.open[chance.below(len(state.open))]
                return Take(card, random_payment(active, leading_bid(state.calls), chance))
            case Phase.INVEST | Phase.OVER:
                return _random_investment(state.inactive[seat], active, chance)
            case _:
                assert_never(state.phase)


def _open_first_day(seats: int, cards: Pieces, first: Seat) -> State:
    """The first position with the cards in pile order (paragraphs 5 and 6)."""
    piles = _cut_piles(cards, PILE_SIZES[seats])
    return State(
        phase=Phase.BID,
        day=1,
        auction=1,
        oya=first,
        turn=first,
        calls=(),
        buyer=None,
        open=piles[0],
        piles=piles[1:],
        active=(COINS,) * seats,
        inactive=((),) * seats,
    )


def _cut_piles(cards: Pieces, sizes: tuple[int, ...]) -> tuple[Pieces, ...]:
    starts = [sum(sizes[:day]) for day in range(len(sizes))]
    return tuple(cards[start : start + size] for start, size in zip(starts, sizes, strict=True))


def _affordable_sets(chosen: Pieces, later: Pieces, purse: int) -> Iterator[Pieces]:
    """Sets of cards whose activation the purse covers, each in canonical order, lazily."""
    for place, card in enumerate(later):
        if COST[card] <= purse:
            longer = (*chosen, card)
            yield longer
            yield from _affordable_sets(longer, later[place + 1 :], purse - COST[card])


def _random_investment(inactive: Pieces, active: Pieces, chance: Chance) -> Move:
    """Any investment or none; every set of cards that can be paid for is possible."""
    order = list(jewel_cards(inactive))
    chance.shuffle(order)
    purse = worth(active)
    cards: list[str] = []
    wanted = chance.below(len(order) + 1)
    for card in order:
        if len(cards) < wanted and COST[card] <= purse:
            cards.append(card)
            purse -= COST[card]
    if not cards:
        return Keep()
    return Invest(sort_pieces(cards), random_payment(active, total_cost(cards), chance))


RULES = Gem()
