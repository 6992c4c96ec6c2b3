"""Open an event and the entries of its first season."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club
from gemserver.events.actions.event_terms import EventTerms
from gemserver.events.models import Event, Organiser
from gemserver.events.rights import organises_club, require_person
from gemserver.events.seasons import make_season, post
from gemserver.matches.clubs.clubs import lock_club
from gemserver.matches.locking import lock_open_account
from gemserver.matches.refusal import Refused

MOST_EVENTS = 3
"""Events that are not closed which one person may have opened, below the role of a moderator."""
MOST_A_DAY = 5
"""Events that one person may open within a day, below that role: each takes a short name for good."""


def open_event(organiser: User, terms: EventTerms, *, now: datetime) -> Event:
    """Open an event; who opens it is its first organiser, and players may enter its first season until it begins.

    Raises Refused(guest, no-bots, no-such-club, not-club-organiser, club-closed, shut, too-many-events,
    event-name-taken) and what `EventTerms.fields` raises.
    """
    require_person(organiser)
    try:
        with transaction.atomic():
            if terms.club is not None:
                _lock_club(terms.club, organiser)
            fields = terms.fields(now)
            lock_open_account(organiser.pk)  # so that two at once count each other
            _check_number(organiser, now)
            event = Event.objects.create(**fields, created_by=organiser, created_at=now)
            Organiser.objects.create(event=event, user=organiser, since=now)
            season = make_season(event, 1, starts_at=terms.starts_at, now=now)
            post(season, "opened", by=organiser, now=now)
    except IntegrityError:
        raise _name_taken(terms.slug) from None
    return event


def find_faults(terms: EventTerms, *, now: datetime) -> dict[str, Refused]:
    """All that `open_event` would refuse of these terms, by the name of the term, the first thing first."""
    faults = terms.find_faults(now)
    if "slug" not in faults and Event.objects.filter(slug=terms.slug).exists():
        faults["slug"] = _name_taken(terms.slug)
    return faults


def _name_taken(slug: str) -> Refused:
    return Refused(
        "event-name-taken", "There is an event called {slug} already; choose another short name.", slug=slug
    )


def _lock_club(club: Club, organiser: User) -> None:
    """Lock the club, so that it is not closed, and the organiser's role not taken away, meanwhile."""
    lock_club(club.pk, organiser)
    if not organises_club(club, organiser):
        raise Refused("not-club-organiser", "Only organisers of {club} open its events.", club=club.name)


def _check_number(organiser: User, now: datetime) -> None:
    if organiser.has_role(Role.MODERATOR):
        return
    own = Event.objects.filter(created_by=organiser)
    if own.filter(created_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Refused(
            "too-many-events",
            "You have opened {most} events within a day; open more of them tomorrow.",
            most=MOST_A_DAY,
        )
    if own.filter(closed_at=None).count() >= MOST_EVENTS:
        raise Refused(
            "too-many-events",
            "{most} events of yours are open already; close one of them first.",
            most=MOST_EVENTS,
        )
