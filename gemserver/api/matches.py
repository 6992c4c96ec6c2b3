"""A match as the asker may see it, and nothing else: view, question, moves, clocks, log, record."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from games.contract import Choice, seat_letter
from games.orders import write_orders
from gemserver.api.askers import Token, asker_of, user_of
from gemserver.api.cursors import (
    LONGEST,
    Cursor,
    bad_cursor,
    next_cursor,
    read_cursor,
    read_numbers,
    write_cursor,
)
from gemserver.api.shapes import Code, Day, Letter, Person, Time, letters, show_person
from gemserver.lib import clock
from gemserver.lib.text.translator import translator
from gemserver.lib.web.waits import Wait, may_wait
from gemserver.matches import codec, own_matches, records, selectors
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.matches.actions.play.propose_undo import open_undo
from gemserver.matches.actions.play.store_plan import plan_of
from gemserver.matches.actions.play.submit import require_begun
from gemserver.matches.bot_accounts import is_among_people
from gemserver.matches.log import log_story, match_log
from gemserver.matches.models import Match, Seat
from gemserver.matches.readers import Reader, SeenMatch, find_reader
from gemserver.matches.share_links import find_share_links
from gemserver.matches.talk import count_unread

router = Router(tags=["matches"])

MOST_MOVES = 300
"""Legal moves that are listed; where there are more, they are built by steps."""
PER_PAGE = 50


class You(Schema):
    """Your part in this match."""

    seat: Letter
    role: Literal["player", "sitter"]


class Clock(Schema):
    """The time that each player has, in seconds."""

    bank: int = Field(description="At the start.")
    increment: int = Field(description="Added after each answer.")
    cap: int = Field(description="Never more than this.")
    free_weekends: bool
    vacation_days: int | None = Field(None, description="Null: all that players have.")
    absence: str = Field(description="What happens when time runs out.", examples=["default"])
    paused: bool = Field(False, description="A moderator has stopped all clocks.")


class Limit(Schema):
    """A number that makes an order for the whole contest."""

    order: str = Field(description="The order in notation, with # for the number.")
    low: int
    high: int


class Asked(Schema):
    """The question that waits for you now, or whose answer you may still change."""

    prompt_ply: int = Field(description="Names the question; send it with your answer.")
    question: str
    examples: list[str] = Field(description="Answers as the mail lists them.")
    moves: list[str] | None = Field(
        description="All legal moves in notation; null where there are too many: build one by /steps."
    )
    sealing: bool = Field(description="Your answer lies face down until all have decided.")
    sealed: str | None = Field(
        None, description="Your answer that lies face down already; you may send another."
    )
    limit: Limit | None = None


class PlanShown(Schema):
    """Your plan, which nobody else can read."""

    lines: str = Field(description="Its unused lines in notation, the next one first.")
    context: str | None = Field(None, description="The contest it is for; null: your next turn.")
    always: bool = Field(description="It stays until you clear it.")


class Proposal(Schema):
    """A question to the whole table."""

    by: Letter
    agreed: list[Letter]


class UndoShown(Proposal):
    """A proposal to take moves back."""

    from_ply: int
    to_ply: int


class HolidayShown(Proposal):
    """A proposal of days off."""

    first: Day
    last: Day


class MatchLine(Schema):
    """A match in a list."""

    code: str = Field(examples=["M17"])
    game: str
    title: str
    status: Literal["open", "running", "finished", "cancelled"]
    created_at: Time
    started_at: Time | None = None
    finished_at: Time | None = None
    seat_count: int
    options: str = Field(description="As in a record.", examples=["pace=table"])
    access: Literal["anyone", "invited"]
    allows_bots: bool = Field(description="Bot accounts may sit here.")
    among_people: bool = Field(description="Only people with accounts sit here.")
    rated: bool = Field(description="The result may change ratings.")
    ply: int = Field(description="Moves that have been played and not taken back.")
    seats: list[Person]


class ListedMatch(MatchLine):
    """A match in a list of yours."""

    unread: int | None = Field(
        None,
        description="Messages of others since you last looked at the talk, on its page or by `/talk`, or said "
        "something yourself; null: you hold no seat there.",
    )


class Shared(Schema):
    """Addresses for everybody, without an account: as any spectator sees the match."""

    page: str = Field(description="The board, to step through; other sites may show it in a frame.")
    picture: str = Field(description="The position as PNG.")
    loop: str = Field(description="The whole match as a looping GIF.")


class MatchShown(MatchLine):
    """A match as you may see it."""

    ending: str | None = None
    clock: Clock
    you: You | None = Field(None, description="Null: you only watch.")
    asked: Asked | None = Field(None, description="Null: you are not asked.")
    question: str = Field("", description="The question put to you, or whom the match waits for.")
    view: dict[str, Any] | None = Field(
        None,
        description="The position as you may know it, in the fields of the game's View; seats count from 0.",
    )
    board: str = Field("", description="The same as text, as mails have it.")
    plan: PlanShown | None = None
    undo: UndoShown | None = None
    holiday: HolidayShown | None = None
    shared: Shared | None = Field(
        None, description="Null while the match runs, and for one that is not for everybody."
    )
    commitment: str = Field(description="Fingerprint of the server's secret part of the deal.")


class Listed(Schema):
    """A part of a list, those opened last first."""

    next: str | None = Field(
        None, description="Send it as `cursor` for those that follow; null: that was all."
    )


class Matches(Listed):
    """Matches and tables, those opened last first."""

    matches: list[MatchLine]


class YourMatches(Listed):
    """Your matches and tables, those opened last first."""

    matches: list[ListedMatch]


@router.get(
    "/matches", response=YourMatches, auth=Token("read"), summary="Your matches", operation_id="matches"
)
def matches(
    request: HttpRequest,
    status: Annotated[Literal["open", "running", "finished", "cancelled"] | None, Query()] = None,
    mine: Annotated[
        bool, Query(description="False: all that you may watch, also those of others; free seats: `/tables`.")
    ] = True,
    game: Annotated[str | None, Query(max_length=30, description="Only this game.")] = None,
    cursor: Cursor = None,
) -> YourMatches:
    """List the matches and tables in which you hold a seat, and those where you sit for somebody.

    With `mine=false` all running and past ones that you may watch.
    """
    user = user_of(request)
    found = own_matches.taking_part(user, clock.now()) if mine else selectors.listed_matches(user)
    if status is not None:
        found = found.filter(status=status)
    if game is not None:
        found = found.filter(game=game)
    name = "matches" if mine else "watched"
    rows, following = next_cursor(found, read_cursor(cursor, name), name, PER_PAGE)
    seats = own_matches.read_seats_of([row.pk for row in rows])
    held = [row.pk for row in rows if user in [seat.user for seat in seats[row.pk]]]
    unread = dict.fromkeys(held, 0) | dict(count_unread(user, held))
    lines = [ListedMatch(**describe(row, list(seats[row.pk])), unread=unread.get(row.pk)) for row in rows]
    return YourMatches(matches=lines, next=following)


@router.get(
    "/matches/{code}", response=MatchShown, auth=Token("read"), summary="A match", operation_id="match"
)
def match(request: HttpRequest, code: Code) -> MatchShown:
    """Show one match as you may see it: as its player, as a sitter, or as anybody."""
    return show(find_reader(code, user_of(request), clock.now()))


class Step(Schema):
    """One way to go on building a move."""

    text: str = Field(description="The whole move so far.")
    label: str = Field(description="What this step is, for people.")
    complete: bool = Field(description="It is a legal move as it stands.")


class Steps(Schema):
    """The ways to go on; empty if you are not asked."""

    prompt_ply: int | None
    steps: list[Step]


@router.get(
    "/matches/{code}/steps",
    response=Steps,
    auth=Token("read"),
    summary="Steps towards a move",
    operation_id="steps",
)
def steps(
    request: HttpRequest,
    code: Code,
    begun: Annotated[
        str, Query(max_length=LONGEST_TEXT, description="The beginning of a move; empty: the first steps.")
    ] = "",
) -> Steps:
    """List the ways to go on with the beginning of a move."""
    reader = find_reader(code, user_of(request), clock.now())
    seen = _seen(reader)
    if seen is None or not seen.can_answer or seen.played is None:
        return Steps(prompt_ply=None, steps=[])
    return Steps(
        prompt_ply=seen.played.prompt_ply, steps=[_show_step(choice) for choice in seen.list_steps(begun)]
    )


def _show_step(choice: Choice) -> Step:
    return Step(text=choice.text, label=choice.label.text(translator()), complete=choice.complete)


class LogLine(Schema):
    """A line of the log, addressed to you: a move with what it brought about, or something about the table."""

    ply: int
    seat: Letter | None = Field(None, description="Null: no move.")
    at: Time
    text: str
    source: str = Field("", description="How the move came, if its player did not send it.")
    taken_back: bool
    undone_from: int | None = Field(
        None,
        description="Moves were taken back: the first of them. What you know of it and of later ones is void.",
    )


class Log(Schema):
    """The log of a match, the oldest line first."""

    ply: int = Field(description="The moves that are played and not taken back.")
    lines: list[LogLine]
    next: str = Field(description="Send it as `since` for what is added from here on.")


@router.get("/matches/{code}/log", response=Log, auth=Token("read"), summary="The log", operation_id="log")
def log(
    request: HttpRequest,
    code: Code,
    after: Annotated[
        int, Query(ge=0, le=1_000_000, description="Only what came after this move, if it still stands.")
    ] = 0,
    since: Annotated[
        str | None,
        Query(
            max_length=LONGEST,
            description="`next` of an earlier answer: what was added since, a line for each move; empty: all.",
        ),
    ] = None,
) -> Log:
    """Tell what happened, as far as you may know it.

    Asked by `since`, every line is told once, also of what was taken back and played anew between two questions.
    Without it, one line may tell of several moves. With `Prefer: wait=50`, as at `/turns`, the server answers when
    there is another line than in the answer that `If-None-Match` names.
    """
    token = asker_of(request).token.pk
    reader = find_reader(code, user_of(request), clock.now())
    found, known = reader.match, _read_place(since, code)
    may_wait(request, Wait(f"token {token}", match=found.pk, ply=found.ply, token=token))
    rows, end = match_log.LogRows.read_added(found, known)
    if known.is_behind(end):  # the match has been restored from a backup since
        raise bad_cursor()
    rows = rows.after(min(after, found.ply))
    seat, is_own = reader.played, reader.sitting is None
    if since is None:
        entries = log_story.tell_story(found, seat, rows, is_own=is_own)
    else:
        entries = match_log.tell_history(seat, rows, is_own=is_own)
    return Log(
        ply=found.ply,
        lines=[
            LogLine(
                ply=entry.ply,
                seat=None if entry.seat is None else seat_letter(entry.seat),
                at=entry.created_at,
                text=" ".join(entry.sentences),
                source=entry.source if entry.source in log_story.TOLD_SOURCES else "",
                taken_back=entry.is_taken_back,
                undone_from=entry.undone_from or None,
            )
            for entry in entries
        ],
        next=write_cursor(f"log.{code}", end.moves, end.notices),
    )


def _read_place(since: str | None, code: str) -> match_log.Place:
    """The place in the log that a cursor names; without one its beginning. Raises Problem(422)."""
    return match_log.Place(*read_numbers(since, f"log.{code}", 2)) if since else match_log.Place()


class RecordShown(Schema):
    """A match as a text file."""

    record: str


@router.get(
    "/matches/{code}/record",
    response=RecordShown,
    auth=Token("read"),
    summary="The record",
    operation_id="record",
)
def record(request: HttpRequest, code: Code) -> RecordShown:
    """Write the record of a match that has begun: with the deal once it is over."""
    found = find_reader(code, user_of(request), clock.now()).match
    require_begun(found)
    return RecordShown(record=records.record_text(found))


def show(reader: Reader) -> MatchShown:
    """The match for this reader, as it stands."""
    found, seats = reader.match, reader.match.read_seats()
    seen = _seen(reader)
    shown: dict[str, Any] = {
        **describe(found, seats),
        "ending": found.ending or None,
        "clock": _show_clock(found, is_paused=seen is not None and seen.is_paused),
        "you": _show_role(reader),
        "shared": _show_links(found),
        "commitment": found.commitment,
    }
    if seen is not None:
        shown |= {
            "asked": _show_asked(seen),
            "question": seen.question,
            "view": codec.to_plain(seen.undrafted_view),
            "board": found.words.draw(seen.undrafted_view, translator(), seen.names, seen.asked),
        }
        if reader.seat is not None and found.is_running:
            shown |= _show_own(seen, reader.seat)
    return MatchShown(**shown)


def _seen(reader: Reader) -> SeenMatch | None:
    """The match to look into; None for a table, or a match whose game this server does not have any more."""
    if not reader.match.position or not reader.match.is_offered:
        return None
    return SeenMatch(reader.match, reader.seat, reader.sitting)


def describe(found: Match, seats: list[Seat]) -> dict[str, Any]:
    """The fields of `MatchLine`."""
    return {
        "code": found.code,
        "game": found.game,
        "title": found.title,
        "status": found.status,
        "created_at": found.created_at,
        "started_at": found.started_at,
        "finished_at": found.finished_at,
        "seat_count": found.seat_count,
        "options": found.options,
        "access": found.access,
        "allows_bots": found.allows_bots,
        "among_people": is_among_people(seats),
        "rated": found.is_rated,
        "ply": found.ply,
        "seats": [show_person(seat) for seat in seats],
    }


def _show_links(found: Match) -> Shared | None:
    links = find_share_links(found) if found.is_over else None
    return Shared(page=links.page, picture=links.picture, loop=links.loop) if links else None


def _show_role(reader: Reader) -> You | None:
    if reader.played is None:
        return None
    return You(seat=reader.played.letter, role="sitter" if reader.sitting else "player")


def _show_clock(found: Match, *, is_paused: bool) -> Clock:
    return Clock(
        bank=int(found.bank.total_seconds()),
        increment=int(found.increment.total_seconds()),
        cap=int(found.cap.total_seconds()),
        free_weekends=found.free_weekends,
        vacation_days=found.vacation_days,
        absence=found.absence,
        paused=is_paused,
    )


def _show_asked(seen: SeenMatch) -> Asked | None:
    if not seen.can_answer or seen.played is None:
        return None
    limit, moves = seen.asked_limit, selectors.legal_texts(seen.match, seen.played, MOST_MOVES)
    return Asked(
        prompt_ply=seen.played.prompt_ply,
        question=seen.question,
        examples=seen.examples,
        moves=None if moves is None else list(moves),
        sealing=seen.is_sealing,
        sealed=seen.sealed.text if seen.sealed else None,
        limit=Limit(order=limit.order, low=limit.low, high=limit.high) if limit else None,
    )


def _show_own(seen: SeenMatch, seat: Seat) -> dict[str, Any]:
    """Things that only the holder of the seat is shown: the plan, and the table's questions."""
    assert seat.user is not None
    plan, undo, holiday = plan_of(seen.match, seat.user), open_undo(seen.match), seen.open_holiday
    return {
        "plan": plan
        and PlanShown(
            lines=write_orders(plan.orders.ahead), context=plan.context or None, always=plan.is_always
        ),
        "undo": undo
        and UndoShown(
            by=seat_letter(undo.seat),
            agreed=letters(undo.agreed),
            from_ply=undo.first_ply,
            to_ply=undo.last_ply,
        ),
        "holiday": holiday
        and HolidayShown(
            by=seat_letter(holiday.agreed[0]),
            agreed=letters(holiday.agreed),
            first=holiday.first,
            last=holiday.last,
        ),
    }
