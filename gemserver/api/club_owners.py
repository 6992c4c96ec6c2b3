"""Clubs, for their owners and organisers: change and close one, give roles, remove members, refuse who asks."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from gemserver.accounts.models import User
from gemserver.accounts.names import LONGEST
from gemserver.api.askers import Token, user_of
from gemserver.api.clubs import Changed, Role, Slug, change_once
from gemserver.api.keys import Key
from gemserver.api.shapes import PlayerNamed, Strict
from gemserver.clubs.models import Club, Member
from gemserver.lib import clock
from gemserver.matches.actions.clubs.join_club import turn_down
from gemserver.matches.actions.clubs.leave_club import remove_member, set_role
from gemserver.matches.actions.clubs.open_club import LONGEST_ABOUT, change_club, close_club
from gemserver.matches.clubs.clubs import find_club, require_member_of

router = Router(tags=["clubs"])


class ClubChangeSent(Strict):
    """The words of a club about itself; what is null stays."""

    name: str | None = Field(None, min_length=1, max_length=LONGEST)
    about: str | None = Field(None, max_length=LONGEST_ABOUT)
    private: bool | None = None
    asks_first: bool | None = None


class RoleSent(PlayerNamed):
    """A member, and what they are to be in the club."""

    role: Role


@router.post(
    "/clubs/{club}/change",
    response=Changed,
    auth=Token("play"),
    summary="Change a club",
    operation_id="change_club",
)
def change(request: HttpRequest, club: Slug, body: ClubChangeSent, key: Key) -> Changed:
    """Change what your club says about itself, as an owner; its short name stays."""

    def act(found: Club, user: User) -> None:
        change_club(
            found.pk,
            user,
            name=found.name if body.name is None else body.name,
            about=found.about if body.about is None else body.about,
            is_private=found.is_private if body.private is None else body.private,
            is_asked_first=found.is_asked_first if body.asks_first is None else body.asks_first,
            now=clock.now(),
        )

    return _carry_out(request, "club-change", club, key, act)


@router.post(
    "/clubs/{club}/close",
    response=Changed,
    auth=Token("play"),
    summary="Close a club",
    operation_id="close_club",
)
def close(request: HttpRequest, club: Slug, key: Key) -> Changed:
    """Close your club for good, as an owner. Its matches go on."""

    def act(found: Club, user: User) -> None:
        close_club(found.pk, user, now=clock.now())

    return _carry_out(request, "club-close", club, key, act)


@router.post(
    "/clubs/{club}/role",
    response=Changed,
    auth=Token("play"),
    summary="Give a role",
    operation_id="set_role",
)
def role(request: HttpRequest, club: Slug, body: RoleSent, key: Key) -> Changed:
    """Give a member of your club another role, as an owner."""

    def act(found: Club, user: User) -> None:
        set_role(found.pk, user, body.name, Member.Role(body.role))

    return _carry_out(request, "club-role", club, key, act)


@router.post(
    "/clubs/{club}/remove",
    response=Changed,
    auth=Token("play"),
    summary="Remove a member",
    operation_id="remove_member",
)
def remove(request: HttpRequest, club: Slug, body: PlayerNamed, key: Key) -> Changed:
    """Remove a member from your club, as its organiser; organisers and owners only as an owner."""

    def act(found: Club, user: User) -> None:
        remove_member(found.pk, user, body.name, now=clock.now())

    return _carry_out(request, "club-remove", club, key, act)


@router.post(
    "/clubs/{club}/refuse",
    response=Changed,
    auth=Token("play"),
    summary="Refuse who asks",
    operation_id="turn_down",
)
def refuse(request: HttpRequest, club: Slug, body: PlayerNamed, key: Key) -> Changed:
    """Refuse a player who asks to join your club, or take an invitation back, as its organiser."""

    def act(found: Club, user: User) -> None:
        turn_down(found.pk, user, body.name)

    return _carry_out(request, "club-refuse", club, key, act)


def _carry_out(
    request: HttpRequest, verb: str, slug: str, key: str, act: Callable[[Club, User], None]
) -> Changed:
    user = user_of(request)
    found = find_club(slug, user)

    def carry_out() -> dict[str, str]:
        act(found, user)
        return {"you": require_member_of(found, user).role}

    return change_once(request, verb, key, found, carry_out)
