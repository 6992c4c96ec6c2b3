"""Checks and plays the moves of Jewellers; paragraph numbers refer to RULES.md.

The caller has checked that the match runs and that the seat to act is the one that moves.
"""

from __future__ import annotations

from games.contract import Event, IllegalMove, Seat, Step
from games.fields import replace
from games.jewellers.bidding import cheapest_set
from games.jewellers.components import JUNCTIONS, SIZES, TOUCHED
from games.jewellers.scoring import rank_seats_now, score_seats_now
from games.jewellers.state import (
    Cards,
    Phase,
    Sale,
    State,
    gem_number,
    leading_total,
    must_open,
    silver_left,
    takes_part,
)


def play_draw(state: State, size: str) -> Step[State]:
    """Draw a gem; the first seat from the starter on that holds cards opens (paragraphs 6, 7, 10)."""
    _expect(state, Phase.DRAW)
    place = SIZES.index(size) if size in SIZES else -1
    if place < 0 or not state.bag[place]:
        raise IllegalMove(
            "size-gone",
            "There is no {size} gem left in the bag. You can draw: {sizes}.",
            size=size,
            sizes=", ".join(size for size, colours in zip(SIZES, state.bag, strict=True) if colours),
        )
    colour, *rest = state.bag[place]
    gem = colour + size[0]
    bag = (*state.bag[:place], tuple(rest), *state.bag[place + 1 :])
    drawn = Event("draw", state.turn, {"gem": gem, "number": gem_number(state)})
    opener = _find_next(state, state.starter - 1)
    if opener is None:
        return _end_auction(replace(state, gem=gem, bag=bag), (drawn,))
    return Step(replace(state, phase=Phase.BID, gem=gem, bag=bag, turn=opener), (drawn,))


def play_bid(state: State, cards: Cards) -> Step[State]:
    """Bid cards from the hand that take the seat's total above the leading one (paragraphs 8 and 9)."""
    _expect(state, Phase.BID)
    seat = state.turn
    hand = state.hands[seat]
    if not cards or len(set(cards)) < len(cards) or not set(cards).issubset(hand):
        raise IllegalMove(
            "not-in-hand",
            "Name cards that are in your hand, each one once. You have: {hand}.",
            hand=_write(hand),
        )
    lead = leading_total(state)
    total = sum(state.table[seat]) + sum(cards)
    if total <= lead:
        raise IllegalMove(
            "too-low",
            "That makes {total} and does not beat the leading total of {lead}. Add more, or pass.",
            total=total,
            lead=lead,
        )
    bid = replace(
        state,
        hands=_replace_at(state.hands, seat, tuple([card for card in hand if card not in cards])),
        table=_replace_at(state.table, seat, tuple(sorted(state.table[seat] + cards))),
        leader=seat,
    )
    return _go_on(bid, Event("bid", seat, {"cards": cards, "total": total}))


def play_up_to(state: State, limit: int) -> Step[State]:
    """Make the cheapest bid within the limit (paragraph 22)."""
    _expect(state, Phase.BID)
    cards = cheapest_set(state, state.turn, limit)
    if cards is None:
        raise IllegalMove(
            "no-bid-within",
            "With your cards you cannot beat {lead} and stay at {limit} or below. Go higher, or pass.",
            lead=leading_total(state),
            limit=limit,
        )
    return play_bid(state, cards)


def play_pass(state: State) -> Step[State]:
    """Pass for the rest of the auction; a starter who holds cards has to open (paragraphs 7 and 9)."""
    _expect(state, Phase.BID)
    if must_open(state, state.turn):
        raise IllegalMove(
            "must-open",
            "You start this round and cannot pass. Bid one card or more; you have: {hand}.",
            hand=_write(state.hands[state.turn]),
        )
    return _go_on(replace(state, passed=(*state.passed, state.turn)), Event("pass", state.turn))


def play_place(state: State, junction: str) -> Step[State]:
    """Put the tower on a junction, for the first time or again (paragraphs 15 and 17)."""
    if state.phase is not Phase.PLACE:
        _expect(state, Phase.MOVE)
    if junction not in JUNCTIONS:
        raise IllegalMove(
            "no-junction",
            "{junction} is no junction of the plan. Choose one of: {junctions}.",
            junction=junction,
            junctions=" ".join(JUNCTIONS),
        )
    placed = replace(state, phase=Phase.DRAW, turn=state.starter, tower=junction)
    return Step(placed, (Event("tower", state.turn, {"junction": junction, "left": silver_left(state)}),))


