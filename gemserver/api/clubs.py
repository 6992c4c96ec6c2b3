"""Clubs: find them, look into your own, open one, join, leave, invite, and post news."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias, cast

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema
from pydantic import Field

from gemserver.accounts.names import LONGEST as LONGEST_NAME
from gemserver.api.askers import Token, user_of
from gemserver.api.cursors import Cursor, next_cursor, read_cursor
from gemserver.api.keys import Key, Keyed
from gemserver.api.matches import Matches, MatchLine, describe
from gemserver.api.shapes import Done, Exact, PlayerNamed, Reported, Strict, Time
from gemserver.clubs.models import Club, Member
from gemserver.clubs.selectors import clubs_of, invitations_of
from gemserver.lib import clock
from gemserver.matches import own_matches
from gemserver.matches.actions.clubs.join_club import invite_member, join_club, take_back_request
from gemserver.matches.actions.clubs.leave_club import leave_club
from gemserver.matches.actions.clubs.open_club import LONGEST_ABOUT, LONGEST_SLUG, open_club
from gemserver.matches.actions.clubs.post_news import LONGEST, post_news
from gemserver.matches.actions.clubs.report_club import report_club
from gemserver.matches.clubs.club_page import ClubPage
from gemserver.matches.clubs.clubs import find_club, no_such_club, require_member_of
from gemserver.matches.models import Match
from gemserver.matches.privacy import seen_by
from gemserver.matches.refusal import Refused
from gemserver.matches.wins import Won

router = Router(tags=["clubs"])

PER_PAGE = 50
Role: TypeAlias = Literal["owner", "organiser", "member"]
Slug = Annotated[
    str,
    Path(description="The short name of the club.", pattern=r"^[A-Za-z0-9_-]{1,30}$", example="lake-side"),
]


class ClubLine(Schema):
    """A club in a list."""

    club: str = Field(description="Its short name, which other addresses take.", examples=["lake-side"])
    name: str
    private: bool = Field(description="Nobody but its members learns of it and of its matches.")
    asks_first: bool = Field(description="Its organisers say who may join.")
    closed: bool


class Clubs(Schema):
    """Listed clubs, and yours."""

    yours: list[ClubLine]
    invitations: list[ClubLine] = Field(description="Clubs that invite you; join, or leave to decline.")
    listed: list[ClubLine]
    next: str | None = Field(
        None, description="Send it as `cursor` for the listed ones that follow; null: that was all."
    )


class MemberShown(Schema):
    """A member of a club."""

    name: str
    role: Role
    since: Time
    played: int = Field(description="Finished matches in the club.")
    won: int = Field(description="First places, alone or shared.")
    wins: Exact = Field(description="Of a shared first place everybody has a share.")


class NewsShown(Schema):
    """Something that an organiser told the club."""

    by: str | None = Field(None, description="Null once they have left the server.")
    at: Time
    text: str


class ClubShown(ClubLine):
    """A club as you may see it; of a private one that only invites you, what it says about itself."""

    about: str
    you: Literal["owner", "organiser", "member", "asked", "invited"] | None = Field(
        None, description="Null: you have nothing to do with it."
    )
    members: list[MemberShown]
    news: list[NewsShown]


class Changed(Schema):
    """A request about a club that was carried out."""

    club: str
    you: Literal["owner", "organiser", "member", "asked"] | None = Field(
        description="What you are in it now."
    )
    repeat: bool = Field(description="True if it had been carried out before, under the same key.")


class LeaveSent(Strict):
    """How you leave."""

    heir: str = Field("", max_length=40, description="Who owns the club after its last owner.")


class ClubSent(Strict):
    """The club that you open."""

    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    slug: str = Field(
        "",
        max_length=LONGEST_SLUG,
        description="Its short name; none: it is made of the name. That of a private club gets random signs behind it.",
    )
    about: str = Field("", max_length=LONGEST_ABOUT)
    private: bool = False
    asks_first: bool = True


class NewsSent(Strict):
    """Your news."""

    text: str = Field(min_length=1, max_length=LONGEST)


@router.get("/clubs", response=Clubs, auth=Token("read"), summary="Clubs", operation_id="clubs")
def clubs(request: HttpRequest, cursor: Cursor = None) -> Clubs:
    """List your clubs, those that invite you, and those that are listed, opened last first."""
    user = user_of(request)
    listed = Club.objects.filter(is_private=False, closed_at=None)
    rows, following = next_cursor(listed, read_cursor(cursor, "clubs"), "clubs", PER_PAGE)
    return Clubs(
        yours=[ClubLine(**_describe(club)) for club in clubs_of(user)],
        invitations=[ClubLine(**_describe(row.club)) for row in invitations_of(user)],
        listed=[ClubLine(**_describe(club)) for club in rows],
        next=following,
    )


@router.post("/clubs", response=Changed, auth=Token("play"), summary="Open a club", operation_id="open_club")
def open_one(request: HttpRequest, body: ClubSent, key: Key) -> Changed:
    """Open a club, which is yours; the answer has its short name."""

    def carry_out() -> Mapping[str, Any]:
        opened = open_club(
            user_of(request),
            name=body.name,
            slug=body.slug,
            about=body.about,
            is_private=body.private,
            is_asked_first=body.asks_first,
            now=clock.now(),
        )
        return {"club": opened.slug}

    answer, is_repeat = Keyed(request, "club-open", key).once(carry_out)
    return Changed(club=answer["club"], you="owner", repeat=is_repeat)


@router.get("/clubs/{club}", response=ClubShown, auth=Token("read"), summary="A club", operation_id="club")
def club(request: HttpRequest, club: Slug) -> ClubShown:
    """Show one club as you may see it."""
    user = user_of(request)
    found = find_club(club, user)
    page = ClubPage(found, user)
    you: Any = page.mine.role if page.mine else page.candidacy or None
    counts = {line.player.pk: line.won for line in page.standings}
    return ClubShown(
        **_describe(found),
        about=found.about,
        you=you,
        members=[
            MemberShown(
                name=member.user.username,
                role=cast(Role, member.role),
                since=member.joined_at,
                played=counts.get(member.user_id, Won()).played,
                won=counts.get(member.user_id, Won()).firsts,
                wins=str(counts.get(member.user_id, Won()).wins),
            )
            for member in page.members
        ],
        news=[
            NewsShown(
                by=line.row.author.username if line.row.author else None,
                at=line.row.posted_at,
                text=line.row.text,
            )
            for line in page.news
        ],
    )


@router.get(
    "/clubs/{club}/matches",
    response=Matches,
    auth=Token("read"),
    summary="A club's matches",
    operation_id="club_matches",
)
def matches(
    request: HttpRequest,
    club: Slug,
    status: Annotated[Literal["open", "running", "finished"] | None, Query()] = None,
    cursor: Cursor = None,
) -> Matches:
    """List the tables and matches of a club; of a private one to its members."""
    user = user_of(request)
    found = find_club(club, user)
    if found.is_private:
        require_member_of(found, user)
    listed = Match.objects.filter(seen_by(user), club=found)
    if status is not None:
        listed = listed.filter(status=status)
    rows, following = next_cursor(listed, read_cursor(cursor, "club-matches"), "club-matches", PER_PAGE)
    seats = own_matches.read_seats_of([row.pk for row in rows])
    return Matches(matches=[MatchLine(**describe(row, list(seats[row.pk]))) for row in rows], next=following)


@router.post(
    "/clubs/{club}/report",
    response=Done,
    auth=Token("talk"),
    summary="Report a club",
    operation_id="report_club",
)
def report(request: HttpRequest, club: Slug, body: Reported, key: Key) -> Done:
    """Ask the moderators to look at the club's name, description or news."""
    user, found = user_of(request), find_club(club, user_of(request))

    def carry_out() -> None:
        report_club(found.pk, user, body.text, now=clock.now())

    return Keyed(request, "club-report", key, slug=found.slug).do(carry_out)


