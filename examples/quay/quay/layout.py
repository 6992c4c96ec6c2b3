"""Places Quay on the picture; `templates/board.svg` only draws what is listed here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from games.contract import Asked, Seat, seat_letter
from games.picture import Box, Gesture
from games.simple import Panel
from quay.state import FIELDS, SIDE, WATER, View

WIDTH = 480
FIELD = 56
LEFT = (WIDTH - SIDE * FIELD) // 2
PIECE = 80, 48


@dataclass(frozen=True, slots=True)
class Piece:
    """A good of the market or a card; `text` is the beginning of the move that takes it."""

    x: int
    y: int
    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the quay and the good on it; empty where it is free."""

    x: int
    y: int
    name: str
    good: str
    is_water: bool


@dataclass(frozen=True, slots=True)
class Board:
    """All that the template draws."""

    width: int
    height: int
    panels: list[Panel]
    goods: list[Piece]
    fields: list[Field]
    cards: list[Piece]


def layout(view: View, names: Sequence[str], asked: Asked | None = None) -> Board:
    """Place the seats, the market, the quay, and the reader's hand."""
    acting = asked.seats if asked else frozenset(view.waiting)
    panels = [
        Panel(seat_letter(seat), name, view.points[seat], seat in acting) for seat, name in enumerate(names)
    ]
    market = 16 + 52 * ((len(names) + 1) // 2)
    quay = market + 60
    hand = quay + FIELD * SIDE + 12
    fields = [
        Field(
            LEFT + FIELD * (place % SIDE),
            quay + FIELD * (place // SIDE),
            FIELDS[place],
            "" if lying == WATER else lying,
            lying == WATER,
        )
        for place, lying in enumerate(view.quay)
    ]
    return Board(
        width=WIDTH,
        height=hand + 60,
        panels=panels,
        goods=[Piece(20 + 88 * n, market, f"load {good}", good) for n, good in enumerate(view.market)],
        fields=fields,
        cards=[Piece(20 + 88 * n, hand, f"offer {card}", str(card)) for n, card in enumerate(view.hand)],
    )


def find_gesture(board: Board, begun: str, text: str) -> Gesture | None:
    """Touch the card; or the good, then the field."""
    pieces = [Box(piece.x, piece.y, *PIECE) for piece in (*board.goods, *board.cards) if piece.text == text]
    return Gesture([pieces or _find_field(board, text.split()[-1])])


def find_marks(board: Board, seat: Seat, text: str) -> Sequence[Box]:
    """The good that was loaded; a card that was laid is seen nowhere."""
    verb, *_, last = text.split()
    return _find_field(board, last) if verb == "load" else ()


def _find_field(board: Board, name: str) -> list[Box]:
    return [Box(field.x, field.y, FIELD, FIELD) for field in board.fields if field.name == name]
