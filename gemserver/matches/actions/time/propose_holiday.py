"""Propose days off for a whole table, and agree to or refuse them; all players must agree."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches import selectors, timing, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Holiday, Match, Seat
from gemserver.matches.proposals import is_agreed, open_proposal, too_many_proposals
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat

LONGEST = timedelta(days=60)
MOST_A_DAY = 10
"""Proposals at one table within a day: each is told to all."""


def propose_holiday(match_id: int, user: User, first: date, last: date, *, now: datetime) -> Holiday:
    """Ask the table for days off, counted in each player's own zone; agreed at once if there is nobody to ask.

    Raises Refused(not-seated, not-running, no-holidays, bad-days, open-proposal, too-many-proposals).
    """
    with transaction.atomic():
        match, seat = _running_match(match_id, user)
        for known in match.holidays.filter(first=first, last=last, proposed_at=now):
            if known.agreed[0] == seat.index:
                return known
        _check_days(match, first, last, today=now.astimezone(user.zone).date())
        if match.holidays.filter(outcome=Holiday.Outcome.OPEN).exists():
            raise open_proposal()
        if match.holidays.filter(proposed_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
            raise too_many_proposals(MOST_A_DAY)
        holiday = Holiday.objects.create(
            match=match, first=first, last=last, proposed_at=now, agreed=[seat.index]
        )
        _post(holiday, "holiday", seat, now)
        _carry_out_if_all_agree(holiday, now)
        if holiday.outcome == Holiday.Outcome.OPEN:
            _tell_others(holiday, seat, now)
    return holiday


def _check_days(match: Match, first: date, last: date, *, today: date) -> None:
    """Raise Refused(no-holidays, bad-days)."""
    if match.play_until is not None:
        raise Refused(
            "no-holidays",
            "All time counts in {code}, because it ends on a date; nobody can have days off there.",
            code=match.code,
        )
    if not today <= first <= last or last - first > LONGEST or first - today > LONGEST:
        raise Refused(
            "bad-days",
            "A holiday begins today or within {days} days and lasts no longer; give the first day first.",
            days=LONGEST.days,
        )


def _tell_others(holiday: Holiday, seat: Seat, now: datetime) -> None:
    match, pk = holiday.match, holiday.pk
    for other in match.seats.select_related("user").exclude(pk=seat.pk):
        turns.tell_seat(match, other, "holiday", turn=other.prompt_ply, number=pk, now=now, holiday=pk)


def agree_to_holiday(match_id: int, user: User, *, now: datetime, only: int | None = None) -> Holiday:
    """Consent to the proposed holiday, with `only` to the one of this number alone; twice changes nothing.

    Raises Refused(not-seated, not-running, no-proposal).
    """
    with transaction.atomic():
        match, seat = _running_match(match_id, user)
        if known := match.holidays.filter(outcome=Holiday.Outcome.AGREED, closed_at=now).first():
            return known
        holiday = _required(match, only)
        if seat.index not in holiday.agreed:
            holiday.agreed = [*holiday.agreed, seat.index]
            holiday.save(update_fields=["agreed"])
        _carry_out_if_all_agree(holiday, now)
    return holiday


def refuse_holiday(match_id: int, user: User, *, now: datetime, only: int | None = None) -> Holiday:
    """Refuse the proposed holiday (`only` as in `agree_to_holiday`), or withdraw one's own.

    Raises Refused(not-seated, not-running, no-proposal).
    """
    with transaction.atomic():
        match, seat = _running_match(match_id, user)
        holiday = _required(match, only)
        holiday.outcome, holiday.closed_at = Holiday.Outcome.REFUSED, now
        holiday.save(update_fields=["outcome", "closed_at"])
        _post(holiday, "holiday-refused", seat, now)
    return holiday


def grant_if_all_agree(match: Match, now: datetime) -> None:
    """Grant the open holiday if only somebody who has left the table had not agreed; the caller holds its lock."""
    if holiday := selectors.open_holiday(match):
        _carry_out_if_all_agree(holiday, now)


def _running_match(match_id: int, user: User) -> tuple[Match, Seat]:
    match = lock_match(match_id)
    seat = require_held_seat(match, user)
    if not match.is_running:
        raise Refused("not-running", "{code} is not running; its clocks stand still.", code=match.code)
    return match, seat


def _required(match: Match, only: int | None) -> Holiday:
    holiday = selectors.open_holiday(match)
    if holiday is None or only not in (None, holiday.pk):
        raise Refused(
            "no-proposal",
            "Nothing is proposed at {code} any more; you may propose days off yourself.",
            code=match.code,
        )
    return holiday


def _carry_out_if_all_agree(holiday: Holiday, now: datetime) -> None:
    """Grant the holiday if all agree."""
    match = holiday.match
    if not is_agreed(match, holiday.agreed):
        return
    holiday.outcome, holiday.closed_at = Holiday.Outcome.AGREED, now
    holiday.save(update_fields=["outcome", "closed_at"])
    timing.reset_alarms(match, now)
    _post(holiday, "holiday-agreed", None, now)


def _post(holiday: Holiday, kind: str, seat: Seat | None, now: datetime) -> None:
    days = {"first": holiday.first.isoformat(), "last": holiday.last.isoformat()}
    player = {"player": seat.index} if seat else {}
    notices.post(holiday.match, kind, f"{kind}:{holiday.pk}", now=now, **days, **player)
