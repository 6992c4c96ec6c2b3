"""Builds a pick piece by piece: for forms, previews, the terminal and keyboards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.contract import Choice, Message, Seat
from games.gemessengers.components import SUIT_NAMES, Row
from games.gemessengers.notation import parse, write
from games.gemessengers.picking import list_open_rows
from games.gemessengers.state import ROW_SPOTS, Play, Proclaim, Spot, State, piece_of
from games.gemessengers.workshop import count_gems, list_spots

_PLAY = {
    "A": Message("Play amethyst (A)"),
    "C": Message("Play citrine (C)"),
    "D": Message("Play diamond (D)"),
    "E": Message("Play emerald (E)"),
    "R": Message("Play ruby (R)"),
    "S": Message("Play sapphire (S)"),
    "T": Message("Play topaz (T)"),
}
_PROCLAIM = {
    "A": Message("Proclaim amethyst (*A)"),
    "C": Message("Proclaim citrine (*C)"),
    "D": Message("Proclaim diamond (*D)"),
    "E": Message("Proclaim emerald (*E)"),
    "R": Message("Proclaim ruby (*R)"),
    "S": Message("Proclaim sapphire (*S)"),
    "T": Message("Proclaim topaz (*T)"),
}
_ROW = {
    Row.HEADSTONE: Message("at the headstone"),
    Row.DECORATION: Message("at the decoration"),
    Row.BASE: Message("at the base"),
}
_ELSE_ROW = {
    Row.HEADSTONE: Message("if full: headstone"),
    Row.DECORATION: Message("if full: decoration"),
    Row.BASE: Message("if full: base"),
}


def build_steps(state: State, seat: Seat, partial: str) -> Sequence[Choice]:
    """A card, then a gem's spot or a proclamation's rows; each legal move is reached in exactly one way.

    The seat is one that picks. Raises GameError for a `partial` that cannot be read.
    """
    if not partial.strip():
        return tuple(_choose_card(state, seat))
    hand = state.hands[seat]
    match parse(state, seat, partial):
        case Play(gem, Spot.FIRST) if gem in hand and state.workshops[seat]:
            return tuple(_choose_spot(state, seat, gem))
        case Proclaim(suit, rows) if f"*{suit}" in hand:
            return tuple(_choose_row(state, suit, rows))
        case _:
            return ()


def _choose_card(state: State, seat: Seat) -> Iterator[Choice]:
    for card in dict.fromkeys(state.hands[seat]):
        if card in SUIT_NAMES:
            yield Choice(write(Play(card, Spot.FIRST)), _PLAY[card], complete=not state.workshops[seat])
        else:
            yield Choice(write(Proclaim(card[1], ())), _PROCLAIM[card[1]], complete=False)


def _choose_spot(state: State, seat: Seat, gem: str) -> Iterator[Choice]:
    workshop = state.workshops[seat]
    for spot in list_spots(count_gems(workshop), piece_of(state).capacities):
        match spot:
            case Spot.ABOVE:
                label = Message("above the top row")
            case Spot.BELOW:
                label = Message("below the bottom row")
            case _:
                place = ROW_SPOTS.index(spot)
                label = Message(
                    "in row {row}, beside {gems}", {"row": place + 1, "gems": " ".join(workshop[place])}
                )
        yield Choice(write(Play(gem, spot)), label, complete=True)


def _choose_row(state: State, suit: str, named: tuple[Row, ...]) -> Iterator[Choice]:
    opened = list_open_rows(state.guild)
    if len(set(named)) < len(named) or not set(named) <= set(opened):
        return
    labels = _ELSE_ROW if named else _ROW
    for row in opened:
        if row not in named:
            yield Choice(write(Proclaim(suit, (*named, row))), labels[row], complete=True)
