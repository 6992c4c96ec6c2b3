"""A quick player of Florentine Domino: the move that does most for its own rooms and against those of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from games.chance import Chance
from games.contract import Seat
from games.fields import replace
from games.florentine.evaluation import estimate_room, evaluate, find_chances, list_left, survey_room
from games.florentine.rules import RULES
from games.florentine.square import (
    ACROSS,
    CARD_OF,
    CELL_NUMBER,
    CELLS,
    CENTRE,
    GEM_OF,
    NEIGHBOURS,
    OUTSIDE,
    SIDES,
    find_need,
    fitting_facings,
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


def choose(state: State, seat: Seat, chance: Chance) -> Move:
    """A move that is worth most to the seat.

    Of equals any: once the pool is open nothing is hidden, and all playouts from a position would else be the same.
    """
    if state.phase is Phase.BLACK:
        return RULES.default_move(state, seat)
    valued = list(_value_moves(state, seat))
    best = max([value for _, value in valued])
    equals = [move for move, value in valued if value == best]
    return equals[chance.below(len(equals))]


def suggest(state: State, seat: Seat) -> list[Move]:
    """The seat's moves, the best first; of the black card's edges the one that shuts in most gems."""
    if state.phase is Phase.BLACK:
        return [RULES.default_move(state, seat)]
    now = evaluate(state, seat)
    moves = [move for move, _ in _value_moves(state, seat)]
    return sorted(moves, key=lambda move: -_value_whole(state, seat, move, now))


def _value_whole(state: State, seat: Seat, move: Move, now: float) -> float:
    """The gain in the evaluation of the whole square: also what a card spoils from afar, for the seat and for others.

    Too slow for playouts, it settles which moves a search compares.
    """
    if not isinstance(move, Place):
        return DISCARD
    cell, look = CELL_NUMBER[move.cell], turn_card(move.card, move.facing)
    square = (*state.square[:cell], look, *state.square[cell + 1 :])
    laid = HELD * _weigh_colours(state, seat).get(GEM_OF[look], 0.0)
    return evaluate(replace(state, square=square), seat) - now - laid + _value_rim(state, cell)


def _value_moves(state: State, seat: Seat) -> Iterator[tuple[Move, float]]:
    """Every placement and discard, with the seat's gain less that of the others in the mean."""
    square = state.square
    weights = _weigh_colours(state, seat)
    is_hand = state.phase is Phase.HANDS
    cards = sorted(state.hands[seat] if is_hand else state.pool)
    chances = find_chances(square, list_left(square))
    for cell in open_cells(square):
        fitting = fitting_facings(find_need(square, cell))
        rim = _value_rim(state, cell)
        for card in cards:
            for facing in fitting.get(card, ()):
                look = turn_card(card, facing)
                value = _value_look(square, cell, look, weights, chances)
                yield Place(card, CELLS[cell], facing), value + rim
    if is_hand and square[CENTRE]:
        for card in cards:
            yield Discard(card), DISCARD


def _weigh_colours(state: State, seat: Seat) -> dict[str, float]:
    """Weigh a gem of each colour for the seat: its own by 1, those of the others together by -1."""
    share = 1 / (len(state.colours) - 1)
    return {colour: 1.0 if other == seat else -share for other, colour in enumerate(state.colours)}


def _value_rim(state: State, cell: int) -> float:
    """The worth of the rim, while there are hands."""
    return RIM if state.phase is Phase.HANDS and len(NEIGHBOURS[cell]) < len(SIDES) else 0.0


def _value_look(
    square: Square, cell: int, look: str, weights: Mapping[str, float], chances: Mapping[int, float]
) -> float:
    """Rate by how much a card that lies so on this cell betters the hopes for all gems, weighed by colour.

    A new card meets at most two others, on neighbouring sides: only the rooms there change. The chances of the free
    cells beside it are taken as they were before it.
    """
    value = 0.0
    for colour, sides, gems in _PARTS[look]:
        if colour not in weights:
            continue
        before, joined, outer = 0.0, -1, 0
        free: set[int] = set()
        for side in sides:
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
        if gems:
            laid = HELD if GEM_OF[look] == colour and len(sides) > 1 else 0.0
            hope = estimate_room(gems, free - {cell}, outer, chances)
            value += weights[colour] * (hope - before - laid)
    return value


def _list_parts(look: str) -> Iterator[tuple[str, tuple[Side, ...], int]]:
    """The parts of a card that belong to one room: colour, sides, gems."""
    begins = [side for side in range(4) if look[side] != look[side - 1]]
    for place, side in enumerate(begins):
        length = (begins[(place + 1) % len(begins)] - side) % 4
        sides = tuple((side + step) % 4 for step in range(length))
        yield look[side], sides, int(length > 1 and GEM_OF[look] == look[side])


_PARTS = {look: tuple(_list_parts(look)) for look in CARD_OF}
