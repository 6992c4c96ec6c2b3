"""The rules of Quay; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from games.chance import Chance
from games.contract import (
    Choice,
    Event,
    GameMeta,
    IllegalMove,
    InvalidMove,
    Message,
    Option,
    Options,
    Outcome,
    Seat,
    Step,
    rank_seats,
)
from games.reading import read_number, read_word, refuse_rest, split_line
from games.turns import expect_running, expect_turn, find_only_move
from quay.state import (
    CARDS,
    EACH,
    FIELDS,
    GOODS,
    ROUNDS,
    WATER,
    Load,
    Move,
    Offer,
    State,
    View,
    count_points,
)

CODES = {good[:2]: good for good in GOODS}
FLOODED = {"calm": 0, "storm": 5}


class Quay:
    """The whole contract, for a game with hidden hands and with picks that lie face down."""

    meta = GameMeta(
        slug="quay",
        title="Quay",
        designer="the gemserver project",
        year=2026,
        version=1,
        min_seats=2,
        max_seats=5,
        max_plies=ROUNDS * 2 * 5,
        options=(Option("harbour", tuple(FLOODED), "storm: five fields of the quay are under water"),),
        contests=(Message("round {}"),),
        summary=Message("Outbid the others for goods, and stack them well"),
        usual_moves=10,
        weight="light",
        has_sealed_picks=True,
        has_hidden=True,
    )
    state_type = State

    def deal(self, *, seats: int, options: Options, chance: Chance) -> State:
        cards, bag, places = (
            list(CARDS),
            [good for good in GOODS for _ in range(EACH)],
            list(range(len(FIELDS))),
        )
        for drawn in (cards, bag, places):
            chance.shuffle(drawn)
        return _begin(seats, cards, bag, places[: FLOODED[options["harbour"]]])

    def deal_explicit(self, *, seats: int, options: Options, deal: str, first: Seat) -> State:
        match deal.lower().split():
            case ["cards", numbers, "goods", codes, "water", names]:
                cards = [int(number) for number in numbers.split(",") if number.isdecimal()]
                bag = [CODES.get(codes[place : place + 2], "") for place in range(0, len(codes), 2)]
                flooded = [FIELDS.index(name) for name in names.split(",") if name in FIELDS]
                is_whole = sorted(cards) == list(CARDS) and Counter(bag) == dict.fromkeys(GOODS, EACH)
                if is_whole and len(set(flooded)) == FLOODED[options["harbour"]]:
                    return _begin(seats, cards, bag, flooded)
        raise InvalidMove(
            "bad-deal",
            "A deal of Quay has all 40 cards, 28 goods and the fields under water: cards 3,17,… goods tesipe… water -",
        )

    def write_deal(self, state: State) -> str:
        cards = ",".join(map(str, [card for hand in state.hands for card in hand] + list(state.unused)))
        goods = "".join(good[:2] for good in (*state.market, *state.bag))
        water = ",".join(name for name, lying in zip(FIELDS, state.quay, strict=True) if lying == WATER)
        return f"cards {cards} goods {goods} water {water or '-'}"

    def waiting_on(self, state: State) -> frozenset[Seat]:
        if _is_over(state):
            return frozenset()
        if state.order:
            return frozenset(state.order[:1])
        return frozenset(seat for seat, pick in enumerate(state.picks) if pick is None)

    def legal_moves(self, state: State, seat: Seat) -> Iterator[Move]:
        if state.order:
            if seat == state.order[0]:
                for good in _list_goods(state):
                    for name, lying in zip(FIELDS, state.quay, strict=True):
                        if not lying:
                            yield Load(good, name)
        elif not _is_over(state):
            yield from map(Offer, state.hands[seat])

    def apply(self, state: State, seat: Seat, move: Move, chance: Chance) -> Step[State]:
        expect_running(is_over=_is_over(state))
        return _offer(state, seat, move) if isinstance(move, Offer) else _load(state, seat, move)

    def outcome(self, state: State) -> Outcome | None:
        return Outcome(state.points, tuple(self.ranks(state))) if _is_over(state) else None

    def standing(self, state: State) -> Sequence[int]:
        return state.points

    def ranks(self, state: State) -> Sequence[int]:
        return _rank(state)

    def view(self, state: State, seat: Seat | None) -> View:
        return View(
            reader=seat,
            round=state.round,
            hand=() if seat is None else state.hands[seat],
            pick=None if seat is None else state.picks[seat],
            market=state.market,
            shown=state.shown,
            order=state.order,
            quay=state.quay,
            points=state.points,
            ranks=_rank(state),
            waiting=tuple(sorted(self.waiting_on(state))),
        )

    def context(self, state: State) -> str | None:
        return None if _is_over(state) else f"round {state.round}"

    def bidders(self, state: State) -> frozenset[Seat]:
        """All lay a card at once; who loads is asked in turn, though the round goes on."""
        return frozenset() if state.order or _is_over(state) else frozenset(range(len(state.hands)))

    def default_move(self, state: State, seat: Seat) -> Move:
        return next(self.legal_moves(state, seat))

    def forced_move(self, state: State) -> tuple[Seat, Move] | None:
        """Only loading is ever forced: that a card is laid at all would tell of a hand, in a game that deals others."""
        return find_only_move(self, state, state.order[0]) if state.order else None

    def resample(self, state: State, seat: Seat | None, chance: Chance) -> State:
        """Redraw the other hands, the cards that nobody holds, the bag, and the picks of others."""
        hands = [hand if holder == seat else () for holder, hand in enumerate(state.hands)]
        theirs = [card for holder, hand in enumerate(state.hands) if holder != seat for card in hand]
        cards = sorted([*state.unused, *theirs])
        chance.shuffle(cards)
        for holder, hand in enumerate(state.hands):
            if holder != seat:
                hands[holder] = tuple(sorted(cards[: len(hand)]))
                del cards[: len(hand)]
        bag = sorted(state.bag)
        chance.shuffle(bag)
        picks = [
            pick if pick is None or holder == seat else hands[holder][chance.below(len(hands[holder]))]
            for holder, pick in enumerate(state.picks)
        ]
        return replace(state, hands=tuple(hands), unused=tuple(cards), bag=tuple(bag), picks=tuple(picks))

    def write(self, move: Move) -> str:
        return f"offer {move.card}" if isinstance(move, Offer) else f"load {move.good} {move.field}"

    def parse(self, state: State, seat: Seat, text: str) -> Move:
        """Read a move of either half of a round: a plan may hold one for later."""
        verb, *rest = split_line(text)
        verb = read_word(verb, ["load" if state.order else "offer"], known=["load", "offer"])
        if verb == "offer":
            if not rest:
                raise InvalidMove("no-card", "Say which card you lay: offer 17.")
            refuse_rest(rest[1:])
            return Offer(read_number(rest[0]))
        if len(rest) < 2:
            raise InvalidMove("no-field", "Say which good you take, and where it goes: load tea b3.")
        refuse_rest(rest[2:])
        good, field = read_word(rest[0], _list_goods(state), known=GOODS), rest[1]
        if field not in FIELDS:
            raise InvalidMove("no-such-field", "The fields are called a1 to f6. Write one of them.")
        return Load(good, field)

    def steps(self, state: State, seat: Seat, partial: str) -> Sequence[Choice]:
        moves = list(self.legal_moves(state, seat))
        if not partial and state.order:
            goods = dict.fromkeys(move.good for move in moves if isinstance(move, Load))
            return [Choice(f"load {good}", Message(good), complete=False) for good in goods]
        begun = "" if not partial else " ".join(split_line(partial)) + " "
        going_on = [self.write(move) for move in moves if self.write(move).startswith(begun)]
        if partial and not going_on:
            self.parse(state, seat, partial)
        return [
            Choice(text, Message("{part}", {"part": text.split()[-1]}), complete=True) for text in going_on
        ]

    def random_move(self, state: State, seat: Seat, chance: Chance) -> Move:
        moves = list(self.legal_moves(state, seat))
        return moves[chance.below(len(moves))]


def _begin(seats: int, cards: Sequence[int], bag: Sequence[str], flooded: Sequence[int]) -> State:
    hands = [tuple(sorted(cards[ROUNDS * seat : ROUNDS * (seat + 1)])) for seat in range(seats)]
    return State(
        round=1,
        hands=tuple(hands),
        unused=tuple(cards[ROUNDS * seats :]),
        bag=tuple(bag[seats:]),
        market=tuple(bag[:seats]),
        picks=(None,) * seats,
        shown=(None,) * seats,
        order=(),
        quay=tuple(WATER if place in flooded else "" for place in range(len(FIELDS))),
        points=(0,) * seats,
    )


def _is_over(state: State) -> bool:
    return state.round > ROUNDS


def _rank(state: State) -> tuple[int, ...]:
    return rank_seats([(points,) for points in state.points])


def _list_goods(state: State) -> list[str]:
    return [good for good in GOODS if good in state.market]


def _offer(state: State, seat: Seat, move: Offer) -> Step[State]:
    if state.order:
        raise IllegalMove("loading", "Goods are loaded now. Lay a card when the next round begins.")
    if move.card not in state.hands[seat]:
        raise IllegalMove("not-held", "You do not hold {card}. Lay a card of your hand.", card=move.card)
    is_changed = state.picks[seat] is not None
    picks = [move.card if other == seat else pick for other, pick in enumerate(state.picks)]
    told = [] if is_changed else [Event("laid", seat)]
    shown = [pick for pick in picks if pick is not None]
    if len(shown) < len(picks):
        told.append(Event("pick", seat, {"card": move.card}, audience=frozenset((seat,))))
        return Step(replace(state, picks=tuple(picks)), tuple(told), sealed=True)
    order = sorted(range(len(shown)), key=lambda seat: -shown[seat])
    hands = [tuple(card for card in hand if card not in shown) for hand in state.hands]
    after = replace(
        state, hands=tuple(hands), picks=(None,) * len(shown), shown=tuple(shown), order=tuple(order)
    )
    return Step(after, (*told, *[Event("shown", seat, {"card": shown[seat]}) for seat in order]))


def _load(state: State, seat: Seat, move: Load) -> Step[State]:
    if not state.order:
        raise IllegalMove("laying", "Cards are laid now. Lay one of yours first.")
    expect_turn(seat, state.order[0], is_over=False)
    if move.good not in state.market:
        raise IllegalMove("not-there", "{good} is not on the market. Take what lies there.", good=move.good)
    place = FIELDS.index(move.field)
    if state.quay[place]:
        raise IllegalMove("not-free", "{field} is not free. Choose another field.", field=move.field)
    gain = count_points(state.quay, move.good, place)
    market = list(state.market)
    market.remove(move.good)
    points = [had + gain if other == seat else had for other, had in enumerate(state.points)]
    after = replace(
        state,
        market=tuple(market),
        order=state.order[1:],
        quay=(*state.quay[:place], move.good, *state.quay[place + 1 :]),
        points=tuple(points),
    )
    told = [Event("load", seat, {"good": move.good, "field": move.field, "gain": gain})]
    if not after.order:
        after = _end_round(after)
        if _is_over(after):
            told.append(Event("over", None, {"scores": points, "ranks": list(_rank(after))}))
        else:
            told.append(Event("round", None, {"round": after.round, "goods": list(after.market)}))
    return Step(after, tuple(told))


def _end_round(state: State) -> State:
    seats = len(state.hands) if state.round < ROUNDS else 0
    return replace(state, round=state.round + 1, market=state.bag[:seats], bag=state.bag[seats:])
