"""Leave a club, remove a member, and give members other roles."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.clubs.selectors import open_owners, ownerships
from gemserver.matches.actions.clubs.hand_on import hand_on
from gemserver.matches.actions.clubs.open_club import MOST_OWNED, shut
from gemserver.matches.actions.tables.leave_table import leave_if_waiting
from gemserver.matches.clubs.club_notices import tell_inherited
from gemserver.matches.clubs.clubs import (
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

    The last owner names an `heir` among the members, or closes the club; an owner who is shut does not count.
    Raises Refused(no-such-club, not-a-member, last-owner, no-such-member, not-an-owner, cannot-own, owns-enough).
    """
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True).filter(pk=club_id).first()
        if club is None:
            raise no_such_club()
        member = require_member_of(club, user)
        named = _find_heir(club, user, heir)
        is_last = _is_last_owner(member)
        if club.closed_at is None and is_last and named in (None, member):
            raise Refused(
                "last-owner",
                "You are the only owner of {name}; name a member who takes it over, or close the club.",
                name=club.name,
            )
        _take_out(member, now)
        if named and named != member:  # behind the tables, as the heir's account is locked after all matches
            _require_room(named)
            _promote(named)
            if is_last:
                tell_inherited(named, now)


def _find_heir(club: Club, user: User, heir: str) -> Member | None:
    """The member of this name, whom an owner makes an owner; None without a name."""
    if not heir.strip():
        return None
    require_owner(club, user)
    return find_member(club, heir)


def give_up_membership(member: Member, now: datetime) -> None:
    """Take somebody out whose account ends; if nobody else owns the club a member inherits it.

    An empty club is closed.
    """
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True).get(pk=member.club_id)
        _take_out(member, now)
        hand_on(club, now)
        if club.closed_at is None and not club.members.exists():
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

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-owner, no-such-member, last-owner, cannot-own,
    owns-enough).
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
    is_owner = member.role == Member.Role.OWNER
    return is_owner and not open_owners(member.club_id).exclude(pk=member.pk).exists()


def _require_room(member: Member) -> None:
    """Lock the account and raise Refused(cannot-own, owns-enough) if it is shut, or has enough clubs."""
    if not lock_user(member.user_id).is_active:
        raise Refused(
            "cannot-own", "{name} cannot own a club just now; name another member.", name=member.user.username
        )
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
