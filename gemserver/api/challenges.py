"""Invitations to the asker, and what a bot offers of itself."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Code, Done, Strict, Time
from gemserver.lib import clock
from gemserver.matches import tables as waiting
from gemserver.matches.actions.people.open_bot import offer_practice
from gemserver.matches.actions.tables.answer_invitation import decline_invitation
from gemserver.matches.readers import find_match
from gemserver.matches.refusal import Refused

router = Router(tags=["tables"])


class Invitation(Schema):
    """The offer of a seat at a table that waits for players."""

    match: str = Field(examples=["M17"])
    game: str
    by: str | None = Field(None, description="Who offers it; null once they have left.")
    at: Time


class Invitations(Schema):
    """Your open invitations, the oldest first."""

    invitations: list[Invitation]


class OfferSent(Strict):
    """The games at which your bot practises with people; none: it does not."""

    games: list[str] = Field(max_length=50, examples=[["gem"]])


@router.get(
    "/invitations",
    response=Invitations,
    auth=Token("read"),
    summary="Your invitations",
    operation_id="invitations",
)
def invitations(request: HttpRequest) -> Invitations:
    """List the tables at which somebody wants you. Sit down there, or decline."""
    return Invitations(
        invitations=[
            Invitation(
                match=row.match.code,
                game=row.match.game,
                by=row.invited_by.shown_name if row.invited_by else None,
                at=row.created_at,
            )
            for row in waiting.open_invitations(user_of(request))
        ]
    )


@router.post(
    "/tables/{code}/decline", response=Done, auth=Token("play"), summary="Decline", operation_id="decline"
)
def decline(request: HttpRequest, code: Code, key: Key) -> Done:
    """Decline the invitations to a table; until the match begins you may still sit down."""
    user = user_of(request)
    found, _own = find_match(code, user)

    def carry_out() -> None:
        offered = list(waiting.open_invitations(user).filter(match=found))
        if not offered:
            raise Refused("no-invitation", "There is no such invitation any more; look for another table.")
        for row in offered:
            decline_invitation(row.pk, now=clock.now())

    return Keyed(request, "decline", key, code).do(carry_out)


@router.post(
    "/practice",
    response=Done,
    auth=Token("play"),
    summary="Offer practice",
    operation_id="offer_practice",
)
def offer(request: HttpRequest, body: OfferSent, key: Key) -> Done:
    """Offer yourself, a bot, to people who want to practise, at these games and no others."""
    return Keyed(request, "practice", key).do(
        lambda: offer_practice(user_of(request), body.games, now=clock.now())
    )
