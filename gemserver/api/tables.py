"""Games, and tables that wait for players: find one, open one, sit down, leave."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from django.utils import translation
from ninja import Query, Router, Schema
from pydantic import Field

from games import registry
from games.contract import MOST_SEATS
from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, next_cursor, read_cursor
from gemserver.api.keys import Key, Keyed
from gemserver.api.matches import MatchLine, describe
from gemserver.api.shapes import Code, Done, PlayerNamed, Strict
from gemserver.clocks.control import PRESETS, USUAL_CLOCK, TimeControl
from gemserver.lib import clock
from gemserver.lib.text.translator import translator
from gemserver.matches import own_matches
from gemserver.matches import tables as waiting
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables import give_part as part_action
from gemserver.matches.actions.tables.change_terms import change_terms
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation_to
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.leave_table import cancel_table, leave_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.remove_player import remove_player_called
from gemserver.matches.actions.tables.terms import LONGEST, SHORTEST, Terms, find_meta, usual_seats
from gemserver.matches.clubs.clubs import find_club
from gemserver.matches.models import Match, Seat
from gemserver.matches.readers import find_match
from gemserver.matches.refusal import Refused

router = Router(tags=["tables"])

PER_PAGE = 50
MOST_OPTIONS = 20
LEAST_SPAN, MOST_SPAN = int(SHORTEST.total_seconds()), int(LONGEST.total_seconds())
Span = Annotated[int, Field(ge=LEAST_SPAN, le=MOST_SPAN, description="Seconds.")]
Word = Annotated[str, Field(min_length=1, max_length=30)]


class OptionShown(Schema):
    """An option of a game; the first value is the usual one."""

    name: str
    values: list[str]
    about: str
    per_seat: bool = Field(
        description="A value has a letter for each seat: `values` are those of a full table, a smaller one takes their "
        "beginnings (`rbg` of `rbgo` at a table of three)."
    )


class Game(Schema):
    """A game that can be played here."""

    slug: str = Field(examples=["gem"])
    title: str
    summary: str
    min_seats: int
    max_seats: int
    options: list[OptionShown]


class Games(Schema):
    """All games, and the clocks that `clock` may name."""

    games: list[Game]
    clocks: list[str] = Field(examples=[["3d", "7d+1d"]])


class Tables(Schema):
    """Tables where anybody may sit down, those opened last first."""

    tables: list[MatchLine]
    next: str | None = Field(
        None, description="Send it as `cursor` for those that follow; null: that was all."
    )


class OwnClock(Strict):
    """A clock of your own."""

    bank: Span
    increment: Span
    cap: Span


class TableSent(Strict):
    """The table that you open."""

    game: Word
    seats: int | None = Field(
        None, ge=1, le=MOST_SEATS, description="Null: the fewest that the game takes, and your bots need."
    )
    options: dict[Word, Word] = Field(
        default_factory=dict, max_length=MOST_OPTIONS, examples=[{"pace": "table"}]
    )
    clock: Word | OwnClock = Field(
        USUAL_CLOCK, description="One of `clocks` in the list of games, or one of your own."
    )
    bots: list[Literal["random", "easy", "normal", "hard"]] = Field(default_factory=list, max_length=19)
    free_weekends: bool = False
    vacation_days: int | None = Field(None, ge=0, le=366)
    absence: Literal["default", "bot", "replace"] = "default"
    access: Literal["anyone", "invited"] = "anyone"
    starts_when_full: bool = True
    club: str | None = Field(
        None, max_length=30, description="The short name of a club of yours: only its members join."
    )
    allows_bots: bool = Field(
        False, description="Bot accounts may join. `bots` are the server's own players."
    )
    rated: bool | None = Field(
        None,
        description="The result may change ratings. Null: as usual, if a person opens the table to anyone but bots. "
        "Bots are rated among themselves where it is true, and no person joins.",
    )


class TermsSent(Strict):
    """The terms of your table from now on; what you leave out gets its usual value, so send all of them."""

    seats: int = Field(ge=1, le=MOST_SEATS)
    clock: Word | OwnClock = Field(description="One of `clocks` in the list of games, or one of your own.")
    free_weekends: bool = False
    vacation_days: int | None = Field(None, ge=0, le=366)
    absence: Literal["default", "bot", "replace"] = "default"
    access: Literal["anyone", "invited"] = "anyone"
    starts_when_full: bool = True
    rated: bool | None = Field(
        None, description="The result may change ratings. Null: as usual at such a table."
    )


class JoinSent(Strict):
    """Wishes for your seat; all of it may be left out."""

    words: str = Field("", max_length=500, description="Mixed into the deal; nobody can have chosen it then.")
    link: str = Field("", max_length=60, description="The token of the table's link, where one is needed.")


class Words(Strict):
    """Words that nobody can guess; they are mixed into the deal and not kept."""

    words: str = Field(min_length=1, max_length=500)


class Invited(Strict):
    """Whom you invite: a player's name, or a mail address."""

    whom: str = Field(min_length=1, max_length=254)


