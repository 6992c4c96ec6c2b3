"""Ask a sitter to play a seat for a while, answer the request, and take the seat back."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime, time, timedelta

from django.db import transaction

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_player
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.matches import sitters, timing, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Seat, Sitting
from gemserver.matches.notifications import Addressee, tell_players
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat
from gemserver.matches.who_may_sit import require_may_be_seated

LONGEST = timedelta(days=60)
DAY = timedelta(days=1)
MOST_FOR_A_SEAT = 5
"""Requests for one seat within a day, whoever says yes: each may come into the log."""
MOST_OF_ONE = 5
"""Requests without a yes that one person, with their bots, may send to the same player within a day."""
MOST_ASKED = 10
"""Such requests of one person to all players, whatever the number of their seats: each is a mail to somebody."""


def propose_sitting(
    match_id: int, user: User, name: str, first: date, last: date, *, now: datetime
) -> Sitting:
    """Ask the player of this name to sit for the user on these days, in the user's zone; today begins now.

    Raises Refused(no-such-match, not-seated, not-running, bad-days, open-sitting, no-such-player, too-often) and what
    `require_may_be_seated` raises.
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = require_held_seat(match, user)
        if not match.is_running:
            raise Refused("not-running", "{code} is not running; no sitter is needed there.", code=match.code)
        _require_days(user, first, last, now)
        sitter = _find_sitter(match, seat, name)
        end_if_over(seat, now)
        if known := seat.sittings.filter(ended_at=None).first():
            if known.sitter == sitter and known.proposed_at == now:
                return known
            raise Refused(
                "open-sitting",
                "{name} has been asked or plays for you already; take that back first.",
                name=known.sitter.shown_name,
            )
        count_alone(f"sitters for {user.family}")
        _check_allowance(seat, user, sitter, now)
        sitting = Sitting.objects.create(
            seat=seat,
            player=user,
            sitter=sitter,
            starts_at=max(now, _midnight(user, first)),
            ends_at=_midnight(user, last + DAY),
            proposed_at=now,
        )
        sitting.token_hash = sitting.current_token_hash()
        sitting.save(update_fields=["token_hash"])
        _tell(sitting, "sit-asked", sitter, now=now)
    return sitting


def _check_allowance(seat: Seat, user: User, sitter: User, now: datetime) -> None:
    """Raise Refused(too-often) if a daily limit is reached. Who agrees may be asked for further seats."""
    if seat.sittings.filter(proposed_at__gt=now - DAY).count() >= MOST_FOR_A_SEAT:
        raise Refused(
            "too-often",
            "You have asked {most} times within a day for this seat; wait until tomorrow.",
            most=MOST_FOR_A_SEAT,
        )
    asked = Sitting.objects.filter(player__in=user.of_family(), agreed_at=None, proposed_at__gt=now - DAY)
    if asked.filter(sitter=sitter).count() >= MOST_OF_ONE:
        raise Refused(
            "too-often",
            "You have asked {name} {most} times within a day; wait for a yes, or until tomorrow.",
            name=sitter.shown_name,
            most=MOST_OF_ONE,
        )
    if asked.count() >= MOST_ASKED:
        raise Refused(
            "too-often",
            "You have asked {most} times within a day; wait for a yes, or until tomorrow.",
            most=MOST_ASKED,
        )


def _require_days(user: User, first: date, last: date, now: datetime) -> None:
    today = now.astimezone(user.zone).date()
    if not today <= first <= last <= today + LONGEST:
        raise Refused(
            "bad-days",
            "Somebody may sit for you from today or later, and within {days} days; give the first day first.",
            days=LONGEST.days,
        )


def _midnight(user: User, day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=user.zone)


def _find_sitter(match: Match, seat: Seat, name: str) -> User:
    sitter = find_player(name)
    if sitter is not None and not lock_user(sitter.pk).is_active:  # shut in this moment
        sitter = None
    assert seat.user is not None
    if sitter is None or sitter.pk in blocked_with(seat.user):
        raise Refused(
            "no-such-player",
            "There is no player {name} to ask; check how the name is written.",
            name=name.strip(),
        )
    require_may_be_seated(match, sitter, seat)
    return sitter


def agree_to_sit(sitting_id: int, user: User, *, now: datetime) -> Sitting:
    """Agree to sit, as the asked player; agreeing twice changes nothing.

    Raises Refused(no-such-match, nothing-asked) and what `require_may_be_seated` raises.
    """
    with transaction.atomic():
        sitting = _lock(sitting_id, sitter=user, now=now)
        if sitting.agreed_at is not None:
            return sitting
        require_may_be_seated(sitting.seat.match, user, sitting.seat)
        sitting.agreed_at = now
        sitting.save(update_fields=["agreed_at"])
        _tell(sitting, "sit-answered", sitting.player, now=now)
        _begin_if_due(sitting, now)
    return sitting


def refuse_to_sit(sitting_id: int, user: User, *, now: datetime) -> Sitting:
    """Decline, or stop sitting, as the asked player. Raises Refused(no-such-match, nothing-asked)."""
    with transaction.atomic():
        sitting = _lock(sitting_id, sitter=user, now=now)
        kind = "sit-answered" if sitting.agreed_at is None else "sit-over"
        _end(sitting, now)
        _tell(sitting, kind, sitting.player, now=now)
    return sitting


