"""Join a club or ask to, invite somebody, and answer."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from gemserver.accounts.blocks import is_blocked
from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_player
from gemserver.accounts.names import unmarked
from gemserver.clubs.models import Candidate, Club, Member
from gemserver.clubs.selectors import membership
from gemserver.matches.actions.clubs.hand_on import hand_on
from gemserver.matches.actions.clubs.open_club import require_person
from gemserver.matches.clubs.club_notices import count_told_invitations, tell_asked, tell_invited, tell_let_in
from gemserver.matches.clubs.clubs import lock_club, no_such_club, require_organiser
from gemserver.matches.locking import lock_open_account
from gemserver.matches.refusal import Refused

MOST_MEMBERS = 500
MOST_CLUBS = 30
"""Clubs that one person belongs to."""
MOST_ASKED = 10
"""Clubs that one person asks at the same time."""
MOST_INVITED_A_DAY = 30
"""Invitations of one person within a day."""


def join_club(club_id: int, user: User, *, now: datetime) -> Member | Candidate:
    """Become a member where the club is open to all or has invited the user; else ask its organisers.

    Joining or asking twice changes nothing. Who was removed asks in any case.
    Raises Refused(no-such-club, club-closed, people-only, too-many-clubs, club-full, shut, too-many-asked).
    """
    with transaction.atomic():
        require_person(user)
        club = lock_club(club_id, user)
        if known := membership(club, user):
            return known
        candidate = club.candidates.filter(user=user).first()
        kind = candidate.kind if candidate else None
        must_ask = club.is_asked_first or (candidate is not None and candidate.must_ask)
        if kind == Candidate.Kind.INVITED or not must_ask:
            return _let_in(club, user, now)
        if club.is_private:
            raise no_such_club()
        if candidate and kind == Candidate.Kind.ASKED:
            return candidate
        return _ask(club, user, now)


def _ask(club: Club, user: User, now: datetime) -> Candidate:
    lock_open_account(user.pk)
    if Candidate.objects.filter(user=user, kind=Candidate.Kind.ASKED).count() >= MOST_ASKED:
        raise Refused(
            "too-many-asked",
            "You have asked {most} clubs already; wait for an answer from one.",
            most=MOST_ASKED,
        )
    asked = _note(club, user, Candidate.Kind.ASKED, None, now)
    tell_asked(asked)
    return asked


def take_back_request(club_id: int, user: User) -> None:
    """Stop asking to join, or decline an invitation; without either nothing changes. Raises Refused(no-such-club)."""
    with transaction.atomic():
        club = lock_club(club_id, user)
        _forget(club.candidates.filter(user=user, kind=Candidate.Kind.ASKED))
        club.candidates.filter(user=user, kind=Candidate.Kind.INVITED).update(kind=Candidate.Kind.DECLINED)


def invite_member(club_id: int, by: User, name: str, *, now: datetime) -> Member | Candidate:
    """Invite a player by name, as an organiser; one who asks to join is let in. Inviting twice changes nothing.

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-organiser, no-such-player, no-invitations,
    shut, too-many-invitations, too-many-clubs, club-full).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_organiser(club, by)
        user = _find_person(name)
        if known := membership(club, user):
            return known
        candidate = club.candidates.filter(user=user).first()
        if candidate and candidate.kind == Candidate.Kind.ASKED:
            member = _let_in(club, user, now)
            tell_let_in(member)
            return member
        if candidate and candidate.kind == Candidate.Kind.INVITED:
            return candidate
        if is_blocked(by, user) or (candidate and candidate.kind == Candidate.Kind.DECLINED):
            raise Refused(
                "no-invitations",
                "{name} cannot be invited from here; talk to them yourself.",
                name=user.username,
            )
        lock_open_account(by.pk)
        yesterday = now - timedelta(days=1)
        standing = Candidate.objects.filter(by=by, since__gt=yesterday).count()
        if max(standing, count_told_invitations(by, yesterday)) >= MOST_INVITED_A_DAY:
            raise Refused(
                "too-many-invitations",
                "You have invited {most} people within a day; come back tomorrow.",
                most=MOST_INVITED_A_DAY,
            )
        invited = _note(club, user, Candidate.Kind.INVITED, by, now)
        tell_invited(invited)
        return invited


def turn_down(club_id: int, by: User, name: str) -> None:
    """Refuse somebody who asks to join, or take an invitation back, as an organiser; twice changes nothing.

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-organiser).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_organiser(club, by)
        pending = [Candidate.Kind.ASKED, Candidate.Kind.INVITED]
        _forget(club.candidates.filter(user__username__iexact=unmarked(name), kind__in=pending))


def _forget(candidates: QuerySet[Candidate]) -> None:
    """Delete what they asked, or were offered; of who was removed before it stays that they were."""
    candidates.filter(was_removed=True).update(kind=Candidate.Kind.REMOVED)
    candidates.filter(was_removed=False).delete()


def _let_in(club: Club, user: User, now: datetime) -> Member:
    lock_open_account(user.pk)
    if club.members.count() >= MOST_MEMBERS:
        raise Refused(
            "club-full", "{name} has {most} members, and no room.", name=club.name, most=MOST_MEMBERS
        )
    if user.memberships.filter(club__closed_at=None).count() >= MOST_CLUBS:
        raise Refused(
            "too-many-clubs", "{most} clubs are the most for one person; leave one first.", most=MOST_CLUBS
        )
    club.candidates.filter(user=user).delete()
    member = Member.objects.create(club=club, user=user, joined_at=now)
    if hand_on(club, now) == member:  # the first who comes where all who were there are shut
        member.refresh_from_db()
    return member


def _note(club: Club, user: User, kind: Candidate.Kind, by: User | None, now: datetime) -> Candidate:
    known = club.candidates.filter(user=user).first()
    given = {"kind": kind, "by": by, "since": now, "was_removed": known is not None and known.must_ask}
    return Candidate.objects.update_or_create(club=club, user=user, defaults=given)[0]


def _find_person(name: str) -> User:
    person = find_player(name)
    if person is None or person.is_bot:
        raise Refused(
            "no-such-player",
            "There is no player “{name}”; check how the name is written.",
            name=name.strip()[:80],
        )
    return person