class BotsSent(Strict):
    """The server's own players for free seats of your table."""

    strength: Literal["random", "easy", "normal", "hard"] = "easy"
    number: int | None = Field(None, ge=1, le=19, description="Null: for all free seats.")


class InvitationSent(Done):
    """The player or the address that is invited now."""

    invited: str = Field(description="The player's name, or the address.")
    already: bool = Field(description="They were invited before; nothing has changed.")


@router.get("/games", response=Games, auth=Token("read"), summary="The games", operation_id="games")
def games(request: HttpRequest) -> Games:
    """List the games that can be played here, with their options."""
    shown = []
    for slug, game in registry.GAMES.items():
        meta = game.rules.meta
        options = [
            OptionShown(
                name=option.name,
                values=list(option.values),
                about=translation.gettext(option.description) if option.description else "",
                per_seat=option.per_seat,
            )
            for option in meta.options
        ]
        shown.append(
            Game(
                slug=slug,
                title=meta.title,
                summary=meta.summary.text(translator()) if meta.summary else "",
                min_seats=meta.min_seats,
                max_seats=meta.max_seats,
                options=options,
            )
        )
    return Games(games=shown, clocks=list(PRESETS))


@router.get("/tables", response=Tables, auth=Token("read"), summary="Open tables", operation_id="tables")
def tables(
    request: HttpRequest,
    game: Annotated[str | None, Query(max_length=30, description="Only this game.")] = None,
    allows_bots: Annotated[
        bool | None, Query(description="Only those where bots may join, or only those for people.")
    ] = None,
    cursor: Cursor = None,
) -> Tables:
    """List the tables with a free seat where anybody may join; for a bot, those where bots may."""
    found = waiting.open_to_all(user_of(request))
    if game is not None:
        found = found.filter(game=game)
    if allows_bots is not None:
        found = found.filter(allows_bots=allows_bots)
    rows, following = next_cursor(found, read_cursor(cursor, "tables"), "tables", PER_PAGE)
    seats = own_matches.read_seats_of([row.pk for row in rows])
    return Tables(tables=[MatchLine(**describe(row, list(seats[row.pk]))) for row in rows], next=following)


@router.post("/tables", response=Done, auth=Token("play"), summary="Open a table", operation_id="open_table")
def open_one(request: HttpRequest, body: TableSent, key: Key) -> Done:
    """Open a table and take its first seat; with the last seat taken the match begins."""
    user = user_of(request)
    meta = find_meta(body.game)

    def carry_out() -> dict[str, Any]:
        terms = Terms(
            game=body.game,
            seats=usual_seats(meta, len(body.bots)) if body.seats is None else body.seats,
            options=body.options,
            time_control=_read_clock(body.clock),
            free_weekends=body.free_weekends,
            vacation_days=body.vacation_days,
            absence=Match.Absence(body.absence),
            access=Match.Access(body.access),
            starts_when_full=body.starts_when_full,
            allows_bots=body.allows_bots,
            is_rated=body.rated,
            bots=[Seat.Bot(bot) for bot in body.bots],
            club=find_club(body.club, user) if body.club else None,
        )
        return {"match": open_table(user, terms, now=clock.now()).code}

    answer, is_repeat = Keyed(request, "open", key).once(carry_out)
    return Done(match=answer["match"], repeat=is_repeat)


def _read_clock(given: str | OwnClock) -> TimeControl:
    """The clock meant. Raises Refused(bad-clock) for a name that no clock has."""
    if isinstance(given, str):
        if given not in PRESETS:
            raise Refused(
                "bad-clock",
                "There is no clock {name}; choose one of {names}, or give bank, increment and cap.",
                name=given,
                names=", ".join(PRESETS),
            )
        return PRESETS[given]
    return TimeControl(*(timedelta(seconds=span) for span in (given.bank, given.increment, given.cap)))


@router.post(
    "/tables/{code}/join", response=Done, auth=Token("play"), summary="Sit down", operation_id="join_table"
)
def join(request: HttpRequest, code: Code, body: JoinSent, key: Key) -> Done:
    """Take the next seat at a table; an invitation that you have is accepted.

    Where you sit already, you agree to the terms, should its host have changed them.
    """
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        join_table(found.pk, user, words=body.words, link=body.link, now=clock.now())

    return Keyed(request, "join", key, code).do(carry_out)


