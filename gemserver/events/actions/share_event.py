"""Let others organise an event too, or no longer."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.events.locking import lock_last_season
from gemserver.events.models import Event, Organiser, Season
from gemserver.events.notifications import tell_decision
from gemserver.events.rights import is_open_to, require_organiser, require_person
from gemserver.events.seasons import post
from gemserver.matches.refusal import Refused

MOST_ORGANISERS = 10
"""At one time, and put in within a day: each is sent a mail."""


def add_organiser(event_id: int, newcomer: User, *, by: User, now: datetime) -> Organiser:
    """Let somebody organise the event too; a second time changes nothing.

    Raises Refused(no-such-event, not-organiser, guest, no-bots, not-member, too-many-organisers).
    """
    require_person(newcomer)
    with transaction.atomic():
        season = _lock(event_id, by)
        event = season.event
        if not is_open_to(event, newcomer):
            raise Refused("not-member", "This event is for members of its club; join the club first.")
        there = event.organisers.filter(user=newcomer).first()
        if there is not None:
            return there
        if event.organisers.count() >= MOST_ORGANISERS:
            raise Refused(
                "too-many-organisers",
                "{most} people organise this event already; take one of them out first.",
                most=MOST_ORGANISERS,
            )
        lately = event.log.filter(kind="shared", at__gt=now - timedelta(days=1))
        if lately.count() >= MOST_ORGANISERS:
            raise Refused(
                "too-many-organisers",
                "{most} people were put in within a day; come back tomorrow.",
                most=MOST_ORGANISERS,
            )
        added = Organiser.objects.create(event=event, user=newcomer, since=now)
        tell_decision(post(season, "shared", by=by, now=now, player=newcomer.pk), [newcomer])
    return added


def remove_organiser(event_id: int, former: User, *, by: User, now: datetime) -> None:
    """Let somebody, oneself too, organise the event no longer; a second time changes nothing.

    Raises Refused(no-such-event, not-organiser, last-organiser).
    """
    with transaction.atomic():
        season = _lock(event_id, by)
        event = season.event
        there = event.organisers.filter(user=former)
        if not there.exists():
            return
        if not event.organisers.exclude(user=former).filter(user__is_active=True).exists():
            raise Refused(
                "last-organiser",
                "{name} is the last organiser of this event; put somebody else in first, or close the event.",
                name=former.shown_name,
            )
        there.delete()
        tell_decision(post(season, "unshared", by=by, now=now, player=former.pk), {former} - {by})


def _lock(event_id: int, by: User) -> Season:
    """The last season, locked, so that two who change the organisers at once see each other's change."""
    season = lock_last_season(event_id)
    require_organiser(Event.objects.get(pk=event_id), by)
    return season
