"""Free seats: those that a bot holds until somebody takes them over."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, next_cursor, read_cursor
from gemserver.api.keys import Key, Keyed
from gemserver.api.matches import MatchLine, describe
from gemserver.api.shapes import Code, Done, Letter, Strict
from gemserver.lib import clock
from gemserver.matches import own_matches, selectors
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.readers import find_match
from gemserver.matches.seating import require_free_seat

router = Router(tags=["tables"])

PER_PAGE = 50


class SeatTaken(Strict):
    """The seat that you take over; where one alone is free, it need not be named."""

    seat: Letter | None = Field(None, max_length=1)


class FreeSeat(Schema):
    """A seat that you may take over."""

    seat: Letter
    match: MatchLine


class FreeSeats(Schema):
    """Seats of running matches, those of the matches opened last first."""

    seats: list[FreeSeat]
    next: str | None = Field(
        None, description="Send it as `cursor` for those that follow; null: that was all."
    )


@router.get(
    "/free-seats",
    response=FreeSeats,
    auth=Token("read"),
    summary="Free seats",
    operation_id="free_seats",
)
def free_seats(
    request: HttpRequest,
    game: Annotated[str | None, Query(max_length=30, description="Only this game.")] = None,
    cursor: Cursor = None,
) -> FreeSeats:
    """List the seats of running matches for anyone that a bot holds until you, or somebody else, takes them over."""
    found = selectors.open_seats(user_of(request))
    if game is not None:
        found = found.filter(match__game=game)
    rows, following = next_cursor(found, read_cursor(cursor, "free-seats"), "free-seats", PER_PAGE)
    at_table = own_matches.read_seats_of([row.match_id for row in rows])
    return FreeSeats(
        seats=[
            FreeSeat(seat=row.letter, match=MatchLine(**describe(row.match, list(at_table[row.match_id]))))
            for row in rows
        ],
        next=following,
    )


@router.post(
    "/matches/{code}/take-seat",
    response=Done,
    auth=Token("play"),
    summary="Take a seat over",
    operation_id="take_seat",
)
def take(request: HttpRequest, code: Code, body: SeatTaken, key: Key) -> Done:
    """Take over a seat that a bot holds for an absent player: you see what the seat may see, and play on."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        seat = require_free_seat(found, user, body.seat or "")
        take_seat(found.pk, seat.index, user, now=clock.now())

    return Keyed(request, "take-seat", key, code).do(carry_out)
