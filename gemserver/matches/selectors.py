"""Queries about matches for pages, mails and exports; each answer is built for one reader."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Any

from django.db.models import CharField, DateField, Exists, Max, Min, OuterRef, Q, QuerySet

from games import registry
from games.chance import NO_SEED, Chance
from games.record import RESIGN
from games.suggesting import suggest_few
from gemserver.accounts.models import User, Vacation
from gemserver.clubs.models import Member
from gemserver.lib.database.prepared import Param, ParamSet, Prepared
from gemserver.matches import prompts, replay
from gemserver.matches.models import Departure, Holiday, Match, Move, Report, Seat, Sitting, Stop, StoredPlan
from gemserver.matches.privacy import open_to, seen_by
from gemserver.matches.sitters import knowing_another_seat
from gemserver.matches.tables import has_block


def find_plies(matches: Collection[int]) -> dict[int, int]:
    """The present ply of each of these matches (primary keys)."""
    return dict(Match.objects.filter(pk__in=matches).values_list("pk", "ply"))


def names(match: Match) -> list[str]:
    """The players' names in seat order."""
    return [seat.name for seat in match.read_seats()]


def view_for(match: Match, seat: Seat | None) -> Any:
    """The view of the present position from this seat (None: a spectator's)."""
    return match.rules.view(replay.position(match), seat.index if seat else None)


def public_moves(match: Match) -> QuerySet[Move]:
    """The live moves whose text is public, in order: all but those that still lie face down."""
    live = match.moves.filter(voided_at=None).order_by("ply")
    last_open = _open_moves(live).aggregate(ply=Max("ply"))["ply"] or 0
    return live.exclude(is_sealed=True, ply__gt=last_open)


def is_public(move: Move) -> bool:
    """True if the text of this move is public: it was played openly, or has been turned over since.

    A move that was taken back stays as public or secret as it was then, even after the match.
    """
    if not move.is_sealed:
        return True
    if move.voided_at is None:
        later = move.match.moves.filter(voided_at=None, ply__gt=move.ply)
        return move.match.is_over or _open_moves(later).exists()
    later = move.match.moves.filter(pk__gt=move.pk, ply__gt=move.ply)
    anew = move.match.moves.filter(pk__gt=move.pk, ply__lte=move.ply).aggregate(pk=Min("pk"))["pk"]
    return _open_moves(later.filter(pk__lt=anew) if anew else later.exclude(voided_at=None)).exists()


def _open_moves(moves: QuerySet[Move]) -> QuerySet[Move]:
    """The moves that turn over what lay face down before them; a resignation turns nothing over."""
    return moves.filter(is_sealed=False).exclude(text=RESIGN)


def ended_plan(seat: Seat, ply: int) -> StoredPlan | None:
    """The player's own plan that had no answer to the prompt after this ply."""
    if not seat.user_id:
        return None
    return next(iter(_ended_plans(match=seat.match_id, seat=seat.index, user=seat.user_id, ply=ply)), None)


_ended_plans = Prepared(
    lambda: StoredPlan.objects.filter(
        match=Param("match"),
        seat=Param("seat"),
        user=Param("user"),
        end__in=StoredPlan.STUCK,
        ended_ply=Param("ply"),
    ).order_by("-pk")[:1]
)


def last_ply_of(match: Match, seat: Seat) -> int:
    """The ply of the seat's own last move, 0 if there is none; everything later is news to its player."""
    return next(iter(_last_plies(match=match.pk, seat=seat.index)), 0)


_last_plies = Prepared(
    lambda: (
        Move.objects.filter(match=Param("match"), seat=Param("seat"), voided_at=None)
        .exclude(source=Move.Source.FORCED)
        .order_by("-ply")
        .values_list("ply", flat=True)[:1]
    )
)


def is_new_to(game: str, seat: Seat) -> bool:
    """True if a person holds the seat who has never moved in this game, here or in another match."""
    return seat.user_id is not None and not _moves_in(user=seat.user_id, game=game)


_moves_in = Prepared(
    lambda: Move.objects.filter(actor=Param("user"), match__game=Param("game", CharField())).values_list(
        "pk"
    )[:1]
)


def legal_texts(match: Match, seat: Seat, limit: int) -> Sequence[str] | None:
    """The seat's possible answers in notation, in canonical order; None if there are more than `limit`."""
    texts: list[str] = []
    position = prompts.position_to_answer(match, replay.position(match), seat.index)
    for move in match.rules.legal_moves(position, seat.index):
        if len(texts) == limit:
            return None
        texts.append(match.rules.write(move))
    return texts


def likely_texts(match: Match, seat: Seat, number: int, longest: int) -> Sequence[str]:
    """A few good answers of the seat in notation, from what it may know; which of them is the best is not said.

    Those of more than `longest` signs are left out.
    """
    position = prompts.position_to_answer(match, replay.position(match), seat.index)
    chance = Chance(NO_SEED, f"likely {match.code} {match.ply}")
    return suggest_few(registry.game(match.game), position, seat.index, chance, number, longest)


