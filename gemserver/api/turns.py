"""Own turns: the matches that wait for the asker. It says what is waiting, not what has happened."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from games.contract import seat_letter
from gemserver.api.askers import Token, asker_of
from gemserver.api.shapes import Letter, Time
from gemserver.lib import clock
from gemserver.lib.web.waits import Wait, may_wait
from gemserver.matches.own_matches import find_turns

router = Router(tags=["turns"])


class Turn(Schema):
    """A match that waits for you."""

    match: str = Field(examples=["M17"])
    game: str = Field(examples=["gem"])
    seat: Letter
    role: Literal["player", "sitter"] = Field(description="Whose seat it is: yours, or one in which you sit.")
    prompt_ply: int = Field(description="Names the question; send it with the move that answers it.")
    asked_at: Time | None = None
    due_at: Time | None = Field(None, description="When your time is up; null while your clock stands.")


class Turns(Schema):
    """The matches that wait for you, the most urgent first."""

    turns: list[Turn]


@router.get("/turns", response=Turns, auth=Token("read"), summary="Your turns", operation_id="turns")
def turns(request: HttpRequest) -> Turns:
    """List every match that waits for you: a program that was away for a week misses nothing.

    Ask again with `If-None-Match` and the `ETag` of the last answer: 304 says that nothing is new. With `Prefer:
    wait=50` too, the server answers when something is new, or after so many seconds (300 at most); where it does, it
    says so with `Preference-Applied`. Otherwise it answers at once: leave some seconds before you ask again.

    What other players ask of you is no turn, and no match waits for it: `undo` and `holiday` stand in the match,
    requests to sit at `/sittings`. It ends no wait here; the log of the match does.
    """
    asker = asker_of(request)
    user = asker.user
    found = find_turns(user, clock.now())
    token = asker.token.pk
    may_wait(request, Wait(f"token {token}", user=user.pk, turns=frozenset(found), token=token))
    return Turns(
        turns=[
            Turn(
                match=turn.code,
                game=turn.game,
                seat=seat_letter(turn.seat),
                role="player" if turn.holder == user.pk else "sitter",
                prompt_ply=turn.prompt_ply,
                asked_at=turn.prompted_at,
                due_at=turn.due_at,
            )
            for turn in found
        ]
    )
