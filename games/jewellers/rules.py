"""Jewellers on the contract; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import assert_never

from games.chance import Chance
from games.contract import (
    Choice,
    GameMeta,
    Message,
    Option,
    Options,
    Outcome,
    Seat,
    Step,
)
from games.fields import replace
from games.jewellers import notation
from games.jewellers.bidding import beating_sets
from games.jewellers.building import build_steps
from games.jewellers.components import CARDS, COLOURS, GEMS, JUNCTIONS, SILVER_POINTS, SIZES
from games.jewellers.play import (
    play_bid,
    play_draw,
    play_pass,
    play_place,
    play_stay,
    play_up_to,
)
from games.jewellers.scoring import rank_seats_now, score_seats_now
from games.jewellers.state import (
    Bid,
    Draw,
    Move,
    Pass,
    Phase,
    Place,
    State,
    Stay,
    UpTo,
    View,
    gem_number,
    leading_total,
    must_open,
    takes_part,
)
from games.turns import expect_turn, find_only_move

MOST_SEATS = 8
AGES = "ages"
"""The option in which a host passes the text of a record's `Ages:` header: a number for every seat, or nothing."""

META = GameMeta(
    slug="jewellers",
    title="Jewellers",
    designer="Jan Divecky",
    year=2020,
    version=1,
    min_seats=2,
    max_seats=MOST_SEATS,
    max_plies=len(GEMS) * (1 + MOST_SEATS * len(CARDS) + MOST_SEATS) + len(SILVER_POINTS),
    summary=Message("Bid for fifteen gems with cards that do not come back"),
    usual_moves=18,
    weight="light",
    options=(
        Option("silver", ("no", "yes"), "A tower of silver pieces on the game plan brings further points."),
        Option("pace", ("table", "sealed"), "How bids are made."),
    ),
    contests=(Message("gem {}"),),
    has_ages=True,
    reconstructed=(Message("the places of the gems on the game plan, and so the value of each gem"),),
    has_hidden=True,
)


