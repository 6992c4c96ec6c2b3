"""Questions for the others' consent: taking a move back, and days off for a whole table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import Any

from django.http import HttpRequest
from ninja import Router

from gemserver.accounts.models import User
from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done, Strict
from gemserver.lib import clock
from gemserver.matches.actions.play.propose_undo import agree_to_undo, propose_undo, refuse_undo
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday, propose_holiday, refuse_holiday
from gemserver.matches.readers import find_match
from gemserver.matches.seating import require_held_seat

router = Router(tags=["consent"])


class Days(Strict):
    """First and last day, in your zone."""

    first: date
    last: date


def _ask(request: HttpRequest, code: str, verb: str, key: str, act: Callable[..., Any]) -> Done:
    """Let the holder of a seat do this once."""
    user: User = user_of(request)
    found, _own = find_match(code, user)
    seat = require_held_seat(found, user)

    def carry_out() -> None:
        act(found.pk, user, now=clock.now())

    return Keyed(request, verb, key, code, seat.index).do(carry_out)


@router.post(
    "/matches/{code}/undo", response=Done, auth=Token("play"), summary="Ask for an undo", operation_id="undo"
)
def undo(request: HttpRequest, code: Code, key: Key) -> Done:
    """Ask the others to take back your last move and all after it; done at once if there is nobody to ask."""
    return _ask(request, code, "undo", key, propose_undo)


@router.post(
    "/matches/{code}/undo/agree",
    response=Done,
    auth=Token("play"),
    summary="Agree to an undo",
    operation_id="agree_to_undo",
)
def agree(request: HttpRequest, code: Code, key: Key) -> Done:
    """Consent to the open undo."""
    return _ask(request, code, "undo-agree", key, agree_to_undo)


@router.post(
    "/matches/{code}/undo/refuse",
    response=Done,
    auth=Token("play"),
    summary="Refuse an undo",
    operation_id="refuse_undo",
)
def refuse(request: HttpRequest, code: Code, key: Key) -> Done:
    """Turn the open undo down, or withdraw your own."""
    return _ask(request, code, "undo-refuse", key, refuse_undo)


@router.post(
    "/matches/{code}/holiday",
    response=Done,
    auth=Token("play"),
    summary="Propose days off",
    operation_id="holiday",
)
def holiday(request: HttpRequest, code: Code, body: Days, key: Key) -> Done:
    """Ask the table for days off, which count in each player's own zone."""
    return _ask(request, code, "holiday", key, partial(_propose, body))


def _propose(body: Days, match_id: int, user: User, *, now: datetime) -> None:
    propose_holiday(match_id, user, body.first, body.last, now=now)


@router.post(
    "/matches/{code}/holiday/agree",
    response=Done,
    auth=Token("play"),
    summary="Agree to days off",
    operation_id="agree_to_holiday",
)
def agree_holiday(request: HttpRequest, code: Code, key: Key) -> Done:
    """Consent to the proposed days off."""
    return _ask(request, code, "holiday-agree", key, agree_to_holiday)


@router.post(
    "/matches/{code}/holiday/refuse",
    response=Done,
    auth=Token("play"),
    summary="Refuse days off",
    operation_id="refuse_holiday",
)
def refuse_days(request: HttpRequest, code: Code, key: Key) -> Done:
    """Refuse the proposed days off, or withdraw your own proposal."""
    return _ask(request, code, "holiday-refuse", key, refuse_holiday)
