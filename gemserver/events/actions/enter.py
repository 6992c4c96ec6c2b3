"""Enter the season of an event that is open for entries."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.clubs.selectors import is_member
from gemserver.events.actions.replace_player import agree_to_replace
from gemserver.events.locking import lock_current_season
from gemserver.events.models import Entry, Season
from gemserver.events.replacements import asked_in
from gemserver.events.rights import club_closed, require_person
from gemserver.events.seasons import is_club_closed
from gemserver.matches.actions.tables.give_part import part_from
from gemserver.matches.refusal import Refused


def enter(event_id: int, user: User, *, words: str = "", now: datetime) -> Entry:
    """Enter, or come back after withdrawing; a second time gives the same entry.

    In a season that runs this is the yes of who was asked to go on for a player (`propose_replacement`).
    `words`: the player's own part of all deals of the season, which may be replaced until it starts.
    Raises Refused(guest, no-bots, no-such-event, event-rests, not-member, entries-closed, club-closed, too-many-words),
    and what `agree_to_replace` raises.
    """
    require_person(user)
    with transaction.atomic():
        season = lock_current_season(event_id)
        event = season.event
        if event.club is not None and not is_member(event.club, user):
            raise Refused("not-member", "This event is for members of its club; join the club first.")
        mine = season.entries.filter(player=user).first()
        if season.state != Season.State.ENTERING or now >= season.starts_at:
            if mine is not None and mine.withdrawn_at is None:
                return mine
            if question := asked_in(event, user, now):
                return agree_to_replace(question, now=now)
            raise Refused(
                "entries-closed",
                "Season {number} of {event} has begun; enter the next one once this is over.",
                number=season.number,
                event=event.name,
            )
        if is_club_closed(event):
            raise club_closed(event)
        if mine is None:
            mine = Entry(season=season, player=user, entered_at=now)
        elif mine.withdrawn_at is not None:
            mine.withdrawn_at, mine.entered_at = None, now
        if words.strip():
            mine.part, mine.part_at = part_from(words), now
        mine.save()
    return mine
