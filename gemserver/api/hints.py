"""Hints in practice matches: asked for, and read once a bot has thought about them."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done
from gemserver.lib import clock
from gemserver.matches.readers import find_match
from gemserver.matches.refusal import Refused
from gemserver.study.hints import ask_hint, find_hint
from gemserver.study.limits import count_by_network
from gemserver.study.models import Hint

router = Router(tags=["matches"])


class MoveJudged(Schema):
    """A move, and what a bot expects of it."""

    move: str
    worth: float | None = Field(description="0 to 100, 50 being an even match; null for a sealed order.")


class HintShown(Schema):
    """A bot's answer to the question that waits for you."""

    prompt_ply: int
    done: bool = Field(description="False while the bot thinks: ask again in some seconds.")
    moves: list[MoveJudged] = Field(description="The best first.")


@router.post(
    "/matches/{code}/hint",
    response=Done,
    auth=Token("play"),
    summary="Ask for a hint",
    operation_id="ask_hint",
)
def ask(request: HttpRequest, code: Code, key: Key) -> Done:
    """Ask a bot what it would play; only in practice against the server's own bots, and sixty times a day.

    Read its answer with GET. Asked again for the same question, it is the same.
    """

    def carry_out() -> None:
        user = user_of(request)
        match, _ = find_match(code, user)
        ask_hint(match, user, count=partial(count_by_network, request, "hint"), now=clock.now())

    return Keyed(request, f"hint:{code}", key).do(carry_out)


@router.get(
    "/matches/{code}/hint",
    response=HintShown,
    auth=Token("play"),
    summary="Read a hint",
    operation_id="hint",
)
def read(request: HttpRequest, code: Code) -> HintShown:
    """Read the hint that you have asked for."""
    user = user_of(request)
    match, _ = find_match(code, user)
    found = find_hint(match, user)
    if found is None:
        raise Refused("no-hint", "You have asked for no hint on this question yet.")
    return _show(found)


def _show(hint: Hint) -> HintShown:
    return HintShown(
        prompt_ply=hint.prompt_ply,
        done=hint.is_done,
        moves=[MoveJudged(move=move, worth=worth) for move, worth in hint.moves],
    )