@router.post(
    "/tables/{code}/terms",
    response=Done,
    auth=Token("play"),
    summary="Change the terms",
    operation_id="change_terms",
)
def change(request: HttpRequest, code: Code, body: TermsSent, key: Key) -> Done:
    """Change the terms of your table while it waits. The others keep their seats, and agree by joining again.

    The game and its options stay.
    """
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        terms = Terms(
            game=found.game,
            seats=body.seats,
            time_control=_read_clock(body.clock),
            free_weekends=body.free_weekends,
            vacation_days=body.vacation_days,
            absence=Match.Absence(body.absence),
            access=Match.Access(body.access),
            starts_when_full=body.starts_when_full,
            is_rated=body.rated,
        )
        change_terms(found.pk, terms, by=user, now=clock.now())

    return Keyed(request, "terms", key, code).do(carry_out)


@router.post(
    "/tables/{code}/remove",
    response=Done,
    auth=Token("play"),
    summary="Remove a player",
    operation_id="remove_player",
)
def remove(request: HttpRequest, code: Code, body: PlayerNamed, key: Key) -> Done:
    """Remove a player from your table while it waits. They are told, and only an invitation lets them in again."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        remove_player_called(found.pk, body.name, by=user, now=clock.now())

    return Keyed(request, "remove", key, code).do(carry_out)


@router.post(
    "/tables/{code}/leave", response=Done, auth=Token("play"), summary="Stand up", operation_id="leave_table"
)
def leave(request: HttpRequest, code: Code, key: Key) -> Done:
    """Give your seat back before the match begins; a table that nobody is left at is cancelled."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        leave_table(found.pk, user, now=clock.now())

    return Keyed(request, "leave", key, code).do(carry_out)


@router.post(
    "/tables/{code}/start", response=Done, auth=Token("play"), summary="Start", operation_id="start_table"
)
def start(request: HttpRequest, code: Code, key: Key) -> Done:
    """Begin the match at a full table that is started by hand."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        start_match(found.pk, by=user, now=clock.now())

    return Keyed(request, "start", key, code).do(carry_out)


@router.post(
    "/tables/{code}/cancel",
    response=Done,
    auth=Token("play"),
    summary="Call off",
    operation_id="cancel_table",
)
def cancel(request: HttpRequest, code: Code, key: Key) -> Done:
    """Call your table off before the match begins."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        cancel_table(found.pk, by=user, now=clock.now())

    return Keyed(request, "cancel", key, code).do(carry_out)


@router.post(
    "/tables/{code}/part",
    response=Done,
    auth=Token("play"),
    summary="Add to the deal",
    operation_id="give_part",
)
def give_part(request: HttpRequest, code: Code, body: Words, key: Key) -> Done:
    """Mix your own words into the deal, while the table waits."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        part_action.give_part(found.pk, user, body.words, now=clock.now())

    return Keyed(request, "part", key, code).do(carry_out)


@router.post(
    "/tables/{code}/invite",
    response=InvitationSent,
    auth=Token("play"),
    summary="Invite",
    operation_id="invite",
)
def invite_one(request: HttpRequest, code: Code, body: Invited, key: Key) -> InvitationSent:
    """Invite somebody to your table by mail."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> dict[str, str | bool]:
        sent = invite(found.pk, user, body.whom, now=clock.now())
        return {"invited": sent.whom, "already": sent.is_repeat}

    answer, is_repeat = Keyed(request, "invite", key, code).once(carry_out)
    return InvitationSent(**answer, match=code, repeat=is_repeat)


@router.post(
    "/tables/{code}/uninvite",
    response=Done,
    auth=Token("play"),
    summary="Take an invitation back",
    operation_id="uninvite",
)
def uninvite(request: HttpRequest, code: Code, body: Invited, key: Key) -> Done:
    """Take back an invitation that has not been answered: one of yours, or any as the table's host."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        withdraw_invitation_to(found.pk, user, body.whom, now=clock.now())

    return Keyed(request, "uninvite", key, code).do(carry_out)


@router.post(
    "/tables/{code}/bots",
    response=Done,
    auth=Token("play"),
    summary="Give seats to bots",
    operation_id="fill_with_bots",
)
def bots(request: HttpRequest, code: Code, body: BotsSent, key: Key) -> Done:
    """Give free seats of your table to the server's own players; with the last seat taken the match begins."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        fill_with_bots(found.pk, Seat.Bot(body.strength), number=body.number, by=user, now=clock.now())

    return Keyed(request, "bots", key, code).do(carry_out)


@router.post(
    "/matches/{code}/rematch",
    response=Done,
    auth=Token("play"),
    summary="Open the rematch",
    operation_id="open_rematch",
)
def rematch(request: HttpRequest, code: Code, key: Key) -> Done:
    """Open a table on the terms of a finished match of yours; the others are invited, and bots sit down at once.

    If the table is open already, the answer names it: join it.
    """
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> dict[str, Any]:
        return {"match": open_rematch(found.pk, user, now=clock.now()).code}

    answer, is_repeat = Keyed(request, "rematch", key, code).once(carry_out)
    return Done(match=answer["match"], repeat=is_repeat)
