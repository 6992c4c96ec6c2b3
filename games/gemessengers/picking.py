"""Checks that a pick is legal; paragraph numbers refer to RULES.md."""

from __future__ import annotations

from collections.abc import Sequence

from games.contract import IllegalMove, Seat
from games.gemessengers.components import (
    PROCLAMATION,
    PROCLAMATIONS_PER_ROW,
    ROW_NAMES,
    ROWS,
    SUIT_NAMES,
    Row,
)
from games.gemessengers.state import ROW_SPOTS, Cards, Play, Proclaim, Spot, State, View, piece_of
from games.gemessengers.workshop import count_gems, list_spots


def list_open_rows(guild: Sequence[Cards]) -> tuple[Row, ...]:
    """The guild rows that still take a proclamation (paragraph 16)."""
    return tuple([row for row in ROWS if len(guild[row]) < PROCLAMATIONS_PER_ROW])


def list_open_spots(position: State | View, seat: Seat) -> tuple[Spot, ...]:
    """The spots of the seat's workshop that take a gem (paragraphs 12 to 15)."""
    return list_spots(count_gems(position.workshops[seat]), piece_of(position).capacities)


def check_play(state: State, seat: Seat, play: Play) -> None:
    """Check that the gem is in the hand, and that the rows still fit with it there (paragraphs 12 to 15).

    Raises IllegalMove.
    """
    if play.gem not in state.hands[seat]:
        raise _miss_card(SUIT_NAMES[play.gem], state.hands[seat])
    spots = list_open_spots(state, seat)
    if play.spot in spots:
        return
    named, workshop = ", ".join(spots), state.workshops[seat]
    if not workshop:
        raise IllegalMove(
            "first-gem",
            "Your workshop is empty, so there is nothing to put it beside. Write: play {gem}",
            gem=SUIT_NAMES[play.gem],
        )
    if play.spot is Spot.FIRST:
        raise IllegalMove("no-spot", "Say where the gem goes: {spots}.", spots=named)
    if play.spot in ROW_SPOTS and ROW_SPOTS.index(play.spot) >= len(workshop):
        raise IllegalMove(
            "no-such-row",
            "Your workshop has no {row}. The gem can go: {spots}.",
            row=play.spot.value,
            spots=named,
        )
    raise IllegalMove(
        "does-not-fit",
        "With a gem there your rows would not fit into the pattern of this round. It can go: {spots}.",
        spots=named,
    )


def check_proclaim(state: State, seat: Seat, proclaim: Proclaim) -> None:
    """Check that the proclamation is in the hand and names rows that are open now (paragraphs 16 and 17).

    Raises IllegalMove.
    """
    if PROCLAMATION[proclaim.suit] not in state.hands[seat]:
        raise _miss_card(PROCLAMATION[proclaim.suit], state.hands[seat])
    opened = ", ".join([ROW_NAMES[row] for row in list_open_rows(state.guild)])
    if not proclaim.rows:
        raise IllegalMove(
            "no-row", "Name a guild row, or several in order of preference: {rows}.", rows=opened
        )
    for place, row in enumerate(proclaim.rows):
        if row in proclaim.rows[:place]:
            raise IllegalMove(
                "row-twice", "The {row} is named twice. Name each row once.", row=ROW_NAMES[row]
            )
        if len(state.guild[row]) >= PROCLAMATIONS_PER_ROW:
            raise IllegalMove(
                "row-full",
                "The {row} has three proclamations already. You can name: {rows}.",
                row=ROW_NAMES[row],
                rows=opened,
            )


def _miss_card(named: str, hand: Cards) -> IllegalMove:
    return IllegalMove(
        "not-in-hand", "You do not hold {card}. Your hand: {hand}.", card=named, hand=" ".join(hand)
    )
