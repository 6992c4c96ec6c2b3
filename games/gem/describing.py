"""Describes moves as players do: cards by their jewels, coins by their size, bids by the last one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

from games.contract import Seat
from games.gem.components import COINS, COST, JEWELS, KIND_NAMES, VALUE
from games.gem.notation import write
from games.gem.payment import worth
from games.gem.rules import RULES
from games.gem.state import Bid, Invest, Keep, Pass, Pieces, State, Take, leading_bid
from games.phrases.described import NEVER, Described, Step, Traits, in_any_order
from games.phrases.described_auctions import describe_dislike, name_dislike, name_leaving

_ALL, _AMOUNT, _CARD, _INVEST, _KEEP, _PASS, _PAY = (
    frozenset([part]) for part in ("all", "amount", "card", "invest", "keep", "pass", "pay")
)
_NOTHING = frozenset[str]()
_MOST_NAMED = 3
"""Pieces of a payment that are told one by one."""


def describe(state: State | None, seat: Seat) -> Iterator[Described]:
    """The legal moves of the seat with what players say of them."""
    if state is None:
        return
    targets = frozenset(_name_open(state.open))
    moves = [*RULES.legal_moves(state, seat)]
    has_one_bid = sum(isinstance(move, Bid) for move in moves) == 1
    for move in moves:
        match move:
            case Bid():
                yield from _describe_bid(state, seat, move, targets, is_only=has_one_bid)
            case Pass():
                yield _describe_pass(move, targets)
                yield describe_dislike(write(move))
            case Take():
                yield from _describe_take(state, seat, move)
            case Invest():
                paid_so = sum(isinstance(each, Invest) and each.pay == move.pay for each in moves)
                ways = sum(isinstance(each, Invest) and each.cards == move.cards for each in moves)
                yield from _describe_invest(
                    state,
                    seat,
                    move,
                    is_paid_so_alone=len(move.pay) == 1 or paid_so == 1,
                    is_only_payment=ways == 1,
                )
            case Keep():
                yield from _describe_keep(move)


def _describe_bid(
    state: State, seat: Seat, bid: Bid, targets: frozenset[str], *, is_only: bool
) -> Iterator[Described]:
    move, amount = write(bid), bid.amount
    compared = dict.fromkeys(_compare_amount(state, amount), _AMOUNT)
    if whole := _tell_whole(state, seat, amount):
        yield Described(move, [whole], with_verb=0)
    if amount == worth(state.active[seat]) > 0:  # *all five for the diamond*
        every = Step({str(amount): _AMOUNT}, _AMOUNT | _ALL, {"all": _ALL, "bid": _NOTHING})
        yield Described(move, [every], alone=1, targets=targets)
    if state.calls:
        overbid = Step({f"outdo with {amount}": _AMOUNT}, _AMOUNT, {"bid": _NOTHING})
        yield Described(move, [overbid], with_verb=0)
    if "double" in compared and len(_list_bids(state)) == 1:
        yield Described(move, [Step({}, _AMOUNT, {"double": _AMOUNT})], with_verb=0)
    if is_only and state.calls:
        told = dict.fromkeys((str(amount), f"of {leading_bid(state.calls)}"), _NOTHING)
        only = Step(told, _AMOUNT, {"outdo": _AMOUNT})
        yield Described(move, [only], with_verb=0)
    if "least" in compared:
        told = {str(amount): _NOTHING, f"of {leading_bid(state.calls)}": _NOTHING}
        least = Step(told, _AMOUNT, {"outbid": _AMOUNT, "bid": _NOTHING})
        yield Described(move, [least], with_verb=0)
        one_more = Step(told, _AMOUNT, {"one-more": _AMOUNT, "least": _AMOUNT, "bid": _NOTHING})
        yield Described(move, [one_more], with_verb=0, alone=0)
    traits = dict.fromkeys(_name_amount(state, seat, amount), _AMOUNT)
    step = Step(traits, _AMOUNT, {"bid": _NOTHING, **compared})
    leading = leading_bid(state.calls) if state.calls else None
    yield Described(move, [step], declines=amount == 0, with_verb=NEVER, leading=leading, targets=targets)


def _describe_pass(move: Pass, targets: frozenset[str]) -> Described:
    leaving = dict.fromkeys(name_leaving(), _PASS) | dict.fromkeys(name_dislike(), _NOTHING)
    step = Step(leaving, _PASS, {"pass": _PASS})
    return Described(write(move), [step], declines=True, with_verb=0, alone=1, targets=targets)


def _describe_take(state: State, seat: Seat, take: Take) -> Iterator[Described]:
    payment = _name_payment(take.pay, state.active[seat])
    by_number = dict.fromkeys(_name_numbers(take.card, state.open), _CARD)
    yield Described(write(take), [Step(by_number | payment, _CARD, {"take": _NOTHING})], with_verb=1)
    by_name = _name_card(take.card, state.open, _CARD)
    yield Described(write(take), [Step(by_name | payment, _CARD, {"take": _NOTHING})])
    if take.pay and {*take.pay} != {*state.active[seat]}:  # *the big diamond, the two pays* needs no verb
        paid = by_number | by_name | dict.fromkeys(payment, _PAY)
        yield Described(write(take), [Step(paid, _CARD | _PAY)], alone=2, needs_no_article=True)
    if take.pay and len(state.open) == 1:  # nothing but the payment is left to say
        traits = dict.fromkeys([*by_name, "it", "card"], _NOTHING) | dict.fromkeys(payment, _PAY)
        said = (trait.removeprefix("pay ") for trait in payment if trait.startswith("pay "))
        traits |= {name: _PAY for name in said if any(map(str.isalpha, name.split()))}  # `one, two` may count
        step = Step(traits, _PAY, {"take": _NOTHING})
        yield Described(write(take), [step], with_verb=1, alone=1, needs_no_article=True)


def _describe_invest(
    state: State, seat: Seat, invest: Invest, *, is_paid_so_alone: bool, is_only_payment: bool
) -> Iterator[Described]:
    """`is_paid_so_alone`: no other cards can be paid with the same coins, of which *both* may be said too.

    `is_only_payment`: these cards can be paid in no other way.
    """
    cards, inactive, active = invest.cards, state.inactive[seat], state.active[seat]
    payment = _name_payment(invest.pay, active)
    if len(cards) == len(_list_cards(inactive)) > 1:
        count = "both" if len(cards) == 2 else f"all {len(cards)}"
        is_all_paid = sorted(invest.pay) == sorted(active)  # then *all* may be what is paid
        every = dict.fromkeys((count, f"{count} card", "all card"), _INVEST)
        every |= {} if is_all_paid else {"all": _INVEST}
        yield Described(write(invest), [Step(payment | every, _INVEST, {"invest": _NOTHING})], with_verb=1)
        paid = {trait: _PAY for trait in payment if trait.startswith("pay") and any(map(str.isdigit, trait))}
        if count == "both" and is_paid_so_alone:  # *both of them, with the two* needs no verb
            yield Described(write(invest), [Step(paid, _INVEST | _PAY, {"both": _INVEST})], alone=1)
        if is_only_payment:  # *both of them* is all that is left to say
            step = Step(payment | every, _INVEST)
            yield Described(write(invest), [step], alone=1, needs_no_article=True)
    traits = payment
    for card in cards:
        traits = traits | _name_card(card, inactive, frozenset([card]))
        traits |= dict.fromkeys(_name_numbers(card, _list_cards(inactive)), frozenset([card]))
    step = Step(traits, frozenset(cards) | _INVEST, {"invest": _INVEST})
    is_one = len(cards) == 1
    yield Described(write(invest), [step], with_verb=1 if is_one else 2, alone=1 if is_one else NEVER)
    if is_one:  # *the diamond, paid with the one* needs no verb
        paid = traits | dict.fromkeys(payment, _PAY)
        yield Described(write(invest), [Step(paid, frozenset(cards) | _PAY)], alone=2)
        yield Described(write(invest), [Step(traits, frozenset(cards))], alone=1)  # *the green one*


def _describe_keep(move: Keep) -> Iterator[Described]:
    told = {"keep-all": _KEEP, "keep": _NOTHING}
    yield Described(write(move), [Step({}, _KEEP, told)], with_verb=0)
    yield Described(write(move), [Step({}, _KEEP, {"keep": _KEEP})], declines=True)


def _name_open(cards: Pieces) -> Iterator[str]:
    """Name the cards of which the winner of the auction takes one, by code or jewels; several by what they share."""
    yield from ("card", "jewel card")
    for card in cards:
        kinds = [KIND_NAMES[kind] for kind in JEWELS[card]]
        yield from (card.lower(), f"card {card.lower()}", f"{card.lower()} card")
        names = [*kinds, *in_any_order(*kinds), *(f"{count} {kinds[0]}" for count in ("double", "2"))]
        for name in names if len({*kinds}) == 1 else [*kinds, *in_any_order(*kinds)]:
            yield from (name, f"{name} card", f"card {name}")


def _tell_whole(state: State, seat: Seat, amount: int) -> Step | None:
    """Name a bid as all or half of what the seat has, with the number beside it, and that of the pieces."""
    pieces = state.active[seat]
    total, count = worth(pieces), len(pieces)
    told = dict.fromkeys((str(amount), "coin"), _NOTHING)
    if 2 * amount == total > 0:
        return Step(told, _AMOUNT, {"half": _AMOUNT, "bid": _NOTHING})
    if amount != total or not pieces:
        return None
    if {*pieces} <= {*COINS}:
        told |= dict.fromkeys([f"all {count} coin", "all coin"], _AMOUNT)
        told[f"{count} coin"] = _NOTHING
    told |= {"all": _NOTHING, f"all {total}": _AMOUNT, f"all {total} coin": _AMOUNT}
    return Step(told, _AMOUNT, {"whole": _AMOUNT, "bid": _NOTHING})


def _name_amount(state: State, seat: Seat, amount: int) -> Iterator[str]:
    """Name a bid by its number, as everything, or by the only bid that was made so far."""
    yield str(amount)
    if amount == worth(state.active[seat]):
        yield from ("all", f"all {amount}")
    bids = _list_bids(state)
    if len(bids) == 1:
        yield from (
            f"more {amount - bids[0]} somebody",
            f"more somebody {amount - bids[0]}",
            f"more {amount - bids[0]}",
        )


def _compare_amount(state: State, amount: int) -> Iterator[str]:
    """Name a bid by those that were made: as the next, or as twice one of them."""
    if state.calls and amount == leading_bid(state.calls) + 1:
        yield "least"
    if any(0 < 2 * bid == amount for bid in _list_bids(state)):
        yield "double"


def _list_bids(state: State) -> list[int]:
    return [call for call in state.calls if call is not None]


def _name_card(card: str, among: Pieces, parts: frozenset[str]) -> Traits:
    """Name a card by its code, its jewels, or one jewel that no other card shows."""
    names = [card.lower()]
    jewels = JEWELS[card]
    kinds = [KIND_NAMES[kind] for kind in jewels]
    if len(kinds) > 1:
        names += in_any_order(*kinds)
        names += [f"double {kinds[0]}", f"2 {kinds[0]}"] if kinds[0] == kinds[1] else []
    for kind in dict.fromkeys(jewels):
        if sum(kind in JEWELS.get(other, "") for other in among) == 1:
            names += [KIND_NAMES[kind], f"only {KIND_NAMES[kind]}"]
    names += [named for name in names for named in in_any_order("card", name)]
    return dict.fromkeys(names, parts)


def _list_cards(pieces: Pieces) -> Pieces:
    return tuple(piece for piece in pieces if piece in JEWELS)


def _name_numbers(card: str, among: Pieces) -> Iterator[str]:
    """Name a card by its value or its cost, as the cheapest or dearest, or as the biggest or smallest diamond."""
    for word, numbers in (("value", VALUE), ("cost", COST)):
        others = [numbers[other] for other in among if other != card]
        if numbers[card] not in others:
            yield from (f"{word} {numbers[card]}", f"card {word} {numbers[card]}")
    others = [COST[other] for other in among if other != card]
    for word in ("cheap",) if COST[card] < min(others, default=0) else ():
        yield from in_any_order("card", word)
        yield word
    for word in ("dear",) if COST[card] > max(others, default=99) else ():
        yield from in_any_order("card", word)
        yield word
    if len(JEWELS[card]) == 1:
        alike = sorted((other for other in among if JEWELS.get(other) == JEWELS[card]), key=VALUE.__getitem__)
        for word, extreme in (("big", alike[-1]), ("small", alike[0])):
            yield from (f"{word} {KIND_NAMES[kind]}" for kind in JEWELS[card] if card == extreme)
        for kind in JEWELS[card]:
            yield from in_any_order(KIND_NAMES[kind], f"value {VALUE[card]}")
            yield from in_any_order(KIND_NAMES[kind], str(VALUE[card]))


def _name_payment(pay: Pieces, active: Pieces) -> Traits:
    """Name the pieces one by one, the cards by their jewels too, or the coins by their size."""
    orders = [*permutations(pay)] if len(pay) <= _MOST_NAMED else []
    names = [" ".join(order).lower() for order in orders]
    kept: list[str] = []
    if len({*pay} - {*COINS}) == 1:  # of several cards the ways to name them would be thousands
        names += [" ".join(said) for order in orders for said in product(*map(_name_jewels, order))]
    if {*pay} <= {*COINS}:
        coins = [coin for coin in COINS if coin in active]
        names += [named for name in names for named in in_any_order("coin", name)]
        names += [" ".join(f"coin {coin}" for coin in order) for order in orders if len(pay) > 1]
        if len(coins) > 1:
            names += _name_size([*pay], coins)
            kept = [*_name_kept(pay, active)]
    if len(pay) > 1 and str(worth(pay)) not in COINS:  # *paying five* says their sum
        names += [str(worth(pay)), f"coin {worth(pay)}", f"{worth(pay)} coin"]
    if pay and sorted(pay) == sorted(active):
        names += ["all", "all coin", f"all {len(pay)}", f"all {len(pay)} coin", f"{len(pay)} coin", "coin"]
    paid = [each for name in names for each in (f"pay {name}", f"{name} pay")]
    return dict.fromkeys([*paid, *kept], _NOTHING)


def _name_kept(pay: Pieces, active: Pieces) -> Iterator[str]:
    """Name what is paid by the one coin that is kept: *everything except the 1*, *I keep the 2*."""
    left = [piece for piece in active if piece not in pay]
    if len(left) == 1 and len(pay) > 1 and {*active} <= {*COINS}:
        for name in (left[0], f"coin {left[0]}", f"{left[0]} coin"):
            yield from (f"{every} except {name}" for every in ("pay all", "all", "pay all coin", "all coin"))
            yield from (f"keep {name}", f"{name} keep", f"keep {name} pay rest", f"pay rest keep {name}")


def _name_jewels(piece: str) -> Sequence[str]:
    """Name a coin by its value, a card by its jewels."""
    if piece in COINS:
        return [piece]
    kinds = [KIND_NAMES[kind] for kind in JEWELS[piece]]
    jewels = (
        [f"double {kinds[0]}", f"2 {kinds[0]}"] if len(kinds) > len({*kinds}) else [*in_any_order(*kinds)]
    )
    return [each for name in jewels for each in (name, f"card {name}", f"{name} card")]


def _name_size(pay: list[str], coins: list[str]) -> Iterator[str]:
    if pay == coins[-1:]:
        yield from ("big", "big coin")
    if pay == coins[:1]:
        yield from ("small", "small coin")
    if len(coins) > len(pay) == 2:
        for size in ["small"] if pay == coins[:2] else ["big"] if pay == coins[-2:] else []:
            yield from (f"{count} {size}{noun}" for count in ("2", "both") for noun in ("", " coin"))
    if len(coins) == len(pay) == 2:
        yield from ("both coin", "2 coin")
    if len(pay) == 2 < len(coins) and pay == [coins[0], coins[-1]]:
        for one, other in permutations(("big", "small")):
            yield from (
                f"{one} {other}",
                f"{one} {other} coin",
                f"{one} coin {other}",
                f"{one} coin {other} coin",
            )
