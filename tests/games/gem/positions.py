"""Short ways to GEM positions."""

from __future__ import annotations

from dataclasses import replace

from games.contract import Event
from games.gem.components import COINS
from games.gem.payment import sort_pieces
from games.gem.rules import RULES
from games.gem.state import Phase, State
from tests.games.playing import play_texts

DEAL = "SR RE EA AT TS D1 SE ET TR RA AS D2 SS RR EE AA TT D3"


def first_position(seats: int = 4, deal: str = DEAL) -> State:
    """Seat A opens; the first day's cards are SR RE EA (AT)."""
    return RULES.deal_explicit(seats=seats, options={}, deal=deal, first=0)


def play(state: State, *texts: str) -> State:
    """The position after these moves, each by the seat to act."""
    return play_with_events(state, *texts)[0]


def play_with_events(state: State, *texts: str) -> tuple[State, list[Event]]:
    """The position after these moves and everything that happened."""
    return play_texts(RULES, state, texts)


def on_day(
    day: int,
    open_cards: str,
    *,
    active: tuple[str, ...],
    inactive: tuple[str, ...] = (),
    phase: Phase = Phase.BID,
    calls: tuple[int | None, ...] = (),
    buyer: int | None = None,
) -> State:
    """A position of that day in which A is the Oya; `active` and `inactive` are piece lists by seat."""
    seats = len(active)
    first = first_position(seats)
    hidden = first.piles[day - 1 :]
    asleep = inactive or ("",) * seats
    return replace(
        first,
        phase=phase,
        day=day,
        calls=calls,
        turn=len(calls) % seats if phase is Phase.BID else (buyer or 0),
        buyer=buyer,
        open=tuple(open_cards.split()),
        piles=hidden,
        active=tuple(sort_pieces(pieces.split()) for pieces in active),
        inactive=tuple(sort_pieces(pieces.split()) for pieces in asleep),
    )


ALL_COINS = " ".join(COINS)
