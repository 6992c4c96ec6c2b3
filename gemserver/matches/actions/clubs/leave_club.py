"""Leave a club, remove a member, and give members other roles."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.matches.actions.clubs.open_club import shut
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
    Raises Refused(no-such-club, not-a-member, last-owner, no-such-member).
    """
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True).filter(pk=club_id).first()
        if club is None:
            raise no_such_club()
        member = require_member_of(club, user)
        if heir.strip():
            _promote(find_member(club, heir))
        if club.closed_at is None and _is_last_owner(member):
            raise Refused(
                "last-owner",
                "You are the only owner of {name}; name a member who takes it over, or close the club.",
                name=club.name,
            )
        _take_out(member, now)


def give_up_membership(member: Member, now: datetime) -> None:
    """Take somebody out whose account ends; the longest-standing member inherits, and an empty club is closed."""
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True).get(pk=member.club_id)
        others = club.members.exclude(pk=member.pk)
        heir = others.filter(role=Member.Role.ORGANISER).order_by("joined_at", "pk").first()
        heir = heir or others.order_by("joined_at", "pk").first()
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

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-owner, no-such-member, last-owner).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_owner(club, by)
        member = find_member(club, name)
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
