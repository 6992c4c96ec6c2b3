"""Take words of an event away, by a moderator's decision."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from django.db import transaction
from django.utils.crypto import get_random_string

from gemserver.events.models import Correction, Event, Fixture


class Part(StrEnum):
    """The words of an event that can be taken away."""

    NAME = "name"
    ABOUT = "about"
    REASONS = "reasons"


REMOVED = "…"
"""Stands for a reason that was taken away; a correction cannot be without one."""


def clear_event(event_id: int, parts: Collection[Part]) -> Event:
    """Put `event 12` for name and short name, empty the description, or take all reasons of its organisers away.

    A second time changes nothing. The deeds stay in the event's log.
    """
    with transaction.atomic():
        event = Event.objects.select_for_update(of=("self",), no_key=True).get(pk=event_id)
        if Part.NAME in parts:
            event.name, event.slug = f"event {event.pk}", _free_slug(event)
        if Part.ABOUT in parts:
            event.about = ""
        event.save(update_fields=["name", "slug", "about"])
        if Part.REASONS in parts:
            event.log.exclude(reason="").update(reason=REMOVED)
            fixtures = Fixture.objects.filter(division__season__event=event)
            fixtures.exclude(reason="").update(reason=REMOVED)
            Correction.objects.filter(entry__season__event=event).update(reason=REMOVED)
    return event


def _free_slug(event: Event) -> str:
    slug = f"event-{event.pk}"
    is_taken = Event.objects.filter(slug=slug).exclude(pk=event.pk).exists()
    return f"{slug}-{get_random_string(6, 'abcdefghjkmnpqrstuvwxyz23456789')}" if is_taken else slug
