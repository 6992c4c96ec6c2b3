"""Leave a club, remove a member, and give members other roles."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Case, Exists, OuterRef, When

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.clubs.selectors import ownerships
from gemserver.matches.actions.clubs.open_club import MOST_OWNED, shut
from gemserver.matches.actions.tables.leave_table import leave_if_waiting
from gemserver.matches.clubs import (
    find_member,
    lock_club,
    no_such_club,
    require_member_of,
    require_organiser,
    require_owner,
)
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused


def leave_club(club_id: int, user: User, *, heir: str = "", now: datetime) -> None:
    """Leave the club, and its tables that wait for players; running matches are played on.

    The last owner names an `heir` among the members, or closes the club.
    Raises Refused(no-such-club, not-a-member, last-owner, no-such-member, not-an-owner, owns-enough).
    """
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True).filter(pk=club_id).first()
        if club is None:
            raise no_such_club()
        member = require_member_of(club, user)
        named = _find_heir(club, user, heir)
        if club.closed_at is None and _is_last_owner(member) and named in (None, member):
            raise Refused(
                "last-owner",
                "You are the only owner of {name}; name a member who takes it over, or close the club.",
                name=club.name,
            )
        _take_out(member, now)
        if named and named != member:  # behind the tables, as the heir's account is locked after all matches
            _require_room(named)
            _promote(named)


def _find_heir(club: Club, user: User, heir: str) -> Member | None:
    """The member of this name, whom an owner makes an owner; None without a name."""
    if not heir.strip():
        return None
    require_owner(club, user)
    return find_member(club, heir)


def give_up_membership(member: Member, now: datetime) -> None:
    """Take somebody out whose account ends; the longest-standing member inherits, and an empty club is closed.

    Organisers come first; whoever owns `MOST_OWNED` clubs inherits only where everybody does.
    """
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True).get(pk=member.club_id)
        owns_enough = Exists(ownerships(OuterRef("user"))[MOST_OWNED - 1 :])
        rank = Case(When(owns_enough, then=2), When(role=Member.Role.ORGANISER, then=0), default=1)
        heir = club.members.exclude(pk=member.pk).order_by(rank, "joined_at", "pk").first()
        if _is_last_owner(member) and heir:
            _promote(heir)
        _take_out(member, now)
        if heir is None and club.closed_at is None:
            shut(club, now)


def remove_member(club_id: int, by: User, name: str, *, now: datetime) -> None:
    """Remove a member, as an organiser; organisers and owners only as an owner. They come back when let in.

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-organiser, not-an-owner, no-such-member, yourself).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_organiser(club, by)
        member = find_member(club, name)
        if member.user_id == by.pk:
            raise Refused("yourself", "You cannot remove yourself; to go, leave the club.")
        if member.role != Member.Role.MEMBER:
            require_owner(club, by)
        _take_out(member, now)
        given = {"kind": Candidate.Kind.REMOVED, "by": by, "since": now}
        Candidate.objects.update_or_create(club=club, user=member.user, defaults=given)


def set_role(club_id: int, by: User, name: str, role: Member.Role) -> Member:
    """Give a member another role, as an owner; the last owner stays one until there is another.

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-owner, no-such-member, last-owner, owns-enough).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_owner(club, by)
        member = find_member(club, name)
        if role == Member.Role.OWNER != member.role:
            _require_room(member)
        if role != Member.Role.OWNER and _is_last_owner(member):
            raise Refused(
                "last-owner", "{name} needs an owner; make somebody else an owner first.", name=club.name
            )
        member.role = role
        member.save(update_fields=["role"])
    return member


def _is_last_owner(member: Member) -> bool:
    owners = Member.objects.filter(club=member.club_id, role=Member.Role.OWNER)
    return list(owners.values_list("pk", flat=True)) == [member.pk]


def _require_room(member: Member) -> None:
    """Lock the account and raise Refused(owns-enough) if one more club would be too many for it."""
    lock_user(member.user_id)
    if ownerships(member.user).count() >= MOST_OWNED:
        raise Refused(
            "owns-enough",
            "{name} owns {most} clubs, which is the most for one person; name another member, or ask them to give "
            "one up first.",
            name=member.user.username,
            most=MOST_OWNED,
        )


def _promote(member: Member) -> None:
    member.role = Member.Role.OWNER
    member.save(update_fields=["role"])


def _take_out(member: Member, now: datetime) -> None:
    """Delete the row, and give back the seats at the club's tables that wait for players."""
    waiting = Seat.objects.filter(
        user=member.user_id, match__club=member.club_id, match__status=Match.Status.OPEN
    )
    for match_id in list(waiting.order_by("match_id").values_list("match_id", flat=True)):
        leave_if_waiting(match_id, member.user, now=now)
    member.delete()
