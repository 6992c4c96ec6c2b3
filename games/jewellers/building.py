"""Builds a move of Jewellers piece by piece: for forms, previews, the terminal and keyboards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.contract import Choice, Json, Message, Seat
from games.jewellers.components import JUNCTIONS, SIZES, VALUES
from games.jewellers.notation import parse, write
from games.jewellers.state import Bid, Cards, Draw, Pass, Phase, Place, State, Stay, leading_total, must_open

_SIZE_LABELS = {
    "small": Message("Draw a small gem"),
    "medium": Message("Draw a medium gem"),
    "large": Message("Draw a large gem"),
}


def build_steps(state: State, seat: Seat, partial: str) -> Sequence[Choice]:
    """The choices after `partial`; each legal move is reached in exactly one way.

    Raises GameError for a `partial` that cannot be read.
    """
    if state.phase is Phase.OVER or seat != state.turn:
        return ()
    if not partial.strip():
        return tuple(_begin(state, seat))
    move = parse(state, seat, partial)
    if state.phase is Phase.BID and isinstance(move, Bid):
        return tuple(_add_card(state, seat, move.cards))
    return ()


def _begin(state: State, seat: Seat) -> Iterator[Choice]:
    match state.phase:
        case Phase.DRAW:
            for size, colours in zip(SIZES, state.bag, strict=True):
                if colours:
                    yield Choice(write(Draw(size)), _SIZE_LABELS[size], complete=True)
        case Phase.BID:
            if not must_open(state, seat):
                yield Choice(write(Pass()), Message("Pass"), complete=True)
            yield from _add_card(state, seat, ())
        case _:
            if state.phase is Phase.MOVE:
                yield Choice(
                    write(Stay()),
                    Message("Leave the silver at {junction}", {"junction": state.tower}),
                    complete=True,
                )
            for junction in JUNCTIONS:
                yield Choice(write(Place(junction)), _label_junction(junction), complete=True)


def _add_card(state: State, seat: Seat, chosen: Cards) -> Iterator[Choice]:
    """A further card, higher than those chosen, so that a set is built in one way only.

    A card after which no higher ones could beat the leading total is left out.
    """
    hand = state.hands[seat]
    total = sum(state.table[seat]) + sum(chosen)
    lead = leading_total(state)
    for place, card in enumerate(hand):
        if (not chosen or card > chosen[-1]) and total + sum(hand[place:]) > lead:
            label = Message("Add {card} (total {total})", {"card": card, "total": total + card})
            yield Choice(write(Bid((*chosen, card))), label, complete=total + card > lead)


def _label_junction(junction: str) -> Message:
    row = VALUES.index(int(junction[1:]))
    params: dict[str, Json] = {"junction": junction, "low": VALUES[row], "high": VALUES[row + 1]}
    match junction[0]:
        case "R":
            return Message("{junction}: ruby and emerald, {low} and {high}", params)
        case "E":
            return Message("{junction}: emerald and pearl, {low} and {high}", params)
        case "P":
            return Message("{junction}: pearl and sapphire, {low} and {high}", params)
        case _:
            return Message("{junction}: sapphire and lily, {low} and {high}", params)
