"""What-ifs: other moves tried in finished matches, begun, gone on with, and read by whoever knows their key."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema
from pydantic import Field

from games.contract import seat_letter
from games.replay import MOST_LISTED
from games.what_if import Branch
from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done, Letter, Strict, Time
from gemserver.lib import clock
from gemserver.lib.text.translator import translator
from gemserver.matches import selectors
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.matches.readers import find_match
from gemserver.study.models import WhatIf
from gemserver.study.what_if import (
    LONGEST_NAME,
    begin_what_if,
    delete_what_if,
    find_what_if,
    list_own,
    reach,
    read_branch,
    rename_what_if,
    try_move,
)

router = Router(tags=["matches"])

WhatIfKey = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{1,16}$", description="The key of a what-if.", example="q7VZ2m_1xK9d")
]


class WhatIfNamed(Schema):
    """One of your what-ifs."""

    key: str
    name: str
    ply: int = Field(description="The position of the match with which it begins.")
    seat: Letter | None = Field(description="Played by hand against bots; null: all seats are.")
    moves: int = Field(description="How many moves were tried.")
    changed_at: Time


class WhatIfsListed(Schema):
    """Your what-ifs of a match, the latest first."""

    what_ifs: list[WhatIfNamed]


class WhatIfBegun(Strict):
    """Where to begin, and which seat to play."""

    ply: int = Field(ge=0, le=100_000, description="After so many moves of the match; 0: the deal.")
    seat: str | None = Field(
        default=None, pattern="^[A-Z]$", description="Quick bots answer for the others; null: you play all."
    )
    name: str = Field(default="", max_length=LONGEST_NAME)


class WhatIfMade(Schema):
    """A what-if that was begun."""

    key: str
    number: int = Field(description="The last move that bots have made before the seat is asked; 0 for none.")


class MoveTried(Schema):
    """A move of a what-if."""

    number: int = Field(description="From 1, in the order in which they were tried.")
    before: int = Field(
        description="The number of the move on which it follows; 0: the position of the match."
    )
    seat: Letter
    text: str
    chosen: Literal["hand", "forced", "bot"]


class PositionTried(Schema):
    """A position of a what-if, as the seat that is played by hand, or that is to act, would see it."""

    number: int
    board: str = Field(description="In words.")
    over: bool
    asked: Letter | None = Field(description="The seat for which a move can be tried here.")
    moves: list[str] | None = Field(description="Its legal moves; null where they are too many.")


class WhatIfShown(Schema):
    """A what-if: all moves that were tried, and one of its positions."""

    key: str
    name: str
    by: str
    ply: int
    seat: Letter | None
    moves: list[MoveTried]
    at: PositionTried


class MoveToTry(Strict):
    """A move, and where to try it."""

    before: int = Field(ge=0, le=100_000, description="The number of a move tried before; 0: the beginning.")
    text: str = Field(max_length=LONGEST_TEXT, description="Empty where bots are to go on.")


class TriedAt(Schema):
    """Where a move has led."""

    number: int = Field(description="The last move: that of a bot, if bots have answered.")


class WhatIfRenamed(Strict):
    """Another name."""

    name: str = Field(max_length=LONGEST_NAME)


@router.get(
    "/matches/{code}/what-if",
    response=WhatIfsListed,
    auth=Token("read"),
    summary="List your what-ifs of a match",
    operation_id="what_ifs",
)
def show_own(request: HttpRequest, code: Code) -> WhatIfsListed:
    """Your own what-ifs; those of others are known only by their keys."""
    user = user_of(request)
    match, _ = find_match(code, user)
    return WhatIfsListed(what_ifs=[_name(each) for each in list_own(match, user)])


@router.post(
    "/matches/{code}/what-if",
    response=WhatIfMade,
    auth=Token("play"),
    summary="Begin a what-if",
    operation_id="begin_what_if",
)
def begin(request: HttpRequest, code: Code, body: WhatIfBegun, key: Key) -> WhatIfMade:
    """Try other moves from a position of a finished match that is public or your own; you keep fifty at most."""

    def carry_out() -> dict[str, object]:
        user = user_of(request)
        match, _ = find_match(code, user)
        seat = None if body.seat is None else ord(body.seat) - ord("A")
        begun = begin_what_if(match, user, body.ply, seat, body.name, now=clock.now())
        return {"key": begun.key, "number": len(begun.moves)}

    answer, _ = Keyed(request, "what-if:begin", key, code).once(carry_out)
    return WhatIfMade(**answer)


@router.get(
    "/matches/{code}/what-if/{key}",
    response=WhatIfShown,
    auth=Token("read"),
    summary="Read a what-if",
    operation_id="what_if",
)
def read(
    request: HttpRequest,
    code: Code,
    key: WhatIfKey,
    at: Annotated[
        int, Query(ge=0, le=100_000, description="The move after which the position is shown.")
    ] = 0,
) -> WhatIfShown:
    """The tree of a what-if, your own or one whose key you were told, with one of its positions."""
    found = _find(request, code, key)
    tree = read_branch(found)
    return WhatIfShown(
        key=found.key,
        name=found.name,
        by=found.user.shown_name,
        ply=found.ply,
        seat=_letter(found.seat),
        moves=[
            MoveTried(
                number=move.number,
                before=move.before,
                seat=seat_letter(move.seat),
                text=move.text,
                chosen=move.chosen.value,
            )
            for move in tree.moves
        ],
        at=_show_position(found, tree, at),
    )


@router.post(
    "/matches/{code}/what-if/{key}/move",
    response=TriedAt,
    auth=Token("play"),
    summary="Try a move in a what-if",
    operation_id="what_if_move",
)
def move(request: HttpRequest, code: Code, key: WhatIfKey, body: MoveToTry, idempotency_key: Key) -> TriedAt:
    """Try a move in your own what-if; bots answer at once. Tried there before, it is the same move."""

    def carry_out() -> dict[str, object]:
        found = _find(request, code, key)
        return {"number": try_move(found, user_of(request), body.before, body.text, now=clock.now())}

    answer, _ = Keyed(request, f"what-if:move:{key}", idempotency_key, code).once(carry_out)
    return TriedAt(**answer)


@router.post(
    "/matches/{code}/what-if/{key}/rename",
    response=Done,
    auth=Token("play"),
    summary="Rename a what-if",
    operation_id="rename_what_if",
)
def rename(
    request: HttpRequest, code: Code, key: WhatIfKey, body: WhatIfRenamed, idempotency_key: Key
) -> Done:
    """Give your own what-if another name."""

    def carry_out() -> None:
        rename_what_if(_find(request, code, key), user_of(request), body.name, now=clock.now())

    return Keyed(request, f"what-if:rename:{key}", idempotency_key, code).do(carry_out)


@router.post(
    "/matches/{code}/what-if/{key}/delete",
    response=Done,
    auth=Token("play"),
    summary="Delete a what-if",
    operation_id="delete_what_if",
)
def delete(request: HttpRequest, code: Code, key: WhatIfKey, idempotency_key: Key) -> Done:
    """Delete your own what-if."""

    def carry_out() -> None:
        user = user_of(request)
        match, _ = find_match(code, user)
        delete_what_if(match, key, user)

    return Keyed(request, f"what-if:delete:{key}", idempotency_key, code).do(carry_out)


def _find(request: HttpRequest, code: str, key: str) -> WhatIf:
    """Raises Refused like `find_match` and `find_what_if`."""
    user = user_of(request)
    match, _ = find_match(code, user)
    return find_what_if(match, key, user)


def _name(what_if: WhatIf) -> WhatIfNamed:
    return WhatIfNamed(
        key=what_if.key,
        name=what_if.name,
        ply=what_if.ply,
        seat=_letter(what_if.seat),
        moves=len(what_if.moves),
        changed_at=what_if.changed_at,
    )


def _letter(seat: int | None) -> str | None:
    return None if seat is None else seat_letter(seat)


def _show_position(what_if: WhatIf, tree: Branch, number: int) -> PositionTried:
    """Raises Refused like `reach`."""
    reached, rules = reach(tree, number), tree.game.rules
    view = rules.view(reached.state, reached.actor if tree.seat is None else tree.seat)
    legal: list[str] | None = []
    if reached.actor is not None:
        moves = list(islice(rules.legal_moves(reached.state, reached.actor), MOST_LISTED + 1))
        legal = None if len(moves) > MOST_LISTED else [rules.write(each) for each in moves]
    return PositionTried(
        number=number,
        board=tree.game.words.draw(view, translator(), selectors.names(what_if.match)),
        over=reached.is_over,
        asked=_letter(reached.actor),
        moves=legal,
    )
