"""Checks and plays GEM's moves; paragraph numbers refer to RULES.md.

The caller has checked that the match runs and that the seat to act is the one that moves.
"""

from __future__ import annotations

from games.contract import Event, IllegalMove, Json, Seat, Step
from games.fields import replace
from games.gem.components import COINS, DAYS
from games.gem.payment import cheapest_payment, is_superfluous, jewel_cards, sort_pieces, total_cost, worth
from games.gem.scoring import rank_active, score_active
from games.gem.state import Phase, Pieces, State, leading_bid, leading_call


def play_bid(state: State, amount: int) -> Step[State]:
    """Bid more than the leading bid and within the seat's means (paragraphs 8, 9 and 12)."""
    _expect(state, Phase.BID)
    lead, most = leading_bid(state.calls), worth(state.active[state.turn])
    if amount <= lead:
        raise IllegalMove(
            "too-low",
            "{amount} does not beat the leading bid of {lead}. Bid more, or pass.",
            amount=amount,
            lead=lead,
        )
    if amount > most:
        raise IllegalMove(
            "too-high",
            "{amount} is more than you can pay: your active coins and cards are worth {most}.",
            amount=amount,
            most=most,
        )
    return _call(state, amount, Event("bid", state.turn, {"amount": amount}))


def play_pass(state: State) -> Step[State]:
    """Pass, which the Oya may not (paragraph 8)."""
    _expect(state, Phase.BID)
    if not state.calls:
        raise IllegalMove("oya-must-bid", "The Oya cannot pass. Bid 0 or more.")
    return _call(state, None, Event("pass", state.turn))


def _call(state: State, call: int | None, event: Event) -> Step[State]:
    calls = (*state.calls, call)
    seats = len(state.active)
    if len(calls) < seats:
        return Step(replace(state, calls=calls, turn=_next(state, state.turn)), (event,))
    winner = (state.oya + leading_call(calls)) % seats
    won = Event("won", winner, {"bid": leading_bid(calls)})
    return Step(replace(state, calls=calls, phase=Phase.TAKE, turn=winner), (event, won))


def play_take(state: State, card: str, pay: Pieces) -> Step[State]:
    """Pay as the winner and take an open card (paragraphs 10 and 13 to 16)."""
    _expect(state, Phase.TAKE)
    seat, bid = state.turn, leading_bid(state.calls)
    if card not in state.open:
        raise IllegalMove(
            "not-open",
            "{card} is not open today. You can take: {open}.",
            card=card,
            open=" ".join(state.open),
        )
    active, inactive = _pay(state, seat, pay, bid, f"take {card}")
    comes_active = state.day == DAYS
    if comes_active:
        active = sort_pieces((*active, card))
    else:
        inactive = sort_pieces((*inactive, card))
    data: dict[str, Json] = {"card": card, "bid": bid, "pay": pay, "active": comes_active}
    taken = replace(
        state,
        active=_replace_at(state.active, seat, active),
        inactive=_replace_at(state.inactive, seat, inactive),
        open=tuple(code for code in state.open if code != card),
        buyer=seat,
        calls=(),
    )
    return _after_sale(taken, seat, Event("take", seat, data))


def _after_sale(state: State, buyer: Seat, event: Event) -> Step[State]:
    """Open the next auction, or the day's investments when the last card is sold (paragraphs 11 and 17)."""
    if not state.open:
        opened = Event("investments", buyer, {"day": state.day})
        return Step(replace(state, phase=Phase.INVEST, turn=buyer), (event, opened))
    oya = _next(state, buyer)
    auction = state.auction + 1
    opened = Event("auction", oya, {"day": state.day, "auction": auction})
    return Step(replace(state, phase=Phase.BID, auction=auction, oya=oya, turn=oya), (event, opened))


