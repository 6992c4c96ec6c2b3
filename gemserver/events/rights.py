"""Rights in an event. Nothing here lets anybody see more of a running match."""

from __future__ import annotations

from datetime import datetime, timedelta

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club, Member
from gemserver.events.models import Division, Event, EventLog, Replacement, Season
from gemserver.lib.text import clean
from gemserver.matches.refusal import Refused


def is_organiser(event: Event, user: User) -> bool:
    """True for the event's organisers, those of its club, and moderators."""
    return user.has_role(Role.MODERATOR) or organises(event, user)


def organises(event: Event, user: User) -> bool:
    """True for the event's organisers and those of its club, whatever role they have on the server."""
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
    """Raise Refused(not-organiser, plays-here): nobody decides in a division in which they play or have played."""
    require_organiser(division.season.event, user)
    if _has_played(division, user):
        raise Refused(
            "plays-here",
            "You play in this division, so you cannot decide in it; ask another organiser or a moderator.",
        )


def _has_played(division: Division, user: User) -> bool:
    if division.entries.filter(player=user).exists():
        return True
    handed_on = EventLog.objects.filter(season=division.season_id, kind="replaced", data__former=user.pk)
    entries = [line.data["entry"] for line in handed_on]
    return division.entries.filter(pk__in=entries).exists()


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
    """True unless the event belongs to a private club of which this user (None: nobody) is no member."""
    if event.club is None or not event.club.is_private:
        return True
    return user is not None and event.club.members.filter(user=user).exists()


def no_such_event() -> Refused:
    return Refused("no-such-event", "There is no such event; look at the list of events.")
