"""Let another player go on for one of a season: an organiser asks a newcomer, who has the say."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.blocks import is_blocked
from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.clubs.selectors import is_member
from gemserver.events.locking import lock_season
from gemserver.events.models import Entry, Place, Replacement, Season
from gemserver.events.notifications import players_of, tell_answered, tell_asked, tell_decision
from gemserver.events.replacements import open_questions
from gemserver.events.rights import (
    require_few_decisions,
    require_impartial,
    require_person,
    require_reason,
)
from gemserver.events.seasons import post, require_running
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.matches.who_may_sit import require_may_be_seated

MOST_ASKED = 3
"""Times that one person is asked within a day, by all events together."""


def propose_replacement(
    entry_id: int, newcomer: User, *, by: User, reason: str, now: datetime
) -> Replacement:
    """Ask a newcomer to take over an entry, its points and the seats of its running fixtures; once for an entry.

    Nothing changes before they agree (`enter`). Raises Refused(no-such-entry, not-organiser, plays-here, no-reason,
    season-not-running, guest, no-bots, not-member, entered-already, decides-for-self, blocked, has-refused,
    asked-already, asked-too-often, too-many-decisions, too-long-reason), and what `require_may_be_seated` raises.
    """
    reason = require_reason(reason)
    require_person(newcomer)
    with transaction.atomic():
        entry, season = _lock_entry(entry_id)
        assert entry.division is not None
        require_impartial(entry.division, by)
        require_running(season)
        known = entry.replacements.filter(outcome=Replacement.Outcome.OPEN).first()
        if known is not None and not open_questions(now).filter(pk=known.pk).exists():
            _close(known, Replacement.Outcome.LAPSED, now)
            known = None
        if known is not None and known.newcomer == newcomer:
            return known
        if known is not None:
            raise Refused(
                "asked-already",
                "{name} has been asked already; wait for the answer, or take the question back first.",
                name=known.newcomer.shown_name,
            )
        _require_askable(season, entry, newcomer, by, now)
        for place in _running_places(entry):
            assert place.fixture.match is not None
            seat = place.fixture.match.seats.get(index=place.index)
            require_may_be_seated(place.fixture.match, newcomer, seat)
        question = Replacement.objects.create(
            entry=entry, former=entry.player, newcomer=newcomer, by=by, reason=reason, asked_at=now
        )
        tell_asked(question)
    return question


def _require_askable(season: Season, entry: Entry, newcomer: User, by: User, now: datetime) -> None:
    name = newcomer.shown_name
    if newcomer == by:
        raise Refused(
            "decides-for-self", "You cannot put yourself in; let another organiser or a moderator do it."
        )
    if is_blocked(by, newcomer):
        raise Refused("blocked", "{name} cannot be put in by you; choose somebody else.", name=name)
    require_few_decisions(season, now)
    _require_free(season, entry, newcomer)
    lock_user(newcomer.pk)  # so that two events at once count each other
    asked = Replacement.objects.filter(newcomer=newcomer)
    if asked.filter(entry__season=season, outcome=Replacement.Outcome.REFUSED).exists():
        raise Refused("has-refused", "{name} has said no in this season; choose somebody else.", name=name)
    if open_questions(now).filter(newcomer=newcomer, entry__season=season).exists():
        raise Refused(
            "asked-already",
            "{name} has been asked already; wait for the answer, or take the question back first.",
            name=name,
        )
    if asked.filter(asked_at__gt=now - timedelta(days=1)).count() >= MOST_ASKED:
        raise Refused(
            "asked-too-often", "{name} was asked often enough today; choose somebody else.", name=name
        )


def _require_free(season: Season, entry: Entry, newcomer: User) -> None:
    club = season.event.club
    if club is not None and not is_member(club, newcomer):
        raise Refused(
            "not-member",
            "This event is for members of its club, and {name} is not one; choose a member.",
            name=newcomer.shown_name,
        )
    if season.entries.filter(player=newcomer, withdrawn_at=None).exists() or (
        season.entries.filter(player=newcomer).exclude(pk=entry.pk).exists()
    ):
        raise Refused(
            "entered-already",
            "{name} is in this season already; choose somebody who is not.",
            name=newcomer.shown_name,
        )


def agree_to_replace(question: Replacement, *, now: datetime) -> Entry:
    """Give the entry and its seats to the newcomer, who agrees to an open question; the caller holds the season's lock.

    Raises Refused(not-member, entered-already), and what `reassign_seat` raises.
    """
    entry, newcomer = question.entry, question.newcomer
    _require_free(question.season, entry, newcomer)
    told = players_of([entry])
    entry.player, entry.withdrawn_at = newcomer, None
    entry.save(update_fields=["player", "withdrawn_at"])
    for place in _running_places(entry):
        _give_seat(place, newcomer, question.reason, now)
    _close(question, Replacement.Outcome.AGREED, now)
    log = post(
        question.season,
        "replaced",
        by=question.by,
        now=now,
        reason=question.reason,
        entry=entry.pk,
        former=question.former_id or 0,
        newcomer=newcomer.pk,
    )
    tell_decision(log, [*told, newcomer])
    tell_answered(question)
    return entry


def _give_seat(place: Place, newcomer: User, reason: str, now: datetime) -> None:
    assert place.fixture.match_id is not None
    try:
        # One mail tells both of all their matches.
        reassign_seat(place.fixture.match_id, place.index, newcomer, reason, now=now, by_organiser=True)
    except Refused as refusal:
        if refusal.code != "not-running":  # it ended in this very moment
            raise


def refuse_to_replace(question: Replacement, *, now: datetime) -> None:
    """Let the newcomer say no; the caller holds the season's lock and has found the question open."""
    _close(question, Replacement.Outcome.REFUSED, now)
    tell_answered(question)


def take_back_replacement(replacement_id: int, *, by: User, now: datetime) -> Replacement:
    """Take the question back, as an organiser; a second time changes nothing.

    Raises Refused(nothing-asked, not-organiser, plays-here).
    """
    with transaction.atomic():
        found = Replacement.objects.select_related("entry__division__season__event")
        question = found.filter(pk=replacement_id).first()
        if question is None or question.entry.division is None:
            raise Refused("nothing-asked", "Nobody is asked there any more; there is nothing to take back.")
        lock_season(question.entry.season_id)
        question.refresh_from_db(fields=["outcome"])
        require_impartial(question.entry.division, by)
        if question.outcome == Replacement.Outcome.AGREED:
            raise Refused("nothing-asked", "Nobody is asked there any more; there is nothing to take back.")
        if question.outcome == Replacement.Outcome.OPEN:
            _close(question, Replacement.Outcome.TAKEN_BACK, now)
    return question


def _lock_entry(entry_id: int) -> tuple[Entry, Season]:
    """The entry of a division, its season locked. Raises Refused(no-such-entry)."""
    entry = Entry.objects.select_related("division__season__event").filter(pk=entry_id).first()
    if entry is None or entry.division is None:
        raise Refused("no-such-entry", "There is no such player in this season; look at the table.")
    season = lock_season(entry.season_id)
    entry.refresh_from_db(fields=["player", "withdrawn_at"])
    return entry, season


def _running_places(entry: Entry) -> list[Place]:
    places = entry.places.filter(fixture__match__status=Match.Status.RUNNING)
    return list(places.select_related("fixture__match").order_by("fixture__match_id"))


def _close(question: Replacement, outcome: Replacement.Outcome, now: datetime) -> None:
    question.outcome, question.answered_at = outcome, now
    question.save(update_fields=["outcome", "answered_at"])
