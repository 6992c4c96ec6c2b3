"""Describes moves as players do: sizes, cards, and junctions by the squares that meet there."""

from __future__ import annotations

from collections.abc import Iterator

from games.contract import Seat
from games.jewellers.components import COLOUR_NAMES, COLOURS, SIZES, VALUES
from games.jewellers.notation import write
from games.jewellers.rules import RULES
from games.jewellers.state import Bid, Cards, Draw, Pass, Place, State, Stay, leading_total
from games.phrases.described import NEVER, Described, Step, Traits, in_any_order
from games.phrases.described_auctions import describe_dislike, name_dislike, name_leaving, name_ranks

_SIZE, _CARDS, _PASS, _STAY, _COLUMNS, _ROWS = (
    frozenset([part]) for part in ("size", "cards", "pass", "stay", "columns", "rows")
)
_NOTHING = frozenset[str]()
_SILVER = dict.fromkeys(("silver", "tower", "move"), _NOTHING)


def describe(state: State | None, seat: Seat) -> Iterator[Described]:
    """The legal moves of the seat with what players say of them."""
    if state is None:
        return
    moves = [*RULES.legal_moves(state, seat)]
    for move in moves:
        match move:
            case Draw(size):
                named = dict.fromkeys([size, *_sure_colour(state, size)], _SIZE)
                step = Step(named, _SIZE, {"draw": _NOTHING})
            case Bid(cards):
                step = _describe_bid(cards, state.hands[seat])
                total, leading = sum(state.table[seat]) + sum(cards), leading_total(state)
                if leading and total == leading + 1:
                    by_one = Step(
                        dict.fromkeys(map(str, (*cards, total)), _NOTHING),
                        _CARDS,
                        {"one-more": _CARDS, "bid": _NOTHING},
                    )
                    yield Described(write(move), [by_one], with_verb=0, alone=0)
                if leading and total == leading + 1:  # *5 and 9, one more than her*
                    told = Step(step.traits, step.needs, {**step.anywhere, "one-more": _NOTHING})
                    yield Described(write(move), [told], with_verb=0, alone=0)
                yield _describe_ranks(write(move), cards, state.hands[seat])
                if cards == state.hands[seat]:
                    yield _describe_every(write(move), cards)
            case Pass():
                leaving = dict.fromkeys(name_leaving(), _PASS) | dict.fromkeys(name_dislike(), _NOTHING)
                step = Step(_name_gem(state.gem) | leaving, _PASS, {"pass": _PASS})
                yield describe_dislike(write(move))
            case Place(junction):
                step = Step(_name_junction(junction), _COLUMNS | _ROWS, _SILVER)
            case Stay():
                step = Step(
                    _name_junction(state.tower) if state.tower else {}, _STAY, {**_SILVER, "stay": _STAY}
                )
            case _:
                continue
        declines, has_place = isinstance(move, Pass | Stay), isinstance(move, Place)
        yield Described(
            write(move),
            [step],
            declines,
            with_verb=0 if declines else NEVER if isinstance(move, Bid) else 1,
            alone=2 if has_place else 1 if isinstance(move, Pass | Draw) else NEVER,
            laid=sum(state.table[seat]) if isinstance(move, Bid) else 0,
            leading=(leading_total(state) or None) if isinstance(move, Bid) else None,
            targets=frozenset(_name_gem(state.gem)) if isinstance(move, Bid | Pass) else frozenset(),
        )


def _describe_ranks(move: str, cards: Cards, hand: Cards) -> Described:
    """Name the cards of a bid by their rank, or as all that are left."""
    parts = frozenset(map(str, cards))
    traits = dict.fromkeys(name_ranks(cards, hand), parts)
    anywhere = {"bid": _NOTHING, **({"cards": _NOTHING} if len(cards) > 1 else {})}
    if cards == hand:
        anywhere["whole"] = parts
        count = len(hand)
        traits |= dict.fromkeys((f"{count}", f"all {count}"), _NOTHING)
    is_all = cards == hand
    step = Step(traits, parts, anywhere)
    return Described(move, [step], with_verb=0 if is_all else 1, alone=1, needs_no_article=True)


def _describe_every(move: str, hand: Cards) -> Described:
    """Name a bid of all cards by their number: *I add all three*."""
    parts = frozenset(map(str, hand))
    step = Step({str(len(hand)): _NOTHING}, parts, {"all": parts, "cards": _NOTHING, "bid": _NOTHING})
    return Described(move, [step], with_verb=1)


def _sure_colour(state: State, size: str) -> list[str]:
    """The colour of the one gem of a size that is left, where no other size has it: it can be drawn by that name."""
    left = dict(zip(SIZES, state.bag, strict=True))
    others = {colour for other, colours in left.items() if other != size for colour in colours}
    return [COLOUR_NAMES[colour] for colour in left[size] if len(left[size]) == 1 and colour not in others]


def _name_gem(gem: str | None) -> Traits:
    """Name the gem that is auctioned by its colour and size."""
    if gem is None:
        return {}
    colour, size = COLOUR_NAMES[gem[0]], next(size for size in SIZES if size[0] == gem[1])
    return dict.fromkeys([colour, size, *in_any_order(size, colour)], _NOTHING)


def _describe_bid(cards: Cards, hand: Cards) -> Step:
    """Name each card, or all of them."""
    traits = {
        name: frozenset([str(card)]) for card in cards for name in (f"{card}", f"card {card}", f"{card} card")
    }
    if len(cards) > 1:
        traits |= {f"cards {card}": frozenset([str(card)]) for card in cards}
    verbs = {"bid": _NOTHING}
    if len(cards) == len(hand) > 1:
        count = len(hand)
        traits |= dict.fromkeys([f"all {count}", f"all {count} cards"], frozenset(map(str, cards)))
        verbs["all"] = frozenset(map(str, cards))
        traits |= {"cards": _NOTHING}
    return Step(traits, frozenset(map(str, cards)), verbs)


def _name_junction(junction: str) -> Traits:
    """Name a junction by its code, or by the two columns and the two rows that meet there."""
    letter, value = junction[0], int(junction[1:])
    codes = (junction.lower(), f"{letter.lower()} {value}", f"{COLOUR_NAMES[letter]} {value}")
    columns = [COLOUR_NAMES[each] for each in COLOURS[COLOURS.index(letter) :][:2]]
    rows = [str(each) for each in VALUES[VALUES.index(value) :][:2]]
    named = [each for row in in_any_order(*rows) for each in (row, f"row {row}")]
    return {
        **dict.fromkeys(codes, _COLUMNS | _ROWS),
        **dict.fromkeys(in_any_order(*columns), _COLUMNS),
        **dict.fromkeys(named, _ROWS),
    }
