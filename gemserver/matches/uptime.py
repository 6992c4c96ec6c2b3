"""Credits every running clock with the time during which the server was down or could not send mail.

A heartbeat is a row, so a restart, a killed sweep or a second scheduler changes nothing. The credit is a `Stop`, which
counts for all clocks from its commit on. Moving the alarms and writing the logs follows, a batch of matches with each
sweep, and resumes where it was left.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q

from gemserver.matches import timing
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Heartbeat, Match, Notice, Stop
from gemserver.matches.timing import DOWNTIME_LIMIT
from gemserver.notify import health
from gemserver.notify.delivery import put_clock_back

log = logging.getLogger(__name__)

MAIL_LIMIT = timedelta(hours=1)
"""If no mail has gone out for this long, though some waits, all clocks stop until it goes out again."""

BATCH = 500
"""Matches that are told of a stop in one sweep, so that no sweep lasts long; the others lose nothing by waiting."""

BEAT_EVERY = timedelta(seconds=10)
"""The precision of heartbeats: a sweep that runs every second need not write every second."""

LEAP = timedelta(days=7)
"""A gap after which the machine's date is doubted: it was off for so long, or has come up with a wrong clock."""
DOUBTED = timedelta(days=7)
"""How long the server must run after such a gap before anything old is deleted."""

Duty, Reason = Heartbeat.Duty, Stop.Reason


def watch(now: datetime) -> None:
    """Record that the server is up, and credit missed time; to be called before acting on any deadline.

    Locks nothing while all is well.
    """
    beats = dict(Heartbeat.objects.values_list("duty", "at"))
    if not _is_regular(beats.get(Duty.SWEEP), now) and _credit_downtime(now):
        # While nothing ran no mail could go out; that time is credited already.
        beat(now, Duty.MAIL)
    stops = Stop.objects.filter(Q(end=None) | Q(is_told=False), match=None).order_by("pk")
    goes_out = not health.is_stalled(now)
    if not goes_out or not _is_regular(beats.get(Duty.MAIL), now) or _is_stopped(stops):
        _watch_mail(now, goes_out)
        stops = stops.all()
    beat(now, *((Duty.SWEEP, Duty.MAIL) if goes_out else (Duty.SWEEP,)))
    for stop in stops:
        if not stop.is_told:
            _tell_all(stop, now)


def may_delete_old(now: datetime) -> bool:
    """Return True unless the clock has lately leapt ahead; then say in the log what an operator should do.

    Nothing tells a server that was off for a year from a machine with a wrong date, whose own rows are soon as new as
    its clock. So all that is old stays for a while, in which somebody can put the clock right.
    """
    until = doubted_until(now)
    if until is not None:
        log.error(
            "nothing old is deleted before %s: the clock went ahead by more than %d days at once. If the date is "
            "wrong, put it right; if it is right, wait, or run forget_old_data and keep_partitions with "
            "--the-date-is-right",
            until,
            LEAP.days,
        )
    return until is None


def doubted_until(now: datetime) -> datetime | None:
    """The instant before which the date is not relied on, since the clock has leapt ahead; None if it has not."""
    swept = Heartbeat.objects.filter(duty=Duty.SWEEP).first()
    if swept is not None and now - swept.at > LEAP:
        return now + DOUBTED  # no sweep has credited it yet
    gaps = Stop.objects.filter(match=None, reason=Reason.DOWNTIME, end__gt=now - DOUBTED)
    return max((gap.end + DOUBTED for gap in gaps if gap.end and gap.end - gap.start > LEAP), default=None)


def beat(now: datetime, *duties: Heartbeat.Duty) -> None:
    """Record that these duties are done at this instant."""
    Heartbeat.objects.filter(duty__in=duties, at__lte=now - BEAT_EVERY).update(at=now)


def _is_regular(last: datetime | None, now: datetime) -> bool:
    """True if a heartbeat is neither missing nor late, nor ahead of a clock that was put back."""
    return last is not None and abs(now - last) <= DOWNTIME_LIMIT


def _is_stopped(stops: Iterable[Stop]) -> bool:
    return any(stop.reason == Reason.MAIL and stop.end is None for stop in stops)


def _last_beat(duty: Heartbeat.Duty, now: datetime) -> Heartbeat:
    """The heartbeat, locked; created if missing, and corrected if the server's clock was put back."""
    Heartbeat.objects.get_or_create(duty=duty, defaults={"at": now})
    heartbeat = Heartbeat.objects.select_for_update().get(duty=duty)
    if heartbeat.at > now + DOWNTIME_LIMIT:
        log.warning("the clock was put back: %s after %s", now, heartbeat.at)
        _cut_credit(now)
        put_clock_back(heartbeat.at, now)
        heartbeat.at = now
        heartbeat.save(update_fields=["at"])
    return heartbeat