@router.post(
    "/clubs/{club}/join", response=Changed, auth=Token("play"), summary="Join", operation_id="join_club"
)
def join(request: HttpRequest, club: Slug, key: Key) -> Changed:
    """Join a club that is open or invites you, or ask its organisers; bots stay outside."""
    user, found = user_of(request), find_club(club, user_of(request))

    def carry_out() -> Mapping[str, Any]:
        joined = join_club(found.pk, user, now=clock.now())
        return {"you": joined.role if isinstance(joined, Member) else "asked"}

    return change_once(request, "club-join", key, found, carry_out)


@router.post(
    "/clubs/{club}/leave", response=Changed, auth=Token("play"), summary="Leave", operation_id="leave_club"
)
def leave(request: HttpRequest, club: Slug, body: LeaveSent, key: Key) -> Changed:
    """Leave a club, take back that you asked to join, or decline its invitation."""
    user, found = user_of(request), Club.objects.filter(slug=club.lower()).first()
    if found is None:
        raise no_such_club()

    def carry_out() -> Mapping[str, Any]:
        find_club(club, user)  # here, so that a repetition is answered to whoever has left a private club
        try:
            require_member_of(found, user)
        except Refused:
            take_back_request(found.pk, user)
        else:
            leave_club(found.pk, user, heir=body.heir, now=clock.now())
        return {"you": None}

    return change_once(request, "club-leave", key, found, carry_out)


@router.post(
    "/clubs/{club}/invite",
    response=Changed,
    auth=Token("talk"),
    summary="Invite into a club",
    operation_id="invite_member",
)
def invite(request: HttpRequest, club: Slug, body: PlayerNamed, key: Key) -> Changed:
    """Invite a player into your club, or let in one who asks, as its organiser."""
    user, found = user_of(request), find_club(club, user_of(request))

    def carry_out() -> Mapping[str, Any]:
        invite_member(found.pk, user, body.name, now=clock.now())
        return {"you": require_member_of(found, user).role}

    return change_once(request, "club-invite", key, found, carry_out)


@router.post(
    "/clubs/{club}/news", response=Changed, auth=Token("talk"), summary="Post news", operation_id="post_news"
)
def news(request: HttpRequest, club: Slug, body: NewsSent, key: Key) -> Changed:
    """Post news to your club, as its organiser."""
    user, found = user_of(request), find_club(club, user_of(request))

    def carry_out() -> Mapping[str, Any]:
        post_news(found.pk, user, body.text, now=clock.now())
        return {"you": require_member_of(found, user).role}

    return change_once(request, "club-news", key, found, carry_out)


def _describe(found: Club) -> dict[str, Any]:
    """The fields of `ClubLine`."""
    return {
        "club": found.slug,
        "name": found.name,
        "private": found.is_private,
        "asks_first": found.is_asked_first,
        "closed": found.closed_at is not None,
    }


def change_once(
    request: HttpRequest, verb: str, key: str, found: Club, act: Callable[[], Mapping[str, Any]]
) -> Changed:
    """Carry it out once under the key; `act` returns what the asker is in the club then, as `you`."""
    answer, is_repeat = Keyed(request, verb, key, slug=found.slug).once(act)
    return Changed(club=found.slug, you=answer["you"], repeat=is_repeat)
