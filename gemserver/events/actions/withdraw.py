"""Withdraw from a season, before it starts or while it is played."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.events.actions.replace_player import refuse_to_replace
from gemserver.events.locking import lock_current_season
from gemserver.events.models import Entry, Replacement, Season
from gemserver.events.replacements import asked_in
from gemserver.events.seasons import post
from gemserver.matches.actions.seats.hand_over import give_up_seat
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused


def withdraw(event_id: int, user: User, *, now: datetime) -> Entry | Replacement:
    """Leave the season, or say no to going on for somebody in it; a second time changes nothing.

    Before the start the entry simply does not count. Later a bot plays on in all running fixtures, for good: their
    results count for the others, and the entry is listed below all who stayed.
    Raises Refused(no-such-event, event-rests, not-entered).
    """
    with transaction.atomic():
        season = lock_current_season(event_id)
        entry = season.entries.filter(player=user).first()
        if question := asked_in(season.event, user, now):
            refuse_to_replace(question, now=now)
            return question
        if entry is None and (refused := _refused_in(season, user)):
            return refused
        if entry is None:
            raise Refused(
                "not-entered",
                "You have not entered {event}; there is nothing to withdraw from.",
                event=season.event.name,
            )
        if entry.withdrawn_at is not None:
            return entry
        entry.withdrawn_at = now
        entry.save(update_fields=["withdrawn_at"])
        if season.state == Season.State.RUNNING:
            post(season, "withdrawn", by=user, now=now, entry=entry.pk)
            give_up_seats(entry, user, now=now)
    return entry


def _refused_in(season: Season, user: User) -> Replacement | None:
    said_no = Replacement.objects.filter(
        newcomer=user, entry__season=season, outcome=Replacement.Outcome.REFUSED
    )
    return said_no.select_related("entry__season__event", "entry__player").last()


def give_up_seats(entry: Entry, user: User, *, now: datetime) -> None:
    """Let bots play on in the running fixtures of an entry; the caller holds the season's lock."""
    places = entry.places.filter(fixture__match__status=Match.Status.RUNNING).select_related("fixture")
    for place in places.order_by("fixture__match_id"):
        assert place.fixture.match_id is not None
        match = lock_match(place.fixture.match_id)
        seat = match.seats.select_related("user").get(index=place.index)
        if match.is_running and seat.user_id == user.pk:
            give_up_seat(match, seat, is_open=False, now=now)
