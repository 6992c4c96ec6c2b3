"""Start a match: seed, deal, first prompts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from gemserver.accounts.models import User
from gemserver.matches import turns
from gemserver.matches.locking import lock_open_table
from gemserver.matches.models import Match, Seat
from gemserver.matches.notifications import HELD
from gemserver.matches.playing import Playing
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import renumber
from gemserver.notify.models import OutboxMessage


def start_match(match_id: int, *, by: User | None, now: datetime) -> Match:
    """Deal and ask the first seats; `by` is a player at the table (None: the server itself).

    Raises Refused(no-such-match, not-open, not-seated, seats-free, not-agreed).
    """
    with transaction.atomic():
        match = lock_open_table(match_id)
        if by is not None and not match.seats.filter(user=by).exists():
            raise Refused(
                "not-seated", "Only a player of {code} can start it; join it first.", code=match.code
            )
        free = match.seat_count - match.seats.count()
        if free:
            raise Refused(
                "seats-free",
                "{code} still has free seats ({count}); wait for players or give the seats to bots.",
                code=match.code,
                count=free,
            )
        if asked := match.seats.select_related("user").filter(has_agreed=False):
            raise Refused(
                "not-agreed",
                "{code} begins when all agree to its new terms; still asked: {names}.",
                code=match.code,
                names=", ".join(seat.name for seat in asked),
            )
        begin(match, now)
    return match


def begin(match: Match, now: datetime, *, tells_all: bool = True) -> None:
    """Start a match whose seats are all taken; the caller holds its lock. In a rematch the places move on by one.

    Without `tells_all` only who is asked at once is told: the others know by a mail about more than this match.
    """
    if match.rematch_of is not None:
        renumber(match, _move_on(match, match.rematch_of))
    seats = match.read_seats()
    if len({seat.user.family for seat in seats if seat.user}) == 1:
        match.access = Match.Access.INVITED  # practice, however its table was opened, is nobody else's
    match.status = Match.Status.RUNNING
    match.started_at = now
    match.save(update_fields=["access", "status", "started_at"])
    for seat in seats:
        seat.clock_left = match.time_control.bank
        seat.token_hash = seat.current_token_hash()
    Seat.objects.bulk_update(seats, ["clock_left", "token_hash"])
    playing = Playing.begin(match, now)
    playing.run()
    playing.ask_next(answered=())
    _tell_start(match, seats, now, tells_all=tells_all)


def _tell_start(match: Match, seats: Sequence[Seat], now: datetime, *, tells_all: bool) -> None:
    """Tell everybody that the match has begun: in the mail about the first turn, or in one of its own.

    A turn mail that only waits for the answer to the player's mail goes at once too.
    """
    goes_at_once = Q(available_at__lte=now) | Q(data__has_key=HELD)
    asked = list(OutboxMessage.objects.filter(goes_at_once, thread=match.thread, kind="turn"))
    told = set()
    for mail in asked:
        mail.data["starts"] = True
        told.add((mail.user_id, mail.data["seat"]))
    OutboxMessage.objects.bulk_update(asked, ["data"])
    if tells_all:
        others = [seat for seat in seats if (seat.user_id, seat.index) not in told]
        turns.tell_seats(match, others, "started", turn=0, now=now)


def _move_on(match: Match, before: Match) -> list[Seat]:
    """The seats in their new order: who sat second before sits first now; newcomers take the places that are left."""
    former = list(before.seats.order_by("index"))
    order: list[Seat | None] = [None] * match.seat_count
    newcomers = []
    for seat in match.seats.order_by("index"):
        known = [old for old in former if (old.user_id, old.bot) == (seat.user_id, seat.bot)]
        if not known:
            newcomers.append(seat)
            continue
        former.remove(known[0])
        order[known[0].index - 1] = seat
    return [seat or newcomers.pop(0) for seat in order]