def play_invest(state: State, cards: Pieces, pay: Pieces) -> Step[State]:
    """Activate inactive cards for one payment (paragraphs 17 and 18)."""
    _expect(state, Phase.INVEST)
    seat = state.turn
    inactive = jewel_cards(state.inactive[seat])
    for place, card in enumerate(cards):
        if card not in inactive or card in cards[:place]:
            raise IllegalMove(
                "not-inactive",
                "{card} is not one of your inactive cards, or it is named twice. You have: {cards}.",
                card=card,
                cards=" ".join(inactive) or "-",
            )
    active, spent = _pay(state, seat, pay, total_cost(cards), " ".join(["invest", *cards]))
    invested = replace(
        state,
        active=_replace_at(state.active, seat, sort_pieces((*active, *cards))),
        inactive=_replace_at(state.inactive, seat, tuple(code for code in spent if code not in cards)),
    )
    return _after_investment(invested, Event("invest", seat, {"cards": cards, "pay": pay}))


def play_keep(state: State) -> Step[State]:
    """Invest nothing (paragraph 17)."""
    _expect(state, Phase.INVEST)
    return _after_investment(state, Event("keep", state.turn))


def _after_investment(state: State, event: Event) -> Step[State]:
    """Go on to the next seat's investment; after the last one the day ends (paragraphs 17, 19 and 20)."""
    following = _next(state, state.turn)
    if following != state.buyer:
        return Step(replace(state, turn=following), (event,))
    last_buyer = following
    rested = _wake_coins(state)
    if not state.piles:
        scores, ranks = score_active(rested.active), rank_active(rested.active)
        over = Event("over", None, {"scores": scores, "ranks": ranks})
        return Step(replace(rested, phase=Phase.OVER), (event, over))
    oya = _next(state, last_buyer)
    day = state.day + 1
    morning = replace(
        rested,
        phase=Phase.BID,
        day=day,
        auction=1,
        oya=oya,
        turn=oya,
        buyer=None,
        open=state.piles[0],
        piles=state.piles[1:],
    )
    return Step(morning, (event, Event("day", oya, {"day": day, "cards": morning.open})))


def _wake_coins(state: State) -> State:
    """Make all coins active again and leave jewel cards as they are (paragraph 19)."""
    return replace(
        state,
        active=tuple(COINS + tuple(code for code in pieces if code not in COINS) for pieces in state.active),
        inactive=tuple(tuple(code for code in pieces if code not in COINS) for pieces in state.inactive),
    )


def _pay(state: State, seat: Seat, pay: Pieces, cost: int, order: str) -> tuple[Pieces, Pieces]:
    """Return the seat's active and inactive pieces after this payment (paragraphs 13 and 14)."""
    active = state.active[seat]
    for place, piece in enumerate(pay):
        if piece not in active or piece in pay[:place]:
            raise IllegalMove(
                "not-active",
                "{piece} is not one of your active pieces, or it is named twice. You have: {active}.",
                piece=piece,
                active=" ".join(active) or "-",
            )
    if cost and not pay:
        raise IllegalMove(
            "too-little",
            "You owe {cost} and have named no payment. Add “pay” and your coins or cards.",
            cost=cost,
        )
    paid = worth(pay)
    if paid < cost:
        raise IllegalMove(
            "too-little", "You pay {paid}, but owe {cost}. Pay with more pieces.", paid=paid, cost=cost
        )
    if is_superfluous(pay, cost):
        smaller = cheapest_payment(pay, cost)
        raise IllegalMove(
            "superfluous",
            "You owe {cost} and would pay {paid}; fewer pieces are enough. Write: {order}",
            cost=cost,
            paid=paid,
            order=" ".join([order, "pay", *smaller]) if smaller else order,
        )
    if not pay:
        return active, state.inactive[seat]
    left = tuple(piece for piece in active if piece not in pay)
    return left, sort_pieces(state.inactive[seat] + pay)


def _expect(state: State, phase: Phase) -> None:
    if state.phase is phase:
        return
    match state.phase:
        case Phase.BID:
            raise IllegalMove("wrong-phase", "An auction is going on: bid or pass.")
        case Phase.TAKE:
            raise IllegalMove("wrong-phase", "You have won the auction: take a card and pay for it.")
        case _:
            raise IllegalMove("wrong-phase", "The day's investments are going on: invest or keep.")


def _next(state: State, seat: Seat) -> Seat:
    """Return the seat to the left."""
    return (seat + 1) % len(state.active)


def _replace_at(all_pieces: tuple[Pieces, ...], seat: Seat, pieces: Pieces) -> tuple[Pieces, ...]:
    return (*all_pieces[:seat], pieces, *all_pieces[seat + 1 :])
