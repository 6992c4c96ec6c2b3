"""What players say of a move besides its notation: sizes, cards, and junctions by the squares that meet there."""

from __future__ import annotations

from collections.abc import Iterator

from games.contract import Seat
from games.describing import Described, Step, in_any_order
from games.jewellers.components import COLOUR_NAMES, COLOURS, VALUES
from games.jewellers.notation import write
from games.jewellers.rules import RULES
from games.jewellers.state import Bid, Cards, Draw, Pass, Place, State, Stay

_SIZE, _PASS, _STAY, _PLACE = (frozenset([part]) for part in ("size", "pass", "stay", "place"))
_NOTHING = frozenset[str]()
_SILVER = dict.fromkeys(("silver", "tower", "move"), _NOTHING)


def describe(state: State | None, seat: Seat) -> Iterator[Described]:
    """The legal moves of the seat with what players say of them."""
    if state is None:
        return
    for move in RULES.legal_moves(state, seat):
        match move:
            case Draw(size):
                step = Step({size: _SIZE}, _SIZE, {"draw": _NOTHING})
            case Bid(cards):
                step = _describe_bid(cards, state.hands[seat])
            case Pass():
                step = Step({}, _PASS, {"pass": _PASS})
            case Place(junction):
                step = Step(dict.fromkeys(_name_junction(junction), _PLACE), _PLACE, _SILVER)
            case Stay():
                here = _name_junction(state.tower) if state.tower else ()
                step = Step(dict.fromkeys(here, _NOTHING), _STAY, {**_SILVER, "stay": _STAY})
            case _:
                continue
        declines, is_draw = isinstance(move, Pass | Stay), isinstance(move, Draw)
        yield Described(write(move), [step], declines, with_verb=0 if is_draw else 1, alone=0)


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


def _name_junction(junction: str) -> Iterator[str]:
    """Name a junction by its code, or by the two columns and the two rows that meet there."""
    letter, value = junction[0], int(junction[1:])
    yield from (junction.lower(), f"{letter.lower()} {value}", f"{COLOUR_NAMES[letter]} {value}")
    columns = [COLOUR_NAMES[each] for each in COLOURS[COLOURS.index(letter) :][:2]]
    rows = [str(each) for each in VALUES[VALUES.index(value) :][:2]]
    for column in in_any_order(*columns):
        for row in in_any_order(*rows):
            yield from in_any_order(column, row)
            yield from (f"{column} row {row}", f"row {row} {column}")
