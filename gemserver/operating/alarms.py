"""Alarms: tells the operators of each trouble, once; of some that it is over, too.

A worker looks every minute. If nothing looks any more, only an outsider can notice: whoever asks `/readyz`. An incident
is a row, so that many watchers tell of it once. Whoever adds the row logs it, and whoever claims it sends the mail,
past the outbox, which may be what is in trouble.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from gemserver.lib import clock
from gemserver.matches.models import Heartbeat, Stop
from gemserver.matches.timing import DOWNTIME_LIMIT
from gemserver.operating.gauges import Gauges, measure
from gemserver.operating.models import Incident
from gemserver.operating.operator_mail import mail_operators
from gemserver.operating.task_queues import count_waiting_tasks
from gemserver.schedule import QUEUES, WAITING

log = logging.getLogger(__name__)

MAIL_LIMIT = timedelta(minutes=15)
"""Without any mail sent although some wait; long before the clocks stop because of it."""
WAIT_LIMIT = timedelta(minutes=15)
"""For a mail that nobody has tried to send, or to read."""
OVERDUE_LIMIT = timedelta(minutes=30)
"""For a deadline; longer than the wait for unread mail."""
OLDEST_BACKUP = timedelta(days=2)
"""Of the newest backup: a night may be left out, two may not."""
MOST_TASKS = len(QUEUES) * WAITING // 2
"""Half of what all queues hold: the workers are late with most of their duties, not with a pile of mails alone."""
TRY_AGAIN_AFTER = timedelta(minutes=10)

Kind, Duty = Incident.Kind, Heartbeat.Duty


@dataclass(frozen=True, slots=True)
class Alarm:
    """`began` returns when the trouble began, None while there is none; `advice` says what to look at."""

    kind: Incident.Kind
    began: Callable[[Gauges, datetime], datetime | None]
    advice: str


def _scheduler_stands_still(gauges: Gauges, now: datetime) -> datetime | None:
    return _since(gauges.heartbeats.get(Duty.SWEEP), DOWNTIME_LIMIT, now)


def _mail_stands_still(gauges: Gauges, now: datetime) -> datetime | None:
    return _since(gauges.heartbeats.get(Duty.MAIL), MAIL_LIMIT, now)


def _outbox_grows(gauges: Gauges, now: datetime) -> datetime | None:
    return _since(gauges.untried.age, WAIT_LIMIT, now)


def _inbox_grows(gauges: Gauges, now: datetime) -> datetime | None:
    return _since(gauges.inbox.age, WAIT_LIMIT, now)


def _deadlines_are_missed(gauges: Gauges, now: datetime) -> datetime | None:
    return None if gauges.clocks_stand_still else _since(gauges.overdue_seats.age, OVERDUE_LIMIT, now)


def _queue_grows(gauges: Gauges, now: datetime) -> datetime | None:
    return now if (gauges.tasks or 0) > MOST_TASKS else None


def _games_have_failed(gauges: Gauges, now: datetime) -> datetime | None:
    failed = gauges.failed_games
    return now - failed.age if failed.count else None


def _since(age: timedelta | None, limit: timedelta, now: datetime) -> datetime | None:
    return now - age if age is not None and age > limit else None


SCHEDULER = Alarm(
    Kind.SCHEDULER,
    _scheduler_stands_still,
    gettext_noop(
        "Check whether the processes beat and worker run and whether Redis and the database answer them."
    ),
)
OTHERS = (
    Alarm(
        Kind.MAIL,
        _mail_stands_still,
        gettext_noop(
            "Look into the worker's log for why the relay refuses, and at EMAIL_HOST or the provider."
        ),
    ),
    Alarm(
        Kind.OUTBOX,
        _outbox_grows,
        gettext_noop("Check whether the worker runs; if it does and is busy, start more of them."),
    ),
    Alarm(
        Kind.INBOX,
        _inbox_grows,
        gettext_noop(
            "Check whether the worker runs, and look in its log; if it is busy, start more of them."
        ),
    ),
    Alarm(
        Kind.DEADLINES,
        _deadlines_are_missed,
        gettext_noop(
            "Look into the worker's log for the match that cannot go on, and run verify_matches on it."
        ),
    ),
    Alarm(
        Kind.GAME,
        _games_have_failed,
        gettext_noop(
            "Look into the log for what the game has done, install a version that is right, and let a moderator end "
            "the pause of the match."
        ),
    ),
    Alarm(
        Kind.QUEUE,
        _queue_grows,
        gettext_noop("Check whether the workers run; start more of them if they do."),
    ),
)
ADVICE = {
    **{alarm.kind: alarm.advice for alarm in (SCHEDULER, *OTHERS)},
    Kind.BROKER: gettext_noop("Check whether Redis runs and REDIS_URL names it. Nothing is lost meanwhile."),
    Kind.BACKUP: gettext_noop(
        "See why the last one failed: journalctl -u gem-backup. Then run: gemctl backup. "
        "You get a mail when one is made."
    ),
}
TOLD_WHEN_OVER = frozenset({Kind.BACKUP})
"""Troubles that somebody mends by hand, and then waits for a night to see whether it was mended."""


def watch(now: datetime) -> None:
    """Note which troubles have begun and which are over, and tell the operators of the new ones."""
    gauges = measure(now)
    _note(SCHEDULER, gauges, now)
    _note_credited_downtime(now)
    if gauges.tasks is not None:
        _end(Kind.BROKER, now)
    if SCHEDULER.began(gauges, now) is None:  # otherwise all the others would follow from it
        for alarm in OTHERS:
            _note(alarm, gauges, now)
    Heartbeat.objects.filter(duty=Duty.BACKUP, at__gt=now).update(at=now)  # the clock was put back
    if made := Heartbeat.objects.filter(duty=Duty.BACKUP, at__lt=now - OLDEST_BACKUP).first():
        _begin(Kind.BACKUP, made.at, now)
    tell(now)


def note_backup(now: datetime, *, is_made: bool) -> None:
    """Note that a backup was made or has failed; a worker tells the operators of the first that fails, and of the end.

    Where none was ever made, `doctor` alone says so.
    """
    if is_made:
        Heartbeat.objects.update_or_create(duty=Duty.BACKUP, defaults={"at": now})
        _end(Kind.BACKUP, now)
    else:
        _begin(Kind.BACKUP, now, now)


def watch_scheduler(now: datetime) -> datetime | None:
    """Return since when the scheduler stands still, None if it runs; for callers outside the workers.

    The operators are told in a thread: a relay or a broker that hangs must not hold up a page.
    """
    at = Heartbeat.objects.filter(duty=Duty.SWEEP).values_list("at", flat=True).first()
    if at is None or now - at <= DOWNTIME_LIMIT:
        return None
    _begin(Kind.SCHEDULER, at, now)
    if _untold(now).exists():
        threading.Thread(target=_tell_in_thread, args=[at], name="alarm", daemon=True).start()
    return at


def _note(alarm: Alarm, gauges: Gauges, now: datetime) -> None:
    began_at = alarm.began(gauges, now)
    if began_at is not None:
        _begin(alarm.kind, began_at, now)
    else:
        _end(alarm.kind, now)


def _end(kind: Incident.Kind, now: datetime) -> None:
    told_anew = {"told_at": None, "tell_after": now} if kind in TOLD_WHEN_OVER else {}
    if Incident.objects.filter(kind=kind, ended_at=None).update(ended_at=now, **told_anew):
        log.warning("over: %s", kind.label)


def _begin(kind: Incident.Kind, began_at: datetime, now: datetime) -> None:
    if Incident.objects.filter(kind=kind, ended_at=None).exists():
        return
    try:
        incident, is_new = Incident.objects.get_or_create(
            kind=kind, began_at=began_at, defaults={"tell_after": now}
        )
    except IntegrityError:
        return  # another watcher was faster
    if is_new:
        _log(incident)
    else:  # it was thought to be over
        Incident.objects.filter(pk=incident.pk).update(ended_at=None)


def _note_credited_downtime(now: datetime) -> None:
    """Note downtime that a sweep has credited since yesterday: while nothing ran, nobody could notice it."""
    for stop in Stop.objects.filter(match=None, reason=Stop.Reason.DOWNTIME, end__gt=now - timedelta(days=1)):
        incident, is_new = Incident.objects.get_or_create(
            kind=Kind.SCHEDULER, began_at=stop.start, defaults={"ended_at": stop.end, "tell_after": now}
        )
        if is_new:
            _log(incident)


def _log(incident: Incident) -> None:
    log.error("%s, since %s", incident.get_kind_display(), incident.began_at.isoformat())


def tell(now: datetime) -> None:
    """Mail every incident that the operators were not told of; one that fails is tried again later."""
    for pk in list(_untold(now).values_list("pk", flat=True)):
        if not _untold(now).filter(pk=pk).update(tell_after=now + TRY_AGAIN_AFTER):
            continue  # somebody else is sending it
        incident = Incident.objects.get(pk=pk)
        try:
            _mail(incident)
        except Exception as error:  # any fault of the relay, which may be the trouble itself
            log.warning("the operators could not be told: %s", type(error).__name__)
            continue
        Incident.objects.filter(pk=pk).update(told_at=now)


def _untold(now: datetime) -> models.QuerySet[Incident]:
    return Incident.objects.filter(told_at=None, tell_after__lte=now)


def _tell_in_thread(stands_since: datetime) -> None:
    """Tell of the scheduler, and of the broker if that is why it stands still: no worker is alive to check it."""
    try:
        now = clock.now()
        if count_waiting_tasks() is None:
            _begin(Kind.BROKER, stands_since, now)
        tell(now)
    finally:
        connection.close()


def _mail(incident: Incident) -> None:
    times = {"start": f"{incident.began_at:%Y-%m-%d %H:%M} UTC"}
    lasted = _("It began at %(start)s and goes on.")
    if incident.ended_at:
        times["end"] = f"{incident.ended_at:%Y-%m-%d %H:%M} UTC"
        lasted = _("It began at %(start)s and was over at %(end)s.")
    what, advice, about = incident.get_kind_display(), f"{_(ADVICE[Kind(incident.kind)])}\n", "incident"
    if incident.ended_at and incident.kind in TOLD_WHEN_OVER:
        what, advice, about = _("over: %(trouble)s") % {"trouble": what}, "", "incident over"
    body = f"{what}.\n\n{lasted % times}\n\n{advice}"
    mail_operators(what, body, about=(about, incident.pk))