def own_matches(user: User) -> QuerySet[Match]:
    """The running matches that the user or a bot of theirs has part in: as a player, or as a sitter.

    Also as one who has yet to begin, and as one who has left the seat, or sat there: they know what it was shown.
    """
    theirs = user.of_family().values("pk")
    seated = Seat.objects.filter(user__in=theirs).order_by().values("match")
    left = Departure.objects.filter(user__in=theirs).order_by().values("seat__match")
    sat = Sitting.objects.filter(Q(ended_at=None) | Q(agreed_at__isnull=False), sitter__in=theirs)
    part = seated.union(left, sat.order_by().values("seat__match"))
    return Match.objects.filter(pk__in=part, status=Match.Status.RUNNING)


def is_party(user: User, match: Match) -> bool:
    """True if the match runs and the user has part in it, as in `own_matches`."""
    return own_matches(user).filter(pk=match.pk).exists()


def has_played(user: User, match: Match) -> bool:
    """True if the user or a bot of theirs holds a seat of this match, or has left one."""
    return _seats_played(_family(user)).filter(match=match).exists()


def _family(user: User) -> list[int]:
    return list(user.of_family().values_list("pk", flat=True))


def _seats_played(family: Collection[int]) -> QuerySet[Seat]:
    return Seat.objects.filter(Q(user__in=family) | Q(departures__user__in=family))


def reports_for(moderator: User) -> QuerySet[Report]:
    """The reports that a moderator may read: none about them or their bots, nor of a match in which they have part."""
    family = _family(moderator)
    # Asked of each report, so that no table is read as a whole.
    played = _seats_played(family).filter(match=OuterRef("match"))
    sat_in = Sitting.objects.filter(seat__match=OuterRef("match"), sitter__in=family, ended_at=None)
    return Report.objects.exclude(reported__in=family).exclude(Exists(played) | Exists(sat_in))


def know_each_other(user: User, other: User) -> bool:
    """True if the two have begun a match together, or belong to one club."""
    begun = Seat.objects.filter(user=user).exclude(
        match__status__in=[Match.Status.OPEN, Match.Status.CANCELLED]
    )
    if begun.filter(match__seats__user=other).exists():
        return True
    return Member.objects.filter(user=user, club__members__user=other).exists()


def tablemates(user: User) -> QuerySet[User]:
    """Everybody else who takes part in one of the user's running matches."""
    own = own_matches(user).values("pk")
    seated = Seat.objects.filter(match__in=own).order_by().values("user")
    sitting = Sitting.objects.filter(seat__match__in=own, ended_at=None).values("sitter")
    return User.objects.filter(pk__in=seated.union(sitting)).exclude(pk__in=user.of_family().values("pk"))


def vacations_at(seats: Iterable[Seat], today: date) -> dict[int, Vacation]:
    """The present or next vacation of each player in these seats of a match, by seat index, if there is one."""
    holders = {seat.user_id: seat.index for seat in seats if seat.user_id is not None}
    return {holders[row.user_id]: row for row in _vacations_from(users=holders, today=today)}


_vacations_from = Prepared(
    lambda: Vacation.objects.filter(
        user__in=ParamSet("users"), last__gte=Param("today", DateField())
    ).order_by("-first")
)


def open_holiday(match: Match) -> Holiday | None:
    """The proposed holiday that the table has not settled yet; one that was not when the match ended has lapsed."""
    return find_open_holiday(match, holidays_of(match))


def find_open_holiday(match: Match, holidays: Iterable[Holiday]) -> Holiday | None:
    """Like `open_holiday`, among all that the table has proposed."""
    if not match.is_running:
        return None
    return next((row for row in holidays if row.outcome == Holiday.Outcome.OPEN), None)


def holidays_of(match: Match) -> list[Holiday]:
    """The holidays of the table that are proposed or agreed, the first to come first."""
    found = list(_holidays(match=match.pk))
    for holiday in found:
        holiday.match = match
    return found


_holidays = Prepared(
    lambda: (
        Holiday.objects.filter(match=Param("match"))
        .exclude(outcome=Holiday.Outcome.REFUSED)
        .order_by("first", "pk")
    )
)


def is_paused(match: Match) -> bool:
    """True while a moderator's pause stops all clocks of the match."""
    return match.stops.filter(end=None, reason=Stop.Reason.PAUSE).exists()


def listed_matches(reader: User | None) -> QuerySet[Match]:
    """All matches and past tables that the reader may watch, without practice matches of guests."""
    by_players = Q(created_by=None) | Q(created_by__is_guest=False)
    return Match.objects.filter(seen_by(reader), by_players).exclude(status=Match.Status.OPEN)


def open_seats(user: User | None) -> QuerySet[Seat]:
    """The seats at tables for anyone that this user may take over (None: a stranger), of the oldest matches first.

    Seats in a club's matches are for its members. None of them is refused by `who_may_sit`.
    """
    seats = Seat.objects.filter(open_to(user, "match__"), is_open=True, match__status=Match.Status.RUNNING)
    seats = seats.filter(match__access=Match.Access.ANYONE)
    if user is not None:
        resigned = Departure.objects.filter(seat=OuterRef("pk"), user=user, why=Departure.Why.RESIGNED)
        seats = seats.exclude(knowing_another_seat(user)).exclude(Exists(resigned)).exclude(has_block(user))
        if user.is_bot:
            seats = seats.filter(match__allows_bots=True)
    return seats.select_related("match").order_by("match", "index")
