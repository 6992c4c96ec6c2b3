"""Parts that several answers share, in the words of notation and records."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Annotated, Literal

from ninja import Path, Schema
from pydantic import Field, PlainSerializer

from games.contract import seat_letter
from gemserver.matches.actions.talk.report_abuse import LONGEST_REPORT
from gemserver.matches.models import Seat

Time = Annotated[
    datetime,
    PlainSerializer(lambda at: at.astimezone(UTC).isoformat().replace("+00:00", "Z"), return_type=str),
    Field(json_schema_extra={"format": "date-time"}),
]
"""An instant, as RFC 3339 writes it, in UTC."""

Day = Annotated[date, Field(description="A day, such as 2026-04-01, in the zone of its player.")]
Letter = Annotated[str, Field(description="A seat as notation writes it.", examples=["A"])]
Code = Annotated[
    str, Path(description="The code of the match, such as M17.", pattern=r"^M[1-9][0-9]{0,8}$", example="M17")
]


class Strict(Schema):
    """A body that a program sends: it has nothing that the document does not name."""

    model_config = {"extra": "forbid"}


class PlayerNamed(Strict):
    """A player."""

    name: str = Field(min_length=1, max_length=60)


class Reported(Strict):
    """Your words to the moderators, about something they should look at."""

    text: str = Field(min_length=1, max_length=LONGEST_REPORT)


Exact = Annotated[str, Field(description="An exact number: 18, 31/2 or -1/3.", examples=["31/2"])]


class Done(Schema):
    """A request that was carried out."""

    match: str | None = Field(default=None, description="The code of the match it is about.")
    repeat: bool = Field(description="True if it had been carried out before, under the same key.")


class Misfit(Schema):
    """One thing in a request that does not fit the document."""

    where: Literal["body", "query", "path", "header"] = Field(alias="in")
    name: str = Field(examples=["body.seats"])
    message: str = Field(description="In English.")


class Fault(Schema):
    """RFC 9457: why a request was not carried out. Nothing has changed."""

    type: str = Field(examples=["urn:gemserver:problem:stale"])
    title: str
    status: int
    code: str = Field(description="Stable: what to look at in a program.", examples=["stale"])
    detail: str = Field(description="A sentence for people, in the language of the account.")
    kind: Literal["refused", "illegal", "invalid", "ambiguous"] = Field(
        default="refused",
        description="Of a move: it cannot be read, means several moves, or is none as things stand; else `refused`.",
    )
    scope: str = Field(default="", description="With the code `scope`: what the token lacks.")
    name: str = Field(default="", description="With the code `twice`: what stands twice in one object.")
    errors: list[Misfit] = Field(
        default=[], description="With the code `misfit`: what does not fit, and where."
    )


class Person(Schema):
    """The holder of a seat."""

    seat: Letter
    name: str
    kind: Literal["person", "bot"] = Field(
        description="Bots are accounts of programs, and the server's players."
    )
    waiting: bool = Field(description="The match waits for this seat.")
    due_at: Time | None = Field(None, description="When its time is up; null while its clock stands.")
    left: int | None = Field(None, description="Seconds on its clock when it was asked.")
    away: bool = Field(description="A bot answers, because its player's time for the whole match is used up.")
    open: bool = Field(description="Anybody may take the seat over from its bot.")
    score: int | None = None
    rank: int | None = None


def show_person(seat: Seat) -> Person:
    """One seat as anybody may see it."""
    is_clocked = seat.is_waiting and not seat.bot_level
    return Person(
        seat=seat.letter,
        name=seat.name,
        kind="bot" if seat.bot or (seat.user and seat.user.is_bot) else "person",
        waiting=seat.is_waiting,
        due_at=seat.due_at if is_clocked else None,
        left=int(seat.clock_left.total_seconds()) if is_clocked else None,
        away=seat.is_away,
        open=seat.is_open,
        score=seat.score,
        rank=seat.rank,
    )


def letters(seats: list[int]) -> list[str]:
    return [seat_letter(seat) for seat in seats]
