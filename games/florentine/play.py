"""Checks and plays the moves of Florentine Domino; paragraph numbers refer to RULES.md.

The caller has checked that the match runs and that the seat to act is the one that moves.
"""

from __future__ import annotations

from collections.abc import Iterator

from games.contract import Event, IllegalMove, Json, Seat, Step
from games.fields import replace
from games.florentine.components import sort_cards
from games.florentine.scoring import (
    count_gems,
    find_closed_room,
    find_triangle,
    list_walls,
    rank_seats_by_gems,
    score_seats,
)
from games.florentine.square import (
    CELL_NUMBER,
    CELLS,
    CENTRE,
    LOOKS,
    NEIGHBOURS,
    RIM,
    SIDES,
    find_tips,
    has_placement,
    lay_card,
    open_cells,
    turn_card,
)
from games.florentine.state import Black, Cards, Phase, Square, State


def play_place(state: State, card: str, cell: str, facing: str) -> Step[State]:
    """Put a card from the hand or the pool on a cell (paragraphs 11 to 17)."""
    _expect(state, Phase.HANDS, Phase.POOL)
    left = _give_away(state, card)
    look = turn_card(card, facing)
    canonical = LOOKS[card][look]
    if facing != canonical:
        raise IllegalMove(
            "same-facing",
            "{card} looks the same facing {facing} and {canonical}. Write {canonical}.",
            card=card,
            facing=facing,
            canonical=canonical,
        )
    number = CELL_NUMBER[cell]
    _check_cell(state.square, number)
    _check_edges(state.square, number, look)
    seat = state.turn
    square = lay_card(state.square, number, look)
    events = [Event("place", seat, {"card": card, "cell": cell, "facing": facing})]
    events += _report_rooms(state.colours, square, frozenset(), [4 * number + side for side in range(4)])
    if state.phase is Phase.HANDS:
        return _draw(replace(state, square=square), left, events)
    return _pass_on(replace(state, square=square, pool=left), events)


def play_discard(state: State, card: str) -> Step[State]:
    """Put a hand card open into the pool (paragraphs 11 and 12)."""
    _expect(state, Phase.HANDS)
    left = _give_away(state, card)
    if not state.square[CENTRE]:
        raise IllegalMove(
            "first-card", "The first card of the match cannot be discarded. Place one of your cards on d4."
        )
    laid = replace(state, pool=(*state.pool, card))
    return _draw(laid, left, [Event("discard", state.turn, {"card": card})])


def _give_away(state: State, card: str) -> Cards:
    """Return the hand, or the pool, without this card. Raises IllegalMove when it is not there."""
    if state.phase is Phase.HANDS:
        cards = state.hands[state.turn]
        if card not in cards:
            raise IllegalMove(
                "not-in-hand",
                "{card} is not in your hand. You have: {cards}.",
                card=card,
                cards=" ".join(sort_cards(cards)),
            )
    else:
        cards = state.pool
        if card not in cards:
            raise IllegalMove(
                "not-in-pool",
                "{card} is not in the pool. Place a card that lies open there.",
                card=card,
            )
    return tuple([other for other in cards if other != card])


def _check_cell(square: Square, cell: int) -> None:
    """Check that a card may be put on this cell if its colours fit (paragraphs 11, 13 and 14)."""
    if cell in open_cells(square):
        return
    name = CELLS[cell]
    if square[cell]:
        raise IllegalMove("occupied", "A card lies on {cell} already. Choose a free cell.", cell=name)
    if not square[CENTRE]:
        raise IllegalMove("centre-first", "The first card of the match goes on d4. Choose that cell.")
    if tips := find_tips(square):
        raise IllegalMove(
            "not-on-cross",
            "{cell} must wait until the cross is filled. Choose the next cell of an arm: {cells}.",
            cell=name,
            cells=", ".join(CELLS[tip] for tip in tips),
        )
    raise IllegalMove(
        "not-in-corner",
        "{cell} does not have one card beside it and one above or below it. Choose a cell in a corner "
        "between two cards.",
        cell=name,
    )


def _check_edges(square: Square, cell: int, look: str) -> None:
    """Check that touching edges have the same colour (paragraph 15)."""
    for side, neighbour in NEIGHBOURS[cell]:
        touching = square[neighbour]
        if touching and touching[(side + 2) % 4] != look[side]:
            raise IllegalMove(
                "colours-differ",
                "On {cell} the {side} edge must be {wanted}, not {shown}. Turn the card, or choose another "
                "card or cell.",
                cell=CELLS[cell],
                side=SIDES[side],
                wanted=touching[(side + 2) % 4],
                shown=look[side],
            )


