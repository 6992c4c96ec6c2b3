"""Time during which the server was down, or could send no mail, is credited to every running clock.

A heartbeat is a row, so that a restart, a killed sweep or a second scheduler changes nothing. The credit is a `Stop`
that the arithmetic of all clocks takes into account from its commit on; moving the alarms and telling the logs
follows, match by match, and is taken up again where it was left.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction

from gemserver.matches import notices, timing
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Heartbeat, Match, Stop
from gemserver.notify import health

log = logging.getLogger(__name__)

DOWNTIME_LIMIT = timedelta(minutes=5)
"""A longer gap between two sweeps is credited."""
MAIL_LIMIT = timedelta(hours=1)
"""After this long without mail, though some waits, all clocks stand still until it goes out again."""

BEAT_EVERY = timedelta(seconds=10)
"""How exact the heartbeats are: a sweep that runs every second need not write every second."""

Duty, Reason = Heartbeat.Duty, Stop.Reason


def watch(now: datetime) -> None:
    """Note that the server is up, and credit what was missed; to be called before any deadline is acted on."""
    if _credit_downtime(now):
        # While nothing ran no mail could go out; that is credited already.
        beat(Duty.MAIL, now)
    _watch_mail(now)
    for stop in Stop.objects.filter(match=None, is_told=False).order_by("pk"):
        _tell_all(stop, now)


def beat(duty: Heartbeat.Duty, now: datetime) -> None:
    """Note that the duty is done at this instant."""
    Heartbeat.objects.filter(duty=duty, at__lte=now - BEAT_EVERY).update(at=now)


def _last_beat(duty: Heartbeat.Duty, now: datetime) -> Heartbeat:
    """The heartbeat, locked; the first one beats now."""
    Heartbeat.objects.get_or_create(duty=duty, defaults={"at": now})
    heartbeat = Heartbeat.objects.select_for_update().get(duty=duty)
    if heartbeat.at > now + DOWNTIME_LIMIT:
        log.warning("the clock was put back: %s after %s", now, heartbeat.at)
        heartbeat.at = now
        heartbeat.save(update_fields=["at"])
    return heartbeat


def _keep(heartbeat: Heartbeat, now: datetime) -> None:
    if now - heartbeat.at >= BEAT_EVERY:
        heartbeat.at = now
        heartbeat.save(update_fields=["at"])


def _credit_downtime(now: datetime) -> bool:
    with transaction.atomic():
        heartbeat = _last_beat(Duty.SWEEP, now)
        missed = now - heartbeat.at > DOWNTIME_LIMIT
        if missed:
            log.warning("no sweep from %s to %s; that time is credited to all clocks", heartbeat.at, now)
            Stop.objects.create(reason=Reason.DOWNTIME, start=heartbeat.at, end=now)
        _keep(heartbeat, now)
    return missed


def _watch_mail(now: datetime) -> None:
    with transaction.atomic():
        heartbeat = _last_beat(Duty.MAIL, now)
        stop = Stop.objects.filter(match=None, reason=Reason.MAIL, end=None).first()
        if not health.is_stalled(now):
            _keep(heartbeat, now)
            if stop:
                log.warning("mail goes out again")
                stop.end, stop.is_told = max(now, stop.start + timedelta(seconds=1)), False
                stop.save(update_fields=["end", "is_told"])
        elif stop is None and now - heartbeat.at > MAIL_LIMIT:
            log.error("no mail has gone out since %s; all clocks stand still", heartbeat.at)
            Stop.objects.create(reason=Reason.MAIL, start=heartbeat.at)


def _tell_all(stop: Stop, now: datetime) -> None:
    """Move the alarms of every running match and say why in its log; what fails is tried again by the next sweep."""
    kind = _kind(stop)
    key = f"{kind}:{stop.pk}"
    untold = Match.objects.filter(status=Match.Status.RUNNING).exclude(notices__key=key)
    failed = False
    for match_id in list(untold.order_by("pk").values_list("pk", flat=True)):
        try:
            _tell(match_id, stop, kind, key, now)
        except Exception:  # one broken match does not hold up the others
            log.exception("the stop %s could not be credited to match %s", stop.pk, match_id)
            failed = True
    if not failed:
        # Unless it has come to its end meanwhile, which is to be told too.
        Stop.objects.filter(pk=stop.pk, end=stop.end).update(is_told=True)


def _tell(match_id: int, stop: Stop, kind: str, key: str, now: datetime) -> None:
    with transaction.atomic():
        match = lock_match(match_id)
        if not match.is_running or (match.started_at and stop.end and match.started_at >= stop.end):
            return
        timing.reset_alarms(match, now)
        times = {"start": stop.start.isoformat(), **({"end": stop.end.isoformat()} if stop.end else {})}
        notices.post(match, kind, key, now=now, **times)


def _kind(stop: Stop) -> str:
    if stop.reason == Reason.MAIL:
        return "mail-back" if stop.end else "mail-down"
    return "downtime"