class Jewellers:
    """The rules of Jewellers."""

    meta = META
    state_type = State

    def deal(self, *, seats: int, options: Options, chance: Chance) -> State:
        bag = []
        for _ in SIZES:
            colours = list(COLOURS)
            chance.shuffle(colours)
            bag.append(tuple(colours))
        return _open_match(seats, options, tuple(bag), first=chance.below(seats))

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> State:
        return _open_match(seats, options, notation.read_bag(deal), first)

    def write_deal(self, state: State) -> str:
        return notation.write_bag(state.bag)

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return frozenset() if state.phase is Phase.OVER else frozenset((state.turn,))

    def legal_moves(self, state: State, seat: Seat) -> Iterator[Move]:
        if seat != state.turn:
            return
        match state.phase:
            case Phase.PLACE:
                yield from map(Place, JUNCTIONS)
            case Phase.DRAW:
                for size, colours in zip(SIZES, state.bag, strict=True):
                    if colours:
                        yield Draw(size)
            case Phase.BID:
                if not must_open(state, seat):
                    yield Pass()
                yield from map(Bid, beating_sets(state, seat))
            case Phase.MOVE:
                yield Stay()
                yield from map(Place, JUNCTIONS)
            case Phase.OVER:
                return
            case _:
                assert_never(state.phase)

    def apply(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        expect_turn(seat, state.turn, is_over=state.phase is Phase.OVER)
        match move:
            case Draw(size):
                return play_draw(state, size)
            case Bid(cards):
                return play_bid(state, cards)
            case UpTo(limit):
                return play_up_to(state, limit)
            case Pass():
                return play_pass(state)
            case Place(junction):
                return play_place(state, junction)
            case Stay():
                return play_stay(state)
            case _:
                assert_never(move)

    def outcome(self, state: State) -> Outcome | None:
        if state.phase is not Phase.OVER:
            return None
        return Outcome(score_seats_now(state), rank_seats_now(state))

    def standing(self, state: State) -> Sequence[int]:
        return score_seats_now(state)

    def ranks(self, state: State) -> Sequence[int]:
        return rank_seats_now(state)

    def view(self, state: State, seat: Seat | None) -> View:
        return View(
            reader=seat,
            phase=state.phase,
            starter=state.starter,
            turn=state.turn,
            gem=state.gem,
            bag=tuple(tuple(sorted(colours, key=COLOURS.index)) for colours in state.bag),
            hands=state.hands,
            table=state.table,
            passed=state.passed,
            leader=state.leader,
            sales=state.sales,
            tower=state.tower,
            silver=state.silver,
            ages=state.ages,
        )

    def context(self, state: State) -> str | None:
        return f"gem {gem_number(state)}" if state.phase in (Phase.DRAW, Phase.BID) else None

    def bidders(self, state: State) -> frozenset[Seat]:
        if state.phase is not Phase.BID:
            return frozenset()
        return frozenset(seat for seat in range(len(state.hands)) if takes_part(state, seat))

    def default_move(self, state: State, seat: Seat) -> Move:
        """The move for a player whose time is up (paragraph 23)."""
        match state.phase:
            case Phase.PLACE:
                return Place(JUNCTIONS[0])
            case Phase.DRAW:
                return Draw(next(size for size, colours in zip(SIZES, state.bag, strict=True) if colours))
            case Phase.BID:
                return Bid(state.hands[seat][:1]) if must_open(state, seat) else Pass()
            case Phase.MOVE | Phase.OVER:
                return Stay()
            case _:
                assert_never(state.phase)

    def forced_move(self, state: State) -> tuple[Seat, Move] | None:
        """The only move that is possible (paragraph 21)."""
        return find_only_move(self, state, state.turn)

    def resample(self, state: State, seat: Seat | None, chance: Chance) -> State:
        bag = []
        for colours in state.bag:
            order = sorted(colours, key=COLOURS.index)
            chance.shuffle(order)
            bag.append(tuple(order))
        return replace(state, bag=tuple(bag))

    def write(self, move: Move) -> str:
        return notation.write(move)

    def parse(self, state: State, seat: Seat, text: str) -> Move:
        return notation.parse(state, seat, text)

    def steps(self, state: State, seat: Seat, partial: str) -> Sequence[Choice]:
        return build_steps(state, seat, partial)

    def random_move(self, state: State, seat: Seat, chance: Chance) -> Move:
        match state.phase:
            case Phase.PLACE:
                return Place(JUNCTIONS[chance.below(len(JUNCTIONS))])
            case Phase.DRAW:
                sizes = [size for size, colours in zip(SIZES, state.bag, strict=True) if colours]
                return Draw(sizes[chance.below(len(sizes))])
            case Phase.BID:
                return _random_bid(state, seat, chance)
            case Phase.MOVE | Phase.OVER:
                drawn = chance.below(len(JUNCTIONS) + 1)
                return Place(JUNCTIONS[drawn - 1]) if drawn else Stay()
            case _:
                assert_never(state.phase)


def _open_match(seats: int, options: Options, bag: tuple[tuple[str, ...], ...], first: Seat) -> State:
    """The first position with this order in the bag (paragraphs 1, 5 and 15)."""
    return State(
        phase=Phase.PLACE if options.get("silver") == "yes" else Phase.DRAW,
        starter=first,
        turn=first,
        gem=None,
        bag=bag,
        hands=(CARDS,) * seats,
        table=((),) * seats,
        passed=(),
        leader=None,
        sales=(),
        tower=None,
        silver=(),
        ages=tuple(int(age) for age in options.get(AGES, "").split()),
    )


def _random_bid(state: State, seat: Seat, chance: Chance) -> Move:
    """A pass or a bid, mostly one that adds little; every set of cards that beats the leading total is possible."""
    if not must_open(state, seat) and chance.below(2):
        return Pass()
    if chance.below(8) == 0:
        return _random_set(state, seat, chance)
    skipped = 0
    while chance.below(3):
        skipped += 1
    found: Move = Pass()
    for cards in islice(beating_sets(state, seat), skipped + 1):
        found = Bid(cards)
    return found


def _random_set(state: State, seat: Seat, chance: Chance) -> Move:
    order = list(state.hands[seat])
    needed = leading_total(state) - sum(state.table[seat])
    if sum(order) <= needed:
        return Pass()
    chance.shuffle(order)
    wanted = 1 + chance.below(len(order))
    cards: list[int] = []
    for card in order:
        if len(cards) >= wanted and sum(cards) > needed:
            break
        cards.append(card)
    return Bid(tuple(sorted(cards)))


RULES = Jewellers()