def _draw(state: State, hand: Cards, events: list[Event]) -> Step[State]:
    """Draw the top card; with the last one all hands are opened (paragraphs 12 and 16)."""
    seat = state.turn
    drawn, pile = state.pile[0], state.pile[1:]
    hands = (*state.hands[:seat], (*hand, drawn), *state.hands[seat + 1 :])
    if pile:
        events.append(Event("draw", seat, {"card": drawn}, audience=frozenset((seat,))))
        return Step(replace(state, hands=hands, pile=pile, turn=_next(state)), tuple(events))
    opened = sort_cards(card for cards in hands for card in cards)
    events.append(Event("open", None, {"cards": opened}))
    pool = (*state.pool, *opened)
    return _pass_on(replace(state, phase=Phase.POOL, hands=((),) * len(hands), pool=pool, pile=()), events)


def _pass_on(state: State, events: list[Event]) -> Step[State]:
    """Let the next seat place from the pool, or begin with the black cards (paragraphs 17 to 19)."""
    following = _next(state)
    if has_placement(state.square, state.pool):
        return Step(replace(state, turn=following), tuple(events))
    events.append(Event("blacks", following))
    return Step(replace(state, phase=Phase.BLACK, turn=following), tuple(events))


def play_black(state: State, cell: str, edge: str) -> Step[State]:
    """Lay the black card against an outer edge of the square (paragraph 19)."""
    _expect(state, Phase.BLACK)
    seat, triangle = state.turn, find_triangle(cell, edge)
    if triangle not in RIM:
        raise IllegalMove(
            "not-outside",
            "The {edge} edge of {cell} is no outer edge of the square. Choose one, or decline.",
            cell=cell,
            edge=edge,
        )
    look = state.square[CELL_NUMBER[cell]]
    if not look:
        raise IllegalMove(
            "hole", "There is no card on {cell}. Choose an edge where a card lies, or decline.", cell=cell
        )
    shown = look[SIDES.index(edge)]
    if shown != state.colours[seat]:
        raise IllegalMove(
            "not-your-colour",
            "The {edge} edge of {cell} is {shown}; your colour is {own}. Choose a {own} edge, or decline.",
            cell=cell,
            edge=edge,
            shown=shown,
            own=state.colours[seat],
        )
    blacks = (*state.blacks[:seat], Black(cell, edge), *state.blacks[seat + 1 :])
    events = [Event("black", seat, {"cell": cell, "edge": edge})]
    events += _report_rooms(state.colours, state.square, list_walls(blacks), [triangle])
    return _after_black(replace(state, blacks=blacks), events)


def play_decline(state: State) -> Step[State]:
    """Keep the black card (paragraph 19)."""
    _expect(state, Phase.BLACK)
    return _after_black(state, [Event("decline", state.turn)])


def _after_black(state: State, events: list[Event]) -> Step[State]:
    """Go on to the next seat's last turn, or end the match (paragraphs 19 and 24)."""
    answered = state.answered + 1
    if answered < len(state.colours):
        return Step(replace(state, answered=answered, turn=_next(state)), tuple(events))
    scores = score_seats(state.colours, state.square, state.blacks)
    events.append(Event("over", None, {"scores": scores, "ranks": rank_seats_by_gems(scores)}))
    return Step(replace(state, answered=answered, phase=Phase.OVER), tuple(events))


def _report_rooms(
    colours: str, square: Square, walls: frozenset[int], triangles: list[int]
) -> Iterator[Event]:
    """Yield an event for each closed room with gems that holds one of these triangles, for the seats that score."""
    told: set[int] = set()
    for triangle in triangles:
        colour = square[triangle // 4][triangle % 4]
        if triangle in told or colour not in colours:
            continue
        room = find_closed_room(square, walls, triangle)
        if room is not None:
            told |= room
            gems = count_gems(square, room)
            if gems:
                data: dict[str, Json] = {"colour": colour, "gems": gems}
                yield Event("closed", colours.index(colour), data)


def _expect(state: State, *phases: Phase) -> None:
    if state.phase in phases:
        return
    match state.phase:
        case Phase.HANDS:
            raise IllegalMove("wrong-phase", "Cards are still being played: place a card or discard one.")
        case Phase.POOL:
            raise IllegalMove("wrong-phase", "A card of the pool must be placed while any fits.")
        case _:
            raise IllegalMove("wrong-phase", "No more cards are placed: lay your black card, or decline.")


def _next(state: State) -> Seat:
    """Return the seat to the left."""
    return (state.turn + 1) % len(state.colours)
