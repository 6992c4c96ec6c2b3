"""Sitters: ask somebody to play your seat for some days, and answer such a request."""

from __future__ import annotations

from datetime import date
from typing import Literal

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done, Letter, Strict, Time
from gemserver.lib import clock
from gemserver.matches import sitters
from gemserver.matches.actions.seats.ask_sitter import (
    agree_to_sit,
    end_sitting,
    propose_sitting,
    refuse_to_sit,
)
from gemserver.matches.models import Sitting
from gemserver.matches.readers import find_match
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat

router = Router(tags=["sitters"])


class SitterAsked(Strict):
    """Whom you ask, and for which days in your zone."""

    name: str = Field(min_length=1, max_length=60)
    first: date
    last: date


class SittingShown(Schema):
    """A sitting that concerns you: asked for, agreed to, or going on."""

    match: str
    seat: Letter
    player: str
    sitter: str
    you: Literal["player", "sitter"]
    starts_at: Time
    ends_at: Time
    agreed: bool


class Sittings(Schema):
    sittings: list[SittingShown]


@router.get(
    "/sittings", response=Sittings, auth=Token("read"), summary="Your sittings", operation_id="sittings"
)
def sittings(request: HttpRequest) -> Sittings:
    """List the sittings in which you play for somebody, or somebody for you, and what you are asked."""
    user = user_of(request)
    return Sittings(
        sittings=[
            SittingShown(
                match=row.seat.match.code,
                seat=row.seat.letter,
                player=row.player.shown_name,
                sitter=row.sitter.shown_name,
                you="player" if row.player_id == user.pk else "sitter",
                starts_at=row.starts_at,
                ends_at=row.ends_at,
                agreed=row.agreed_at is not None,
            )
            for row in sitters.concerning(user, clock.now())
        ]
    )


@router.post(
    "/matches/{code}/sitter",
    response=Done,
    auth=Token("play"),
    summary="Ask a sitter",
    operation_id="ask_sitter",
)
def ask(request: HttpRequest, code: Code, body: SitterAsked, key: Key) -> Done:
    """Ask a player to sit for you; you get a mail with the answer."""
    user = user_of(request)
    found, _own = find_match(code, user)
    seat = require_held_seat(found, user)

    def carry_out() -> None:
        propose_sitting(found.pk, user, body.name, body.first, body.last, now=clock.now())

    return Keyed(request, "sitter", key, code, seat.index).do(carry_out)


@router.post(
    "/matches/{code}/sitter/end",
    response=Done,
    auth=Token("play"),
    summary="Play yourself again",
    operation_id="end_sitting",
)
def end(request: HttpRequest, code: Code, key: Key) -> Done:
    """Withdraw the request, or take your seat back early."""
    user = user_of(request)
    found, _own = find_match(code, user)
    seat = require_held_seat(found, user)

    def carry_out() -> None:
        mine = sitters.current(clock.now()).filter(seat=seat, player=user, ended_at=None).first()
        end_sitting(_require(mine).pk, user, now=clock.now())

    return Keyed(request, "sitter-end", key, code, seat.index).do(carry_out)


@router.post(
    "/matches/{code}/sitter/agree",
    response=Done,
    auth=Token("play"),
    summary="Agree to sit",
    operation_id="agree_to_sit",
)
def agree(request: HttpRequest, code: Code, key: Key) -> Done:
    """Agree to play for the player who has asked you."""
    return _answer(request, code, key, is_agreed=True)


@router.post(
    "/matches/{code}/sitter/refuse",
    response=Done,
    auth=Token("play"),
    summary="Refuse to sit",
    operation_id="refuse_to_sit",
)
def refuse(request: HttpRequest, code: Code, key: Key) -> Done:
    """Decline, or stop sitting."""
    return _answer(request, code, key, is_agreed=False)


def _answer(request: HttpRequest, code: str, key: str, *, is_agreed: bool) -> Done:
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        asked = sitters.current(clock.now()).filter(seat__match=found, sitter=user, ended_at=None)
        act = agree_to_sit if is_agreed else refuse_to_sit
        act(_require(asked.order_by("-pk").first()).pk, user, now=clock.now())

    verb = "sit-agree" if is_agreed else "sit-refuse"
    return Keyed(request, verb, key, code).do(carry_out)


def _require(sitting: Sitting | None) -> Sitting:
    if sitting is None:
        raise Refused("nothing-asked", "No sitter is needed there any more; there is nothing to answer.")
    return sitting
