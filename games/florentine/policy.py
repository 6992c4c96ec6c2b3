"""A quick player of Florentine Domino: the move that does most for its own rooms and against those of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import inf

from games.chance import Chance
from games.contract import Seat
from games.fields import replace
from games.florentine.evaluation import estimate_room, evaluate, find_chances, survey_room
from games.florentine.rules import RULES
from games.florentine.square import (
    ACROSS,
    CARD_OF,
    CELL_NUMBER,
    CELLS,
    CENTRE,
    GEM_OF,
    LOOKS,
    NEIGHBOURS,
    OUTSIDE,
    SIDES,
    fitting_looks,
    lay_card,
    open_cells,
    turn_card,
)
from games.florentine.state import Discard, Move, Phase, Place, Square, State

HELD = 0.28
"""The worth of a gem before its card is laid: laid where its room hardly ever closes, it is lost."""
DISCARD = 0.2
"""The worth of a discard: it leaves the others nothing to build on, and the card stays there for all."""
RIM = 0.25
"""The worth of a hand card on the rim, above one elsewhere: hardly any cell is opened to the others by it."""

Side = int


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Neighbouring sides of a card that belong to one room, with the gem on them if there is one."""

    colour: str
    sides: tuple[Side, ...]
    gems: int


def choose(state: State, seat: Seat, chance: Chance) -> Move:
    """A move that is worth most to the seat.

    Of equals any: once the pool is open nothing is hidden, and all playouts from a position would else be the same.
    """
    if state.phase is Phase.BLACK:
        return RULES.default_move(state, seat)
    valued = list(_value_placements(state, seat))
    best = max([value for value, _, _ in valued], default=-inf)
    discards = _list_discards(state, seat)
    if discards and best < DISCARD:
        return discards[chance.below(len(discards))]
    equals = [(cell, look) for value, cell, look in valued if value == best]
    return _place(*equals[chance.below(len(equals))])


def suggest(state: State, seat: Seat) -> list[Move]:
    """The seat's moves, the best first; of the black card's edges the one that shuts in most gems."""
    if state.phase is Phase.BLACK:
        return [RULES.default_move(state, seat)]
    now = evaluate(state, seat)
    placements = [_place(cell, look) for _, cell, look in _value_placements(state, seat)]
    moves = [*placements, *_list_discards(state, seat)]
    return sorted(moves, key=lambda move: -_value_whole(state, seat, move, now))


def rank_moves(state: State, seat: Seat) -> list[Move]:
    """The seat's moves by what `choose` sees in them, the best first: quicker than `suggest`, for a tree."""
    if state.phase is Phase.BLACK:
        return [RULES.default_move(state, seat)]
    valued = sorted(_value_placements(state, seat), key=lambda placement: -placement[0])
    placements = [_place(cell, look) for _, cell, look in valued]
    return [*placements, *_list_discards(state, seat)]


def _value_whole(state: State, seat: Seat, move: Move, now: float) -> float:
    """The gain in the evaluation of the whole square: also what a card spoils from afar, for the seat and for others.

    Too slow for playouts, it settles which moves a search compares.
    """
    if not isinstance(move, Place):
        return DISCARD
    cell, look = CELL_NUMBER[move.cell], turn_card(move.card, move.facing)
    square = lay_card(state.square, cell, look)
    laid = HELD * _weigh_colours(state, seat).get(GEM_OF[look], 0.0)
    return evaluate(replace(state, square=square), seat) - now - laid + _value_rim(state, cell)


def _place(cell: int, look: str) -> Place:
    """Put a card on the cell so that it has this look."""
    card = CARD_OF[look]
    return Place(card, CELLS[cell], LOOKS[card][look])


def _list_discards(state: State, seat: Seat) -> list[Move]:
    if state.phase is not Phase.HANDS or not state.square[CENTRE]:
        return []
    return [Discard(card) for card in sorted(state.hands[seat])]


def _value_placements(state: State, seat: Seat) -> Iterator[tuple[float, int, str]]:
    """Every placement, as cell and look, after the seat's gain less that of the others in the mean."""
    square = state.square
    weights = _weigh_colours(state, seat)
    cards = sorted(state.hands[seat] if state.phase is Phase.HANDS else state.pool)
    chances = find_chances(square)
    for cell, need in open_cells(square).items():
        looks = _list_looks(need, state.colours)
        rim = _value_rim(state, cell)
        values: dict[Part, float] = {}
        for card in cards:
            for look, parts in looks.get(card, ()):
                value = 0.0
                for part in parts:
                    if part not in values:
                        values[part] = _value_part(square, cell, part, weights, chances)
                    value += values[part]
                yield value + rim, cell, look


def _weigh_colours(state: State, seat: Seat) -> dict[str, float]:
    """Weigh a gem of each colour for the seat: its own by 1, those of the others together by -1."""
    share = 1 / (len(state.colours) - 1)
    return {colour: 1.0 if other == seat else -share for other, colour in enumerate(state.colours)}


def _value_rim(state: State, cell: int) -> float:
    """The worth of the rim, while there are hands."""
    return RIM if state.phase is Phase.HANDS and len(NEIGHBOURS[cell]) < len(SIDES) else 0.0


def _value_part(
    square: Square, cell: int, part: Part, weights: Mapping[str, float], chances: Mapping[int, float]
) -> float:
    """Rate by how much a part of a card on this cell betters the hopes for gems of its colour, weighed by colour.

    A new card meets at most two others, on neighbouring sides: only the rooms there change. The chances of the free
    cells beside it are taken as they were before it.
    """
    gems, before, joined, outer = part.gems, 0.0, -1, 0
    free: set[int] = set()
    for side in part.sides:
        across = ACROSS[4 * cell + side]
        if across == OUTSIDE:
            outer += 1
        elif not square[across // 4]:
            free.add(across // 4)
        else:
            room = survey_room(square, across)
            if room.first != joined:
                joined = room.first
                before += estimate_room(room.gems, room.free, len(room.outer), chances)
                gems += room.gems
                free |= room.free
                outer += len(room.outer)
    if not gems:
        return 0.0
    hope = estimate_room(gems, free - {cell}, outer, chances)
    return weights[part.colour] * (hope - before - HELD * part.gems)


@lru_cache(maxsize=4 * 5**4)
def _list_looks(need: str, colours: str) -> Mapping[str, list[tuple[str, list[Part]]]]:
    """The looks of every card that fits a cell with this need, each with the parts that may be worth something.

    These are of the seats' colours, and hold a gem or touch a card.
    """
    return {
        card: [
            (look, [part for part in _PARTS[look] if part.colour in colours and _counts(part, need)])
            for look in looks
        ]
        for card, looks in fitting_looks(need).items()
    }


def _counts(part: Part, need: str) -> bool:
    return part.gems > 0 or any(need[side] != "." for side in part.sides)


def _list_parts(look: str) -> Iterator[Part]:
    begins = [side for side in range(4) if look[side] != look[side - 1]]
    for place, side in enumerate(begins):
        length = (begins[(place + 1) % len(begins)] - side) % 4
        sides = tuple((side + step) % 4 for step in range(length))
        yield _keep_part(look[side], sides, int(length > 1 and GEM_OF[look] == look[side]))


_keep_part = cache(Part)
"""Of equal parts one, so that it is found quickly by its identity."""
_PARTS = {look: tuple(_list_parts(look)) for look in CARD_OF}
