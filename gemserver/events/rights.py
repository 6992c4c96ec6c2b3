"""Rights in an event. Nothing here lets anybody see more of a running match."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Manager, QuerySet

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club, Member
from gemserver.clubs.selectors import is_member
from gemserver.events.models import Division, Entry, Event, EventLog, Replacement, Season
from gemserver.lib.text.plain import clean
from gemserver.matches.refusal import Refused
from gemserver.matches.selectors import own_matches


def is_organiser(event: Event, user: User) -> bool:
    """True for the event's organisers, those of its club, and moderators."""
    return user.has_role(Role.MODERATOR) or organises(event, user)


def organises(event: Event, user: User) -> bool:
    """True for the event's organisers and those of its club, whatever role they have on the server.

    Nobody organises in a private club that they have left, though they still play there.
    """
    if not is_open_to(event, user):
        return False
    return event.organisers.filter(user=user).exists() or (
        event.club is not None and organises_club(event.club, user)
    )


def organises_club(club: Club, user: User) -> bool:
    return club.members.filter(user=user, role__in=[Member.Role.OWNER, Member.Role.ORGANISER]).exists()


def require_organiser(event: Event, user: User) -> None:
    """Raise Refused(not-organiser); the role is read anew, as it may have gone while the season was waited for."""
    known = User.objects.filter(pk=user.pk, is_active=True).first()
    if known is None or not is_organiser(event, known):
        raise not_organiser(event)


def not_organiser(event: Event) -> Refused:
    return Refused(
        "not-organiser", "Only organisers of {event} can do this; ask one of them.", event=event.name
    )


def require_impartial(division: Division, user: User) -> None:
    """Raise Refused(not-organiser, plays-here): nobody decides in a division in which they play or have played.

    Nor while a match there goes on in which they sit for somebody, or have sat.
    """
    require_organiser(division.season.event, user)
    if _has_played(division.entries, user) or own_matches(user).filter(fixture__division=division).exists():
        raise Refused(
            "plays-here",
            "You play in this division, so you cannot decide in it; ask another organiser or a moderator.",
        )


def _has_played(entries: Manager[Entry], user: User) -> bool:
    """True for the player of one of these entries of a season, and for who has handed one of them on."""
    if entries.filter(player=user).exists():
        return True
    handed_on = EventLog.objects.filter(
        kind="replaced", data__former=user.pk, season__entries__in=entries.all()
    )
    return entries.filter(pk__in=[line.data["entry"] for line in handed_on.distinct()]).exists()


LONGEST_REASON = 500
MOST_DECISIONS = 20
"""Newcomers asked and points corrected in one event within a day: each time somebody is sent a mail."""


def require_reason(reason: str) -> str:
    """The reason as clean text; raises Refused(no-reason, too-long-reason)."""
    reason = clean(reason).strip()
    if not reason:
        raise Refused("no-reason", "Give a reason; it is shown to everybody in the event.")
    if len(reason) > LONGEST_REASON:
        raise Refused(
            "too-long-reason", "A reason has at most {most} characters; shorten it.", most=LONGEST_REASON
        )
    return reason


def require_few_decisions(season: Season, now: datetime) -> None:
    """Raise Refused(too-many-decisions) if a day has seen enough of them in this season."""
    since = now - timedelta(days=1)
    asked = Replacement.objects.filter(entry__season__event=season.event_id, asked_at__gt=since).count()
    corrected = season.event.log.filter(kind="corrected", at__gt=since).count()
    if asked + corrected >= MOST_DECISIONS:
        raise Refused(
            "too-many-decisions",
            "{most} such decisions were made in this event within a day; come back tomorrow.",
            most=MOST_DECISIONS,
        )


def require_person(user: User) -> None:
    """Raise Refused(guest, no-bots) for who cannot take part in events."""
    if user.is_guest:
        raise Refused("guest", "Guests cannot take part in events; make an account first.")
    if user.is_bot:
        raise Refused("no-bots", "Events are for people; bots do not take part.")


def may_see(event: Event, user: User | None) -> bool:
    """True for whom the event is open to, and for who plays in its present season, from which they may withdraw."""
    return is_open_to(event, user) or (user is not None and playing(user).filter(pk=event.pk).exists())


def is_open_to(event: Event, user: User | None) -> bool:
    """True unless the event belongs to a private club of which this user (None: nobody) is no member."""
    if event.club is None or not event.club.is_private:
        return True
    return user is not None and is_member(event.club, user)


def playing(user: User) -> QuerySet[Event]:
    """The events that have a season which this user has entered, and neither left nor ended."""
    present = [Season.State.ENTERING, Season.State.RUNNING]
    entries = Entry.objects.filter(player=user, withdrawn_at=None, season__state__in=present)
    return Event.objects.filter(pk__in=entries.values("season__event"))


def may_read_of(season: Season, user: User) -> bool:
    """True for who may see the event, and for who plays or has played in this very season."""
    return may_see(season.event, user) or _has_played(season.entries, user)


def club_closed(event: Event) -> Refused:
    return Refused(
        "club-closed",
        "The club of {event} is closed, and no further season is played; look at the list of events.",
        event=event.name,
    )


def no_such_event() -> Refused:
    return Refused("no-such-event", "There is no such event; look at the list of events.")