def play_stay(state: State) -> Step[State]:
    """Leave the rest of the tower where it is (paragraph 17)."""
    if state.phase is Phase.PLACE:
        raise IllegalMove("no-tower-yet", "The tower has no place yet. Choose one, for example: silver R3")
    _expect(state, Phase.MOVE)
    stayed = replace(state, phase=Phase.DRAW, turn=state.starter)
    return Step(stayed, (Event("stay", state.turn, {"junction": state.tower}),))


def _go_on(state: State, event: Event) -> Step[State]:
    """Ask the next seat, unless the auction is decided."""
    following = _find_next(state, state.turn)
    if following is None or following == state.leader:
        return _end_auction(state, (event,))
    return Step(replace(state, turn=following), (event,))


def _find_next(state: State, seat: Seat) -> Seat | None:
    """The next seat clockwise that takes part in the auction and has not passed.

    It is the seat itself when nobody else is left, and None when it has passed too.
    """
    seats = len(state.hands)
    for step in range(1, seats + 1):
        other = (seat + step) % seats
        if other not in state.passed and takes_part(state, other):
            return other
    return None


def _end_auction(state: State, events: tuple[Event, ...]) -> Step[State]:
    """Sell the gem, if anybody has bid, and find the starter of the next round (paragraphs 11 to 13)."""
    gem, buyer = state.gem, state.leader
    assert gem is not None
    seats = len(state.hands)
    paid = () if buyer is None else state.table[buyer]
    back = [() if seat == buyer else state.table[seat] for seat in range(seats)]
    gets_silver = buyer is not None and state.tower is not None and gem in TOUCHED[state.tower]
    if buyer is None:
        ended = Event("unsold", None, {"gem": gem})
    else:
        ended = Event("sold", buyer, {"gem": gem, "cards": paid, "total": sum(paid)})
    closed = replace(
        state,
        starter=state.passed[0] if state.passed else (state.starter + 1) % seats,
        gem=None,
        hands=tuple([tuple(sorted(hand + cards)) for hand, cards in zip(state.hands, back, strict=True)]),
        table=((),) * seats,
        passed=(),
        leader=None,
        sales=(*state.sales, Sale(gem, buyer, paid)),
    )
    if buyer is not None and gets_silver:
        return _hand_out_silver(closed, buyer, (*events, ended))
    return _open_round(closed, (*events, ended))


def _hand_out_silver(state: State, buyer: Seat, events: tuple[Event, ...]) -> Step[State]:
    """Give the top piece of the tower to the buyer, who may move the rest (paragraphs 16 and 17)."""
    taken = replace(state, silver=(*state.silver, buyer))
    events = (*events, Event("silver", buyer, {"piece": len(state.silver)}))
    if not silver_left(taken):
        return _open_round(replace(taken, tower=None), events)
    if not any(taken.bag):
        return _open_round(taken, events)
    return Step(replace(taken, phase=Phase.MOVE, turn=buyer), events)


def _open_round(state: State, events: tuple[Event, ...]) -> Step[State]:
    """Go on to the next draw, or end the match after the last gem (paragraph 18)."""
    if any(state.bag):
        return Step(replace(state, phase=Phase.DRAW, turn=state.starter), events)
    over = Event("over", None, {"scores": score_seats_now(state), "ranks": rank_seats_now(state)})
    return Step(replace(state, phase=Phase.OVER), (*events, over))


def _expect(state: State, phase: Phase) -> None:
    if state.phase is phase:
        return
    match state.phase:
        case Phase.PLACE:
            raise IllegalMove(
                "wrong-phase",
                "Before the first gem is drawn, place the silver tower: silver R3, for example.",
            )
        case Phase.DRAW:
            raise IllegalMove("wrong-phase", "Next a gem is drawn. Choose its size, for example: draw small")
        case Phase.MOVE:
            raise IllegalMove(
                "wrong-phase", "First move the rest of the silver tower, or leave it: silver stay"
            )
        case _:
            raise IllegalMove("wrong-phase", "An auction is going on: bid or pass.")


def _write(cards: Cards) -> str:
    return " ".join([str(card) for card in cards]) or "-"


def _replace_at(all_cards: tuple[Cards, ...], seat: Seat, cards: Cards) -> tuple[Cards, ...]:
    return (*all_cards[:seat], cards, *all_cards[seat + 1 :])
