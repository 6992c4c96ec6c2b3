"""Reviews of finished matches: asked for, and read once a bot has gone through the match."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from games.analysis import Judged
from games.contract import seat_letter
from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done, Letter
from gemserver.lib import clock
from gemserver.matches.readers import find_match
from gemserver.matches.refusal import Refused
from gemserver.study.limits import count_by_network
from gemserver.study.models import Review
from gemserver.study.reviews import ask_review, find_review, list_moves, list_turning_points

router = Router(tags=["matches"])


class MoveReviewed(Schema):
    """A move that its player chose, beside the best one."""

    ply: int
    seat: Letter
    played: str
    best: str
    worth: float = Field(description="What the best one promised, 0 to 100.")
    loss: float = Field(description="How much less the played one promised; 0 for the best.")


class Expectation(Schema):
    """The result that each seat could expect after a move, 0 to 100, 50 being an even match; seats in order."""

    known: list[float] = Field(description="By what the seat itself could know.")
    true: list[float] = Field(description="By what was hidden, too.")


class ReviewShown(Schema):
    """A match as a bot looks back at it. While it works, `plies` has what it has done so far."""

    done: bool = Field(description="False while the bot works: ask again in some seconds.")
    plies: list[Expectation] = Field(description="The first is the deal, the others follow one move each.")
    moves: list[MoveReviewed] = Field(description="Every move that somebody chose.")
    turning_points: list[MoveReviewed] = Field(description="The moves that lost the most, three at most.")


@router.post(
    "/matches/{code}/review",
    response=Done,
    auth=Token("play"),
    summary="Ask for a review",
    operation_id="ask_review",
)
def ask(request: HttpRequest, code: Code, key: Key) -> Done:
    """Ask a bot to look back at a finished match that is public or your own; ten new ones a day.

    Read it with GET. Asked again, by whomever, it is the same.
    """

    def carry_out() -> None:
        user = user_of(request)
        match, _ = find_match(code, user)
        ask_review(match, user, count=partial(count_by_network, request, "review"), now=clock.now())

    return Keyed(request, f"review:{code}", key).do(carry_out)


@router.get(
    "/matches/{code}/review",
    response=ReviewShown,
    auth=Token("read"),
    summary="Read a review",
    operation_id="review",
)
def read(request: HttpRequest, code: Code) -> ReviewShown:
    """Read the review of a match, as far as it is done."""
    user = user_of(request)
    match, _ = find_match(code, user)
    found = find_review(match, user, clock.now())
    if found is None:
        raise Refused("no-review", "Nobody has asked for a review of {code} yet.", code=match.code)
    return _show(found)


def _show(found: Review) -> ReviewShown:
    return ReviewShown(
        done=found.is_done,
        plies=[Expectation(known=each["known"], true=each["true"]) for each in found.plies],
        moves=[_show_move(each) for each in list_moves(found)],
        turning_points=[_show_move(each) for each in list_turning_points(found)] if found.is_done else [],
    )


def _show_move(judged: Judged) -> MoveReviewed:
    return MoveReviewed(
        ply=judged.ply,
        seat=seat_letter(judged.seat),
        played=judged.played,
        best=judged.best,
        worth=judged.worth,
        loss=judged.loss,
    )