def stop_sitting(accounts: Collection[User], *, now: datetime) -> None:
    """End all that accounts sit for or are asked to, as they are shut or erased; those for whom they play are told.

    The caller holds the matches.
    """
    asked = sitters.current(now).filter(sitter__in=accounts, ended_at=None).order_by("seat__match_id", "pk")
    for sitting in list(asked):
        try:
            refuse_to_sit(sitting.pk, sitting.sitter, now=now)
        except Refused as refusal:
            if refusal.code != "nothing-asked":  # it ended in this very moment
                raise


def end_sitting(sitting_id: int, user: User, *, now: datetime) -> Sitting:
    """Withdraw the request, or end the sitting early, as the player. Raises Refused(no-such-match, nothing-asked)."""
    with transaction.atomic():
        sitting = _lock(sitting_id, player=user, now=now)
        _end(sitting, now)
        _tell(sitting, "sit-over", sitting.sitter, now=now)
    return sitting


def begin_or_end_sitting(sitting_id: int, *, now: datetime) -> None:
    """Begin a sitting whose time has come, or end one whose time is over; safe to run twice."""
    with transaction.atomic():
        match_id = Sitting.objects.values_list("seat__match_id", flat=True).get(pk=sitting_id)
        lock_match(match_id)
        sitting = Sitting.objects.select_related("seat__match", "seat__user", "player", "sitter").get(
            pk=sitting_id
        )
        if sitting.ended_at is not None:
            return
        if not end_if_over(sitting.seat, now):
            _begin_if_due(sitting, now)


def end_if_over(seat: Seat, now: datetime) -> bool:
    """End the open sitting of a seat if its time is over or the seat has another holder; True if it did.

    The caller holds the match's lock.
    """
    sitting = seat.sittings.filter(ended_at=None).select_related("seat__match", "player", "sitter").first()
    if sitting is None or sitters.current(now).filter(pk=sitting.pk).exists():
        return False
    _end(sitting, min(now, sitting.ends_at))
    if sitting.agreed_at is not None and sitting.seat.match.is_running:
        for reader in (sitting.player, sitting.sitter):
            _tell(sitting, "sit-over", reader, now=now)
    return True


def _lock(
    sitting_id: int, *, now: datetime, sitter: User | None = None, player: User | None = None
) -> Sitting:
    """The sitting of this sitter or player, with its match locked; raises Refused(no-such-match, nothing-asked)."""
    mine = Sitting.objects.filter(pk=sitting_id)
    mine = mine.filter(sitter=sitter) if sitter else mine.filter(player=player)
    match_id = mine.values_list("seat__match_id", flat=True).first()
    if match_id is not None:
        lock_match(match_id)
        found = sitters.current(now).filter(pk=sitting_id, ended_at=None).first()
        if found is not None:
            return found
    raise Refused("nothing-asked", "No sitter is needed there any more; there is nothing to answer.")


def _end(sitting: Sitting, at: datetime) -> None:
    sitting.ended_at = at
    sitting.save(update_fields=["ended_at"])
    if sitting.seat.match.notices.filter(key=sitters.log_key(sitting)).exists() and at < sitting.ends_at:
        _post(sitting, "sitting-over", f"sitting-over:{sitting.pk}", at)
    if sitters.has_begun(sitting, at):
        _forget_snooze(sitting.seat, at)


def _forget_snooze(seat: Seat, now: datetime) -> None:
    """Remind whoever plays the seat from now on at its own leads, and not when another's snooze ends."""
    if seat.match.is_running and seat.is_waiting and not seat.bot_level:
        timing.set_alarms(seat.match, seat, now)
        seat.save(update_fields=["due_at", "remind_at"])


def _begin_if_due(sitting: Sitting, now: datetime) -> None:
    """Announce the sitting in the log and put the open question to the sitter; once."""
    if sitting.agreed_at is None or sitting.starts_at > now:
        return
    days = {"first": sitting.first_day.isoformat(), "last": sitting.last_day.isoformat()}
    is_new = _post(sitting, "sitting-days", sitters.log_key(sitting), now, **days)
    if is_new and sitting.seat.is_waiting:
        _forget_snooze(sitting.seat, now)
        turns.tell_seat(sitting.seat.match, sitting.seat, "turn", turn=sitting.seat.prompt_ply, now=now)


def _tell(sitting: Sitting, kind: str, reader: User, *, now: datetime) -> None:
    seat = sitting.seat
    under = sitting if reader == sitting.sitter else None
    tell_players(
        seat.match,
        kind,
        [Addressee(reader, seat.index, under)],
        turn=seat.prompt_ply,
        number=sitting.pk,
        now=now,
        about=sitting.pk,
        is_players=reader == sitting.player,
    )


def _post(sitting: Sitting, kind: str, key: str, now: datetime, **data: str) -> bool:
    seat = sitting.seat
    return notices.post(seat.match, kind, key, now=now, player=seat.index, sitter=sitting.sitter_id, **data)
