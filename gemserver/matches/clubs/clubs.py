"""Finds clubs for actions, pages and mails, and says who may do what in them."""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_among
from gemserver.clubs.models import Club, Member
from gemserver.clubs.selectors import Reader, membership, shown_to
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused

_MAY_ORGANISE = frozenset({Member.Role.OWNER, Member.Role.ORGANISER})


def find_club(slug: str, reader: Reader) -> Club:
    """Find the club with this short name; raises Refused(no-such-club), also if the reader may not know of it."""
    club = shown_to(reader).filter(slug=slug.lower()).first()
    if club is None:
        raise no_such_club()
    return club


def lock_club(club_id: int, reader: User) -> Club:
    """Return the club, its row locked until the transaction ends.

    Raises Refused(no-such-club, club-closed).
    """
    club = Club.objects.select_for_update(no_key=True).filter(pk=club_id).first()
    if club is None or not shown_to(reader).filter(pk=club_id).exists():
        raise no_such_club()
    if club.closed_at is not None:
        raise Refused("club-closed", "The club {name} is closed; nothing changes there.", name=club.name)
    return club


def lock_club_of(match_id: int) -> None:
    """Lock the club of this match, if it has one, so that nobody goes who is about to sit down; before the match."""
    of_match = Match.objects.filter(pk=match_id).values("club")
    list(Club.objects.select_for_update(no_key=True).filter(pk__in=of_match).values_list("pk", flat=True))


def require_member_of(club: Club, user: User) -> Member:
    """The user's row in the club; raises Refused(not-a-member, no-such-club)."""
    if found := membership(club, user):
        return found
    if club.is_private:
        raise no_such_club()
    raise Refused("not-a-member", "You do not belong to {name}; join it first.", name=club.name)


def require_organiser(club: Club, user: User) -> Member:
    """Like `require_member_of`, for what owners and organisers may do; raises Refused(not-an-organiser) too."""
    found = require_member_of(club, user)
    if found.role not in _MAY_ORGANISE:
        raise Refused(
            "not-an-organiser", "Only organisers of {name} can do this; ask one of them.", name=club.name
        )
    return found


def require_owner(club: Club, user: User) -> Member:
    """Like `require_member_of`, for what only owners may do; raises Refused(not-an-owner) too."""
    found = require_member_of(club, user)
    if found.role != Member.Role.OWNER:
        raise Refused("not-an-owner", "Only an owner of {name} can do this; ask one.", name=club.name)
    return found


def find_member(club: Club, name: str) -> Member:
    """The member whose name this is, in any case; raises Refused(no-such-member)."""
    user = find_among(User.objects.filter(memberships__club=club), name)
    if found := membership(club, user):
        return found
    raise Refused(
        "no-such-member",
        "There is no member “{name}” in {club}; copy the name from the club's page.",
        name=name.strip()[:80],
        club=club.name,
    )


def no_such_club() -> Refused:
    return Refused("no-such-club", "There is no such club; look at the list of clubs.")
