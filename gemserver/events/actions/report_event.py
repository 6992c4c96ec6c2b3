"""Report what an event says about itself to the moderators."""

from __future__ import annotations

from datetime import datetime

from gemserver.accounts.models import User
from gemserver.clubs.models import Member
from gemserver.events.models import Event
from gemserver.events.rights import may_see, no_such_event
from gemserver.matches.actions.talk.report_abuse import PublicText, report_text
from gemserver.matches.models import Report

MOST_REASONS = 10
"""The last reasons of its organisers, which a report keeps as they stand."""


def report_event(event_id: int, by: User, text: str, *, now: datetime) -> Report:
    """Ask the moderators to look at name, description and organisers' reasons of an event.

    Raises Refused(no-such-event) and what `report_text` raises.
    """
    event = Event.objects.select_related("club").filter(pk=event_id).first()
    if event is None or not may_see(event, by):
        raise no_such_event()
    reasons = event.log.exclude(reason="").order_by("-pk").values_list("reason", flat=True)[:MOST_REASONS]
    quoted = "\n\n".join(part for part in (f"{event.name} ({event.slug})", event.about, *reasons) if part)
    return report_text(
        PublicText(f"event:{event.pk}", event.name, quoted, authors_of(event)), by, text, now=now
    )


def authors_of(event: Event) -> list[User]:
    """Those who write for the event: its organisers, who opened it first."""
    return [row.user for row in event.organisers.select_related("user").order_by("pk")]


def own_texts(user: User) -> list[str]:
    """The keys (`Report.about`) of the clubs and events for whose words this user answers."""
    clubs = user.memberships.exclude(role=Member.Role.MEMBER).values_list("club", flat=True)
    events = user.organised.values_list("event", flat=True)
    return [*(f"club:{key}" for key in clubs), *(f"event:{key}" for key in events)]