def _cut_credit(now: datetime) -> None:
    """Cut credits for time still to come, given when a clock that had jumped ahead looked like downtime."""
    for stop in Stop.objects.filter(match=None, reason=Reason.DOWNTIME, end__gt=now):
        _end(stop, now)


def _end(stop: Stop, now: datetime) -> None:
    """End the stop now, and have all matches told."""
    stop.end = max(now, stop.start + timedelta(seconds=1))
    stop.is_told, stop.told_up_to = False, 0
    stop.save(update_fields=["end", "is_told", "told_up_to"])


def _credit_downtime(now: datetime) -> bool:
    with transaction.atomic():
        heartbeat = _last_beat(Duty.SWEEP, now)
        missed = now - heartbeat.at > DOWNTIME_LIMIT
        if missed:
            log.warning("no sweep from %s to %s; that time is credited to all clocks", heartbeat.at, now)
            Stop.objects.create(reason=Reason.DOWNTIME, start=heartbeat.at, end=now)
            heartbeat.at = now
            heartbeat.save(update_fields=["at"])
    return missed


def _watch_mail(now: datetime, goes_out: bool) -> None:
    with transaction.atomic():
        heartbeat = _last_beat(Duty.MAIL, now)
        stop = Stop.objects.filter(match=None, reason=Reason.MAIL, end=None).first()
        if goes_out:
            if stop and health.has_recovered(stop.start, now):
                log.warning("mail goes out again")
                _end(stop, now)
        elif stop is None and now - heartbeat.at > MAIL_LIMIT:
            log.error("no mail has gone out since %s; all clocks stand still", heartbeat.at)
            Stop.objects.create(reason=Reason.MAIL, start=heartbeat.at)


def _tell_all(stop: Stop, now: datetime) -> None:
    """Move the alarms of the next `BATCH` of running matches and post the reason in their logs.

    When none is left, the few that failed are tried once more; their clocks are right in any case.
    """
    running = Match.objects.filter(status=Match.Status.RUNNING)
    if stop.end:
        running = running.filter(started_at__lt=stop.end)
    key = _key(stop)
    rest = running.filter(pk__gt=stop.told_up_to).order_by("pk")
    pks = list(rest.values_list("pk", flat=True)[:BATCH])
    are_all_tried = not pks
    if are_all_tried:
        untold = running.exclude(notices__key=key).order_by("pk")
        pks = list(untold.values_list("pk", flat=True)[:BATCH])
    for match_id in pks:
        try:
            _tell(match_id, stop, key, now)
        except Exception:  # one broken match does not hold up the others
            log.exception("the stop %s could not be credited to match %s", stop.pk, match_id)
    # Not if the stop has ended meanwhile, because its end is to be told too.
    same = Stop.objects.filter(pk=stop.pk, end=stop.end)
    same.update(told_up_to=max(pks, default=stop.told_up_to), is_told=are_all_tried)


def _tell(match_id: int, stop: Stop, key: str, now: datetime) -> None:
    with transaction.atomic():
        match = lock_match(match_id)
        if not match.is_running:
            return
        timing.reset_alarms(match, now)
        times = {"start": stop.start.isoformat(), **({"end": stop.end.isoformat()} if stop.end else {})}
        notices.post(match, _kind(stop), key, now=now, **times)


def count_told(stops: Iterable[Stop]) -> dict[int, int]:
    """The number of logs that mention each of these stops of all clocks in its present state, by its primary key."""
    by_key = {_key(stop): stop.pk for stop in stops}
    rows = Notice.objects.filter(kind__in=["downtime", "mail-down", "mail-back"], key__in=by_key)
    counted = rows.order_by().values_list("key").annotate(n=Count("pk"))
    return {by_key[key]: n for key, n in counted}


def _key(stop: Stop) -> str:
    """The key of the notice; it contains the end of the stop, so that a changed end is announced again."""
    return f"{_kind(stop)}:{stop.pk}" + (f":{stop.end:%Y%m%dT%H%M%S}" if stop.end else "")


def _kind(stop: Stop) -> str:
    if stop.reason == Reason.MAIL:
        return "mail-back" if stop.end else "mail-down"
    return "downtime"
