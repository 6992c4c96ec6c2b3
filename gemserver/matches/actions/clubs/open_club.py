"""Open a club, change what it says about itself, and close it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.crypto import get_random_string
from django.utils.text import slugify

from gemserver.accounts.models import User
from gemserver.clubs.models import Club, Member
from gemserver.clubs.selectors import ownerships
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.text.plain import clean
from gemserver.matches.actions.people.rename import require_valid_name
from gemserver.matches.clubs.clubs import lock_club, require_owner
from gemserver.matches.locking import lock_open_account
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused

MOST_OWNED = 5
"""Open clubs of which one person is an owner."""
MOST_OPENED_A_DAY = 3
LONGEST_ABOUT = 2000
LONGEST_SLUG = 30
NAMES = "names of clubs"
"""Taken one after the other, so that two at once do not have the same."""
_RESERVED = frozenset({"new"})
"""Short names whose address is taken by a page of ours."""
_SUFFIX = 6
"""Random signs behind the short name of a private club, so that nobody finds out by trying that it exists."""


def open_club(
    owner: User,
    *,
    name: str,
    slug: str = "",
    about: str = "",
    is_private: bool = False,
    is_asked_first: bool = True,
    now: datetime,
) -> Club:
    """Open a club; its opener owns it. Without `slug` the short name is made of the name.

    Raises Refused(shut, people-only, too-many-clubs, bad-name, bad-slug, name-taken, too-long).
    """
    with transaction.atomic():
        owner = lock_open_account(owner.pk)
        require_person(owner)
        _check_number(owner, now)
        name = _good_name(name)
        count_alone(NAMES)
        club = Club(
            name=name,
            slug=_free_slug(slug or name, is_private=is_private),
            about=_good_about(about),
            is_private=is_private,
            is_asked_first=is_asked_first,
            created_at=now,
            opened_by=owner,
        )
        _require_free_name(club)
        club.save()
        Member.objects.create(club=club, user=owner, role=Member.Role.OWNER, joined_at=now)
    return club


def change_club(
    club_id: int,
    by: User,
    *,
    name: str,
    about: str,
    is_private: bool,
    is_asked_first: bool,
    now: datetime,
) -> Club:
    """Change what the club says about itself, as an owner; its short name stays.

    A private club that has opened tables stays private: its players were promised so. A listed one may become private;
    what was begun until then counts in public as before (`began_in_public`).
    Raises Refused(no-such-club, club-closed, not-a-member, not-an-owner, bad-name, name-taken, too-long, has-matches).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_owner(club, by)
        if club.is_private and not is_private and Match.objects.filter(club=club).exists():
            raise Refused(
                "has-matches",
                "{name} has played in private, and that stays private; open another club that is listed.",
                name=club.name,
            )
        club.name, club.about = _good_name(name), _good_about(about)
        if is_private != club.is_private:
            club.listed_until = now if is_private else None
        club.is_private, club.is_asked_first = is_private, is_asked_first
        count_alone(NAMES)
        _require_free_name(club)
        club.save(update_fields=["name", "about", "is_private", "listed_until", "is_asked_first"])
    return club


def close_club(club_id: int, by: User, *, now: datetime) -> Club:
    """Close the club for good, as an owner: its matches go on, nobody joins, and no table is opened for it.

    Raises Refused(no-such-club, club-closed, not-a-member, not-an-owner).
    """
    with transaction.atomic():
        club = lock_club(club_id, by)
        require_owner(club, by)
        shut(club, now)
    return club


def shut(club: Club, now: datetime) -> None:
    """Close the club; the caller holds its lock."""
    club.closed_at = now
    club.save(update_fields=["closed_at"])
    club.candidates.all().delete()


def require_person(user: User) -> None:
    """Raise Refused(people-only) for bots and guests."""
    if user.is_bot or user.is_guest:
        raise Refused("people-only", "Clubs are for people with an account; bots and guests stay outside.")


def _check_number(owner: User, now: datetime) -> None:
    lately = Club.objects.filter(opened_by=owner, created_at__gt=now - timedelta(days=1))
    if ownerships(owner).count() >= MOST_OWNED or lately.count() >= MOST_OPENED_A_DAY:
        raise Refused(
            "too-many-clubs",
            "One person owns {most} clubs at most and opens {daily} within a day; close one or come back tomorrow.",
            most=MOST_OWNED,
            daily=MOST_OPENED_A_DAY,
        )


def _good_name(name: str) -> str:
    name = " ".join(name.split())
    require_valid_name(name)
    return name


def _good_about(about: str) -> str:
    about = clean(about).strip()
    if len(about) > LONGEST_ABOUT:
        raise Refused(
            "too-long", "Write at most {most} letters about the club; shorten it.", most=LONGEST_ABOUT
        )
    return about


def _free_slug(wanted: str, *, is_private: bool) -> str:
    """The short name of a new club. Raises Refused(bad-slug, name-taken)."""
    room = LONGEST_SLUG - (_SUFFIX + 1) * is_private
    slug = slugify(wanted).replace("_", "-")[:room].strip("-")
    if not slug or slug in _RESERVED:
        raise Refused(
            "bad-slug", "Give the club a short name of letters a to z and digits, for its address; not “new”."
        )
    if is_private:
        return f"{slug}-{get_random_string(_SUFFIX, 'abcdefghjkmnpqrstuvwxyz23456789')}"
    if Club.objects.filter(slug=slug).exists():
        raise _taken(slug)
    return slug


def _require_free_name(club: Club) -> None:
    """Raise Refused(name-taken) if another listed club is called like this one, which is listed too."""
    others = Club.objects.filter(name__iexact=club.name, is_private=False, closed_at=None).exclude(pk=club.pk)
    if not club.is_private and others.exists():
        raise _taken(club.name)


def _taken(name: str) -> Refused:
    return Refused("name-taken", "A club is called “{name}” already; choose another name.", name=name)
