"""Moves, previews, plans, sealed orders and resignations: the ways through the one door."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from games.contract import seat_letter
from gemserver.accounts.models import User
from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done, Letter, Strict
from gemserver.lib import clock
from gemserver.lib.text.translator import translator
from gemserver.matches import selectors
from gemserver.matches.accepted_words import say_accepted
from gemserver.matches.actions.play import resign as resign_action
from gemserver.matches.actions.play import store_plan as plan_action
from gemserver.matches.actions.play.preview import LONGEST_TEXT, try_out
from gemserver.matches.actions.play.submit import Accepted, Actor, Request, submit
from gemserver.matches.actions.time import come_back as come_back_action
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.readers import find_reader
from gemserver.matches.seating import require_held_seat

router = Router(tags=["moves"])

LONGEST_PLAN = 4000
Text = Annotated[
    str,
    Field(
        min_length=1, max_length=LONGEST_TEXT, description="A move or order in notation.", examples=["bid 3"]
    ),
]
Prompt = Annotated[
    int,
    Field(ge=0, le=1_000_000, description="`prompt_ply` of the question you answer; an old one is refused."),
]


class MoveSent(Strict):
    """A move, or at sealed pace an order."""

    text: Text
    prompt_ply: Prompt


class MovePlayed(Schema):
    """A move of yours that was played."""

    ply: int
    seat: Letter
    text: str


class MoveAccepted(Schema):
    """The outcome of sending a move, an order or a plan."""

    match: str
    said: str = Field(description="What was done, in a sentence.")
    moves: list[MovePlayed] = Field(description="Your moves that were played, what your plan played too.")
    sealed: bool = Field(
        description="It was laid face down until all have decided; once they have, `moves` has what came of it."
    )
    repeat: bool = Field(description="True if it had been carried out before, under the same key.")


class Preview(Schema):
    """The position after the move, as far as you may know it; chance is imagined."""

    text: str = Field(description="The move in notation.")
    board: str


class PlanSent(Strict):
    """Orders for later turns: one line each, `else` between alternatives; a first line `always` makes it last."""

    text: str = Field(min_length=1, max_length=LONGEST_PLAN)
    seen_ply: int | None = Field(
        None, ge=0, le=1_000_000, description="`ply` of the match as you saw it when you wrote the plan."
    )


@router.post(
    "/matches/{code}/move", response=MoveAccepted, auth=Token("play"), summary="Move", operation_id="move"
)
def move(request: HttpRequest, code: Code, body: MoveSent, key: Key) -> MoveAccepted:
    """Play a move; at sealed pace, lay an order or replace yours."""
    actor = Actor.player(user_of(request))
    sent = Request(code, actor, body.text, Move.Source.API, key, body.prompt_ply)
    accepted = submit(sent, now=clock.now(), claim=Keyed(request, "move", key, code).claim)
    return _show_accepted(code, accepted)


@router.post(
    "/matches/{code}/preview",
    response=Preview,
    auth=Token("read"),
    summary="Preview a move",
    operation_id="preview",
)
def preview(request: HttpRequest, code: Code, body: MoveSent) -> Preview:
    """Try a move out; nothing changes, and no key is needed."""
    user, now = user_of(request), clock.now()
    reader = find_reader(code, user, now)
    draft = try_out(reader.match, Actor.player(user), body.text, body.prompt_ply, is_partial=False, now=now)
    assert reader.played is not None, "try_out refuses spectators"
    found = reader.match
    names = selectors.names(found)
    view = found.rules.view(draft.previewed, reader.played.index)
    return Preview(text=draft.text, board=found.words.draw(view, translator(), names, None))


@router.post(
    "/matches/{code}/plan", response=MoveAccepted, auth=Token("play"), summary="Plan", operation_id="plan"
)
def plan(request: HttpRequest, code: Code, body: PlanSent, key: Key) -> MoveAccepted:
    """Store a plan in place of an earlier one; if it answers the open question, it is used at once."""
    user = user_of(request)
    found, seat = _find_held(code, request)
    accepted = plan_action.store_plan(
        found.pk,
        user,
        body.text,
        source=Move.Source.API,
        request_id=key,
        seen_ply=None if body.seen_ply is None else min(body.seen_ply, found.ply),
        now=clock.now(),
        claim=Keyed(request, "plan", key, code, seat.index).claim,
    )
    return _show_accepted(code, accepted)


@router.post(
    "/matches/{code}/plan/clear",
    response=Done,
    auth=Token("play"),
    summary="Clear the plan",
    operation_id="clear_plan",
)
def clear_plan(request: HttpRequest, code: Code, key: Key) -> Done:
    """Drop your plan; you are asked as usual."""
    found, seat = _find_held(code, request)
    return Keyed(request, "clear", key, code, seat.index).do(lambda: _clear(found, request))


def _clear(found: Match, request: HttpRequest) -> None:
    plan_action.clear_plan(found.pk, user_of(request), now=clock.now())


@router.post(
    "/matches/{code}/resign", response=Done, auth=Token("play"), summary="Resign", operation_id="resign"
)
def resign(request: HttpRequest, code: Code, key: Key) -> Done:
    """Give the match up for good. There is no question first, and no way back."""
    user = user_of(request)
    found = find_reader(code, user, clock.now()).match
    return Keyed(request, "resign", key, code).do(lambda: _resign(found, request, key))


def _resign(found: Match, request: HttpRequest, key: str) -> None:
    resign_action.resign(found.pk, user_of(request), source=Move.Source.API, request_id=key, now=clock.now())


@router.post(
    "/matches/{code}/return", response=Done, auth=Token("play"), summary="Play again", operation_id="return"
)
def come_back(request: HttpRequest, code: Code, key: Key) -> Done:
    """Take your seat back from the bot that plays it because your time for the whole match is used up."""
    user = user_of(request)
    found = find_reader(code, user, clock.now()).match
    return Keyed(request, "return", key, code).do(lambda: _come_back(found, user))


def _come_back(found: Match, user: User) -> None:
    come_back_action.come_back(found.pk, user, now=clock.now())


def _find_held(code: str, request: HttpRequest) -> tuple[Match, Seat]:
    """The match and the seat that the asker holds. Raises Refused(no-such-match, not-seated)."""
    user = user_of(request)
    found = find_reader(code, user, clock.now()).match
    return found, require_held_seat(found, user)


def _show_accepted(code: str, accepted: Accepted) -> MoveAccepted:
    own = [move for move in accepted.moves if move.seat == accepted.seat]
    is_sealed = accepted.order is not None or any(move.is_sealed for move in own)
    return MoveAccepted(
        match=code,
        said=say_accepted(accepted),
        moves=[MovePlayed(ply=move.ply, seat=seat_letter(move.seat), text=move.text) for move in own],
        sealed=is_sealed,
        repeat=accepted.is_repeat,
    )
