"""Let another player go on for one of a season."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from gemserver.accounts.blocks import is_blocked
from gemserver.accounts.models import User
from gemserver.events.locking import lock_season
from gemserver.events.models import Entry
from gemserver.events.notifications import players_of, tell_decision
from gemserver.events.rights import (
    may_see,
    require_few_decisions,
    require_impartial,
    require_person,
    require_reason,
)
from gemserver.events.seasons import post, require_running
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused


def replace_player(entry_id: int, newcomer: User, *, by: User, reason: str, now: datetime) -> Entry:
    """Give an entry, its points and the seats of its running fixtures to a newcomer; a second time changes nothing.

    Raises Refused(no-such-entry, not-organiser, plays-here, no-reason, season-not-running, guest, no-bots, not-member,
    entered-already, decides-for-self, blocked, too-many-decisions, too-long-reason), and what `reassign_seat` raises.
    """
    reason = require_reason(reason)
    require_person(newcomer)
    with transaction.atomic():
        entry = Entry.objects.select_related("division__season__event").filter(pk=entry_id).first()
        if entry is None or entry.division is None:
            raise Refused("no-such-entry", "There is no such player in this season; look at the table.")
        season = lock_season(entry.season_id)
        entry.refresh_from_db(fields=["player", "withdrawn_at"])
        require_impartial(entry.division, by)
        require_running(season)
        if entry.player_id == newcomer.pk and entry.withdrawn_at is None:
            return entry
        if newcomer == by:
            raise Refused(
                "decides-for-self", "You cannot put yourself in; let another organiser or a moderator do it."
            )
        if is_blocked(by, newcomer):
            raise Refused(
                "blocked", "{name} cannot be put in by you; choose somebody else.", name=newcomer.shown_name
            )
        require_few_decisions(season, now)
        if not may_see(season.event, newcomer):
            raise Refused("not-member", "This event is for members of its club; join the club first.")
        if season.entries.filter(player=newcomer).exclude(pk=entry.pk).exists():
            raise Refused(
                "entered-already",
                "{name} is in this season already; choose somebody who is not.",
                name=newcomer.shown_name,
            )
        former, told = entry.player_id or 0, players_of([entry])
        entry.player, entry.withdrawn_at = newcomer, None
        entry.save(update_fields=["player", "withdrawn_at"])
        places = entry.places.filter(fixture__match__status=Match.Status.RUNNING).select_related("fixture")
        for place in places.order_by("fixture__match_id"):
            assert place.fixture.match_id is not None
            # One mail tells both of all their matches.
            reassign_seat(place.fixture.match_id, place.index, newcomer, reason, now=now, by_organiser=True)
        log = post(
            season,
            "replaced",
            by=by,
            now=now,
            reason=reason,
            entry=entry.pk,
            former=former,
            newcomer=newcomer.pk,
        )
        tell_decision(log, [*told, newcomer])
    return entry
