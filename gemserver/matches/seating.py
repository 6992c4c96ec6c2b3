"""The seats of a match: the one that a user holds or may take over, and their order at a table."""

from __future__ import annotations

from collections.abc import Sequence

from games import deal
from gemserver.accounts.models import User
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused


def held_seat(match: Match, user: User) -> Seat | None:
    """The seat that this user holds, if any; not one where they are a sitter."""
    return match.seats.select_related("user").filter(user=user).first()


def require_held_seat(match: Match, user: User) -> Seat:
    """Like `held_seat`; raises Refused(not-seated) if there is none."""
    if seat := held_seat(match, user):
        return seat
    raise not_seated(match)


def not_seated(match: Match) -> Refused:
    return Refused("not-seated", "You do not sit at {code}; you can only watch.", code=match.code)


def require_free_seat(match: Match, user: User, letter: str) -> Seat:
    """The free seat of this letter, or the only one if it is empty; the seat that the user holds, if they have one.

    Raises Refused(not-open-seat, which-seat).
    """
    seats = list(match.seats.order_by("index"))
    if mine := next((seat for seat in seats if seat.user_id == user.pk), None):
        return mine
    free = [seat for seat in seats if seat.is_open and match.is_running]
    meant = [seat for seat in free if seat.letter == letter.upper()] if letter else free
    if not meant:
        raise not_free(match)
    if len(meant) > 1:
        raise Refused(
            "which-seat",
            "Several seats of {code} are free: {letters}. Name the one that you take.",
            code=match.code,
            letters=", ".join(seat.letter for seat in meant),
        )
    return meant[0]


def not_free(match: Match) -> Refused:
    return Refused(
        "not-open-seat", "This seat of {code} is not free any more; choose another.", code=match.code
    )


def renumber(match: Match, seats: Sequence[Seat]) -> None:
    """Give all seats of a table the places in which they stand here; parts that players gave go along with them."""
    moved = [(index, seat) for index, seat in enumerate(seats) if seat.index != index]
    for index, seat in moved:
        if seat.part == deal.default_part(match.server_part, seat.index):
            seat.part = deal.default_part(match.server_part, index)
        seat.index = match.seat_count + index  # no two seats have one place, not even for a moment
    Seat.objects.bulk_update([seat for _, seat in moved], ["index", "part"])
    for index, seat in moved:
        seat.index = index
    Seat.objects.bulk_update([seat for _, seat in moved], ["index"])
