"""Events, for their organisers: start and close seasons, decide fixtures, correct points, replace players, share it.

What moderators may do in the events of others is beyond every token.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from secrets import token_hex
from typing import Annotated

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from games.contract import MOST_SEATS
from gemserver.accounts.models import User
from gemserver.api.askers import Token, user_of
from gemserver.api.events import Slug
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Done, PlayerNamed, Strict
from gemserver.events.actions.adjudicate_fixture import adjudicate_fixture
from gemserver.events.actions.close_event import close_event
from gemserver.events.actions.close_season import close_season
from gemserver.events.actions.correct_points import MOST_POINTS, correct_points
from gemserver.events.actions.replace_player import propose_replacement, take_back_replacement
from gemserver.events.actions.share_event import add_organiser, remove_organiser
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Entry, Event
from gemserver.events.replacements import asked_in
from gemserver.events.rights import not_organiser, organises
from gemserver.events.selectors import find_entry, find_event, find_fixture, last_season
from gemserver.lib import clock
from gemserver.matches.named_players import require_player

router = Router(tags=["events"])

LAST_DIVISION = 9999


class Reasoned(Strict):
    """A decision with its reason."""

    reason: str = Field(min_length=1, max_length=500, description="Shown to everybody in the event.")


class RanksSent(Reasoned):
    """The ranks that are to count for a fixture."""

    match: str = Field(pattern=r"^M[1-9][0-9]{0,8}$", description="The code of its match.", examples=["M17"])
    ranks: list[Annotated[int, Field(ge=1, le=MOST_SEATS)]] = Field(
        min_length=1,
        max_length=MOST_SEATS,
        description="In turn order; 1 is best, equal players share.",
        examples=[[1, 2, 2, 4]],
    )


class EntryNamed(Reasoned):
    """A player of the season that is played."""

    name: str = Field(min_length=1, max_length=80, description="As the table shows it.")
    level: int | None = Field(
        None, ge=1, le=LAST_DIVISION, description="Of the division; said where several are called so."
    )
    division: int | None = Field(None, ge=1, le=LAST_DIVISION, description="Its number at that level.")


class CorrectionSent(EntryNamed):
    """Points that you give or take."""

    points: Decimal = Field(
        ge=-MOST_POINTS, le=MOST_POINTS, description="Below zero: taken away.", examples=["-2.5"]
    )


class NewcomerSent(EntryNamed):
    """A player and the one who goes on."""

    newcomer: str = Field(min_length=1, max_length=60)


@router.post(
    "/events/{slug}/start",
    response=Done,
    auth=Token("play"),
    summary="Start a season",
    operation_id="start_season",
)
def start(request: HttpRequest, slug: Slug, key: Key) -> Done:
    """Start the season that takes entries, before its date."""
    user = user_of(request)

    def act(season: int) -> None:
        start_season(season, by=user, now=clock.now())

    return _carry_out_in_season(request, "event-start", slug, key, act)


@router.post(
    "/events/{slug}/close-season",
    response=Done,
    auth=Token("play"),
    summary="Close a season",
    operation_id="close_season",
)
def end(request: HttpRequest, slug: Slug, key: Key) -> Done:
    """Close the season before its date, once all its fixtures are decided."""
    user = user_of(request)

    def act(season: int) -> None:
        close_season(season, by=user, now=clock.now())

    return _carry_out_in_season(request, "event-close-season", slug, key, act)


@router.post(
    "/events/{slug}/close",
    response=Done,
    auth=Token("play"),
    summary="Close an event",
    operation_id="close_event",
)
def close(request: HttpRequest, slug: Slug, body: Reasoned, key: Key) -> Done:
    """Close the event: a season that is played goes on to its end, and no other follows."""

    def act(event: Event, user: User) -> None:
        close_event(event.pk, by=user, reason=body.reason, now=clock.now())

    return _carry_out(request, "event-close", slug, key, act)


@router.post(
    "/events/{slug}/adjudicate",
    response=Done,
    auth=Token("play"),
    summary="Decide a fixture",
    operation_id="adjudicate_fixture",
)
def adjudicate(request: HttpRequest, slug: Slug, body: RanksSent, key: Key) -> Done:
    """Let ranks of your choice count for a fixture; its match, if it is played, ends as it stands and is not rated."""

    def act(event: Event, user: User) -> None:
        fixture = find_fixture(last_season(event), body.match)
        adjudicate_fixture(fixture.pk, body.ranks, by=user, reason=body.reason, now=clock.now())

    return _carry_out(request, "event-adjudicate", slug, key, act)


@router.post(
    "/events/{slug}/correct",
    response=Done,
    auth=Token("play"),
    summary="Correct points",
    operation_id="correct_points",
)
def correct(request: HttpRequest, slug: Slug, body: CorrectionSent, key: Key) -> Done:
    """Give points to a player of the season that is played, or take some."""

    def act(event: Event, user: User) -> None:
        correct_points(
            _find_entry(event, body).pk,
            body.points,
            by=user,
            reason=body.reason,
            request_key=token_hex(8),  # this acts once already, by the program's own key
            now=clock.now(),
        )

    return _carry_out(request, "event-correct", slug, key, act)


@router.post(
    "/events/{slug}/replace",
    response=Done,
    auth=Token("play"),
    summary="Replace a player",
    operation_id="replace_player",
)
def replace(request: HttpRequest, slug: Slug, body: NewcomerSent, key: Key) -> Done:
    """Ask another to take over from a player of the season that is played, with the points and seats of that player.

    They agree by `enter` and refuse by `withdraw`; you get a mail with the answer.
    """

    def act(event: Event, user: User) -> None:
        entry, newcomer = _find_entry(event, body), require_player(body.newcomer)
        propose_replacement(entry.pk, newcomer, by=user, reason=body.reason, now=clock.now())

    return _carry_out(request, "event-replace", slug, key, act)


@router.post(
    "/events/{slug}/replace/take-back",
    response=Done,
    auth=Token("play"),
    summary="Take a question back",
    operation_id="take_back_replacement",
)
def take_back(request: HttpRequest, slug: Slug, body: PlayerNamed, key: Key) -> Done:
    """Take the question to this newcomer back, before they have answered."""

    def act(event: Event, user: User) -> None:
        question = asked_in(event, require_player(body.name), clock.now())
        take_back_replacement(question.pk if question else 0, by=user, now=clock.now())

    return _carry_out(request, "event-take-back", slug, key, act)


@router.post(
    "/events/{slug}/organisers/add",
    response=Done,
    auth=Token("play"),
    summary="Add an organiser",
    operation_id="add_organiser",
)
def share(request: HttpRequest, slug: Slug, body: PlayerNamed, key: Key) -> Done:
    """Let another player organise the event too."""

    def act(event: Event, user: User) -> None:
        add_organiser(event.pk, require_player(body.name), by=user, now=clock.now())

    return _carry_out(request, "event-share", slug, key, act)


@router.post(
    "/events/{slug}/organisers/remove",
    response=Done,
    auth=Token("play"),
    summary="Remove an organiser",
    operation_id="remove_organiser",
)
def unshare(request: HttpRequest, slug: Slug, body: PlayerNamed, key: Key) -> Done:
    """Let somebody, you too, organise the event no longer."""

    def act(event: Event, user: User) -> None:
        remove_organiser(event.pk, require_player(body.name), by=user, now=clock.now())

    return _carry_out(request, "event-unshare", slug, key, act)


def _find_entry(event: Event, body: EntryNamed) -> Entry:
    return find_entry(last_season(event), body.name, level=body.level, number=body.division)


def _carry_out(
    request: HttpRequest, verb: str, slug: str, key: str, act: Callable[[Event, User], None]
) -> Done:
    user = user_of(request)
    found = find_event(slug, user)

    def carry_out() -> None:
        # In here, so that who has just taken themselves out is answered when they repeat it.
        _require_own(found, user)
        act(found, user)

    return Keyed(request, verb, key, slug=slug).do(carry_out)


def _carry_out_in_season(
    request: HttpRequest, verb: str, slug: str, key: str, act: Callable[[int], None]
) -> Done:
    """Like `_carry_out`, for what commits before it opens or ends matches one by one."""
    user = user_of(request)
    found = find_event(slug, user)

    def find() -> int:
        _require_own(found, user)
        return last_season(found).pk

    return Done(repeat=Keyed(request, verb, key, slug=slug).resume(find, act))


def _require_own(event: Event, user: User) -> None:
    """Raise Refused(not-organiser), for moderators too: their word is not given to a token."""
    if not organises(event, user):
        raise not_organiser(event)
