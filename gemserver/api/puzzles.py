"""The puzzle of the day: the list, one of them, and the answer to it, of which only the first counts."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest
from ninja import Path, Router, Schema
from pydantic import Field

from games.contract import seat_letter
from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, read_cursor, write_cursor
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Done, Letter, Strict
from gemserver.lib import clock
from gemserver.puzzles.answers import (
    LONGEST_TEXT,
    Figures,
    answer,
    count_answers,
    find_answers,
    measure_streak,
)
from gemserver.puzzles.days import find_posed, posed_puzzles
from gemserver.puzzles.models import Answer, StoredPuzzle
from gemserver.puzzles.posed import PosedPuzzle, Solution
from gemserver.puzzles.subscribing import is_subscribed, subscribe, unsubscribe

router = Router(tags=["puzzles"])

LISTED = 60

PuzzleDay = Annotated[date, Path(description="The day of a puzzle, in your zone.", example="2026-11-25")]


class OwnAnswer(Schema):
    """Your answer to a puzzle."""

    move: str
    right: bool


class PuzzleListed(Schema):
    """A puzzle of a day that has begun in your zone."""

    day: date
    game: str = Field(examples=["gem"])
    answered: int = Field(description="People who have answered.")
    found: int = Field(description="Those of them who have found the move.")
    answer: OwnAnswer | None = Field(description="Yours; null while you have not answered.")
    url: str


class PuzzlesListed(Schema):
    """A page of puzzles, the latest first."""

    puzzles: list[PuzzleListed]
    streak: int = Field(description="How many you have found in a row.")
    subscribed: bool = Field(description="Each day's puzzle is sent to you.")
    next: str | None


class MoveWorth(Schema):
    """A move, and what a bot expects of it."""

    move: str
    worth: float = Field(description="0 to 100, about 50 being an even match.")


class PuzzleSolution(Schema):
    """The solution, shown once you have answered or the day is over everywhere."""

    best: str
    worths: list[MoveWorth] = Field(description="The moves that come closest, the best first.")
    match: str | None = Field(description="The match of this server in which it arose; null: bots' play.")
    ply: int = Field(description="The move of that match in whose place it is.")


class PuzzleShown(PuzzleListed):
    """A puzzle: a position in which one move is clearly the best."""

    seat: Letter
    players: list[str]
    board: str = Field(description="The position in words, as the seat sees it.")
    task: str
    question: str = Field(description="What the game asks of the seat.")
    examples: list[str] = Field(description="Some moves that can be written, in notation.")
    solution: PuzzleSolution | None = Field(description="Null until you may know it.")


class PuzzleAnswer(Strict):
    """Your answer, as people write moves."""

    text: str = Field(max_length=LONGEST_TEXT)


class PuzzlesWanted(Strict):
    """Your choice to be sent each day's puzzle."""

    on: bool


@router.get(
    "/puzzles",
    response=PuzzlesListed,
    auth=Token("read"),
    summary="The puzzles of the day",
    operation_id="puzzles",
)
def show_all(request: HttpRequest, cursor: Cursor = None) -> PuzzlesListed:
    """The puzzles of all days that have begun in your zone, with your answers to them."""
    user, now = user_of(request), clock.now()
    before, posed = read_cursor(cursor, "puzzles"), posed_puzzles(user, now)
    if before is not None:
        posed = posed.filter(day__lt=date.fromordinal(min(max(before, 1), date.max.toordinal())))
    found = list(posed[: LISTED + 1])
    rows = found[:LISTED]
    answers, figures = find_answers(rows, user), count_answers(rows)
    return PuzzlesListed(
        puzzles=[
            PuzzleListed(**_list(row, answers.get(row.pk), figures.get(row.pk, Figures(0, 0))))
            for row in rows
        ],
        streak=measure_streak(user, now),
        subscribed=is_subscribed(user),
        next=_write_cursor(rows[-1]) if len(found) > LISTED else None,
    )


def _write_cursor(last: StoredPuzzle) -> str:
    """The cursor behind this puzzle: days are its keys, which never change either."""
    assert last.day is not None
    return write_cursor("puzzles", last.day.toordinal())


def _list(stored: StoredPuzzle, own: Answer | None, figures: Figures) -> dict[str, Any]:
    return {
        "day": stored.day,
        "game": stored.game,
        "answered": figures.answered,
        "found": figures.found,
        "answer": OwnAnswer(move=own.move, right=own.is_right) if own else None,
        "url": settings.SITE_URL + stored.get_absolute_url(),
    }


@router.get(
    "/puzzles/{day}",
    response=PuzzleShown,
    auth=Token("read"),
    summary="The puzzle of a day",
    operation_id="puzzle",
)
def show(request: HttpRequest, day: PuzzleDay) -> PuzzleShown:
    """A position with one best move; once you have answered, or the day is over everywhere, the solution."""
    user, now = user_of(request), clock.now()
    stored, found = find_posed(day, user, now)
    posed, solution = PosedPuzzle(stored, found), Solution.find(stored, found, user, now)
    own, figures = find_answers([stored], user), count_answers([stored])
    return PuzzleShown(
        **_list(stored, own.get(stored.pk), figures.get(stored.pk, Figures(0, 0))),
        seat=seat_letter(found.seat),
        players=list(posed.names),
        board=posed.drawing,
        task=posed.task,
        question=posed.question,
        examples=posed.examples,
        solution=PuzzleSolution(
            best=found.best,
            worths=[MoveWorth(move=move, worth=worth) for move, worth in found.worths],
            match=stored.match.code if stored.match else None,
            ply=stored.ply + 1,
        )
        if solution
        else None,
    )


@router.post(
    "/puzzles/{day}/answer",
    response=PuzzleShown,
    auth=Token("play"),
    summary="Answer a puzzle",
    operation_id="answer_puzzle",
)
def answer_it(request: HttpRequest, day: PuzzleDay, body: PuzzleAnswer, key: Key) -> PuzzleShown:
    """Answer the puzzle of a day, once; what is no legal move is refused, and no answer."""

    def carry_out() -> None:
        user, now = user_of(request), clock.now()
        answer(*find_posed(day, user, now), user, body.text, now=now)

    Keyed(request, f"puzzle:{day}", key).do(carry_out)
    return show(request, day)


@router.post(
    "/account/puzzles",
    response=Done,
    auth=Token("account"),
    summary="Be sent each day's puzzle, or not",
    operation_id="set_puzzles",
)
def want(request: HttpRequest, body: PuzzlesWanted, key: Key) -> Done:
    """Have the puzzle of the day sent in the morning of your zone, by mail or the channel of your choice."""

    def carry_out() -> None:
        if body.on:
            subscribe(user_of(request), now=clock.now())
        else:
            unsubscribe(user_of(request))

    return Keyed(request, "puzzles", key).do(carry_out)
