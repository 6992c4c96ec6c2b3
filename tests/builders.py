"""Makes players and matches for tests, by the actions that the server itself uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from allauth.account.models import EmailAddress

from games import deal
from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import prompts, replay
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.bot_accounts import is_one_kind
from gemserver.matches.models import Match, Move, Seat

NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
"""The time of tests in which it does not matter."""

THREE_DAYS = TimeControl.per_move(timedelta(days=3))


def make_user(name: str, **fields: object) -> User:
    """A player whose primary address `<name>@example.org` is verified; the password is `password`.

    Each of their mails is answered, so that tests can read what came of it.
    """
    fields.setdefault("receipts", User.Receipts.ALL)
    user: User = User.objects.create_user(name, f"{name}@example.org", "password", **fields)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def make_table(
    game: str = "gem",
    *,
    seats: int,
    options: Mapping[str, str] | None = None,
    time_control: TimeControl = THREE_DAYS,
    free_weekends: bool = False,
    vacation_days: int | None = None,
    absence: Match.Absence = Match.Absence.DEFAULT,
    access: Match.Access = Match.Access.ANYONE,
    starts_when_full: bool = False,
    allows_bots: bool = False,
    is_rated: bool | None = None,
    creator: User | None = None,
    now: datetime = NOON,
) -> Match:
    """Open a table at which nobody sits yet, or only its creator."""
    terms = Terms(
        game=game,
        seats=seats,
        options=options or {},
        time_control=time_control,
        free_weekends=free_weekends,
        vacation_days=vacation_days,
        absence=absence,
        access=access,
        starts_when_full=starts_when_full,
        allows_bots=allows_bots,
        is_rated=is_rated,
    )
    return open_table(creator, terms, now=now)


def make_match(
    game: str = "gem",
    players: Sequence[User] = (),
    bots: int = 0,
    *,
    options: Mapping[str, str] | None = None,
    time_control: TimeControl = THREE_DAYS,
    free_weekends: bool = False,
    vacation_days: int | None = None,
    absence: Match.Absence = Match.Absence.DEFAULT,
    is_rated: bool = False,
    server_part: str | None = None,
    now: datetime = NOON,
) -> Match:
    """Start a match with the players in the first seats and random bots in the others.

    `server_part` (64 hex digits) makes the deal the same every time; the commitment does not match it then. The seats
    are written without `join_table`, which would take a tenth of the time of all tests to ask who may sit down.
    """
    seats = len(players) + bots
    match = make_table(
        game,
        seats=seats,
        options=options,
        time_control=time_control,
        free_weekends=free_weekends,
        vacation_days=vacation_days,
        absence=absence,
        allows_bots=any(player.is_bot for player in players),
        now=now,
    )
    match.server_part = server_part or match.server_part
    holders = [*({"user": player} for player in players), *({"bot": Seat.Bot.RANDOM} for _ in range(bots))]
    taken = [
        Seat(match=match, index=index, part=deal.default_part(match.server_part, index), **holder)
        for index, holder in enumerate(holders)
    ]
    Seat.objects.bulk_create(taken)
    match.is_rated = (is_rated or match.is_rated) and is_one_kind(taken)
    match.save(update_fields=["server_part", "is_rated"])
    return start_match(match.pk, by=None, now=now)


def asked(match: Match) -> Seat:
    """The only seat that the match waits for."""
    return Seat.objects.select_related("user", "match").get(match=match, is_waiting=True)


def play(match: Match, seat: int, text: str, *, now: datetime = NOON) -> Accepted:
    """Submit one move for this seat, as its player on the web or as its bot."""
    holder = Seat.objects.select_related("user").get(match=match, index=seat)
    return _submit(match.code, holder, text, now)


def _submit(code: str, seat: Seat, text: str, now: datetime) -> Accepted:
    request = Request(
        match_code=code,
        actor=Actor.player(seat.user) if seat.user else Actor.bot(seat.index),
        text=text,
        source=Move.Source.WEB if seat.user else Move.Source.BOT,
        request_id=f"test:{uuid4()}",
    )
    return submit(request, now=now)


# Prepared, because these two would take as long as the move itself.
_read_match = Prepared(lambda: Match.objects.filter(pk=Param("match")))
_waiting_seats = Prepared(
    lambda: (
        Seat.objects.filter(match=Param("match"), is_waiting=True).select_related("user").order_by("index")
    )
)


def play_until(
    match: Match, is_reached: Callable[[Match], bool], *, now: datetime = NOON, variant: str = ""
) -> Match:
    """Play random moves for the seats that are asked until the predicate holds; return the match, read afresh.

    The same `variant` plays the same moves from the same deal. Fails if the match ends first.
    """
    [match] = _read_match(match=match.pk)
    while not is_reached(match):
        assert match.is_running, f"{match} ended before what was waited for"
        seat = _waiting_seats(match=match.pk)[0]
        position = prompts.position_to_answer(match, replay.position(match), seat.index)
        move = match.rules.random_move(position, seat.index, Chance("0" * 64, f"test {variant} {match.ply}"))
        _submit(match.code, seat, match.rules.write(move), now)
        [match] = _read_match(match=match.pk)
    return match


def play_to_the_end(match: Match, *, now: datetime = NOON, variant: str = "") -> Match:
    """Play random moves until the match is over."""
    return play_until(match, lambda reached: reached.is_over, now=now, variant=variant)


def is_asked(user: User) -> Callable[[Match], bool]:
    """A predicate for `play_until`: this player is to move."""
    return lambda match: match.seats.filter(user=user, is_waiting=True).exists()
