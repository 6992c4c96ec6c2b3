"""Tells by other channels than mail: rows of the outbox whose reader chose one, each on its own way and time.

A row that a worker takes up for mail is handed over here when its reader has chosen a channel. It is sent, or skipped
like a mail whose matter has passed, or goes back to be mailed when no channel is left. The pauses between tries belong
to the channel, not to the row: of many rows for a receiver that hangs, one is tried, by one worker.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from types import MappingProxyType

from django.db import DatabaseError
from django.db.models import F, Q
from django.db.models.functions import Coalesce

from gemserver.lib import clock, outbound
from gemserver.lib.process import logs
from gemserver.notify import delivery
from gemserver.notify.channel_messages import Told, write_request
from gemserver.notify.channels import in_use, read_destination
from gemserver.notify.content import TEST, Announcement, Content, announce, in_words_of, is_wanted
from gemserver.notify.models import Channel, OutboxMessage
from gemserver.nudge import nudge

log = logging.getLogger(__name__)

BATCH = 10
RETRY_FIRST = timedelta(seconds=30)
RETRY_LONGEST = timedelta(hours=8)
CALL = timedelta(seconds=outbound.AT_MOST) + timedelta(seconds=15)
"""A worker has a channel to itself for so long, and the row that it tells; longer than a request takes."""
GIVEN_UP_AFTER = timedelta(days=3)
FEWEST_FAILURES = 5
"""Three days in which little was sent say nothing."""

GONE: Mapping[str, frozenset[int]] = MappingProxyType(
    {
        Channel.Kind.WEB_PUSH: frozenset({404, 410}),
        Channel.Kind.WEBHOOK: frozenset({410}),
        Channel.Kind.DISCORD: frozenset({401, 404, 410}),
        Channel.Kind.SLACK: frozenset({403, 404, 410}),
        Channel.Kind.MATRIX: frozenset({401, 410}),
        Channel.Kind.NTFY: frozenset({410}),
    }
)
"""Answers after which a receiver of this kind will never take anything again."""

State, Route = OutboxMessage.State, OutboxMessage.Route


def send_queued(longest: float = math.inf) -> int:
    """Tell by channels what is due, until nothing is left, or for this many seconds; return the number of rows."""
    handled, began = 0, time.monotonic()
    while pks := delivery.claim(claimed_at := clock.now(), BATCH, Route.CHANNEL):
        until = claimed_at + delivery.CLAIM
        for number, pk in enumerate(pks):
            if time.monotonic() - began > longest or abs(clock.now() - claimed_at) > delivery.CLAIM / 2:
                delivery.leave(pks[number:], until, "gemserver.notify.tasks.send_to_channels")
                return handled
            with logs.about(outbox=pk):
                delivery.unless_held(deliver, pk, until)
            handled += 1
    return handled


def deliver(pk: int, claimed_until: datetime) -> None:
    """Tell one claimed row by every channel that its reader chose and that has not taken it yet."""
    rows = OutboxMessage.objects.select_related("user")
    message = rows.filter(pk=pk, state=State.QUEUED, available_at=claimed_until).first()
    if message is None:
        return
    if message.kind == TEST:
        _test(message)
        return
    now, told = clock.now(), message.data.get("told", [])
    left = [channel for channel in in_use(message.user) if channel.pk not in told]
    if not left or (message.kind == "reminder" and all(channel.failing_since for channel in left)):
        _end(message, told)
        return
    if all(_free_at(channel) > now for channel in left):
        _postpone(message, left)
        return
    try:
        content = delivery.write_content(message)
        words = in_words_of(message.user, announce, message)
    except DatabaseError:
        raise
    except Exception as error:  # whatever is wrong with one row, the others go out
        log.warning("row %s cannot be written: %s", message.pk, type(error).__name__)
        hand_to_mail(message)
        return
    if content is None or words is None:
        delivery.note(message, State.SKIPPED)
        return
    for channel in left:
        if not _keep(message):
            return
        with _claimed(channel, due_by=now) as is_ours:
            if is_ours and _tell(message, channel, words, content):
                message.data["told"] = told = [*told, channel.pk]
                message.save(update_fields=["data"])
    left = [channel for channel in in_use(message.user) if channel.pk not in told]
    if left:
        message.attempts += 1
        _postpone(message, left)
    else:
        _end(message, told)


def _keep(message: OutboxMessage) -> bool:
    """Keep the row for as long as the next request takes; False if it is no longer this worker's."""
    until = clock.now() + max(CALL, delivery.CLAIM)
    ours = OutboxMessage.objects.filter(pk=message.pk, state=State.QUEUED, available_at=message.available_at)
    message.available_at = until
    return bool(ours.update(available_at=until))


@contextmanager
def _claimed(channel: Channel, due_by: datetime | None = None) -> Iterator[bool]:
    """Let no other worker call this channel meanwhile; False if another calls it, or it is not due by then."""
    now = clock.now()
    until = now + CALL
    rows = Channel.objects.filter(pk=channel.pk)
    free = rows.filter(Q(claimed_until=None) | Q(claimed_until__lte=now))
    if due_by is not None:
        free = free.filter(Q(next_try_at=None) | Q(next_try_at__lte=due_by), off="")
    is_ours = bool(free.update(claimed_until=until))
    try:
        yield is_ours
    finally:
        if is_ours:
            rows.filter(claimed_until=until).update(claimed_until=None)
            _take_up(channel.user_id, [until])


def _free_at(channel: Channel) -> datetime:
    """The instant from which it may be called; long past if nothing stands against it."""
    return max(filter(None, [channel.created_at, channel.next_try_at, channel.claimed_until]))


def _end(message: OutboxMessage, told: Sequence[int]) -> None:
    """Nothing is left to be tried: the row is sent if any channel took it, else it goes by mail."""
    if told:
        delivery.note(message, State.SENT)
    else:
        hand_to_mail(message)


def hand_to_mail(message: OutboxMessage) -> None:
    """Let this row go by mail, whatever its reader chose."""
    message.route, message.available_at, message.attempts = Route.MAIL, clock.now(), 0
    message.save(update_fields=["route", "available_at", "attempts"])
    nudge("gemserver.notify.tasks.send_mail")


def _postpone(message: OutboxMessage, left: Sequence[Channel]) -> None:
    """Put the row off until one of these channels is free."""
    first = min(left, key=_free_at)
    message.available_at = max(clock.now(), _free_at(first))
    message.save(update_fields=["available_at", "attempts"])
    if first.claimed_until and not Channel.objects.filter(claimed_until=first.claimed_until).exists():
        _take_up(first.user_id, [first.claimed_until])  # whoever called it ended while this was put off


def _test(message: OutboxMessage) -> None:
    """Send what its owner wants to see arrive, once, to this channel alone, whatever it did before."""
    channel = Channel.objects.filter(pk=message.data["channel"], user=message.user).first()
    words = in_words_of(message.user, announce, message) if is_wanted(message) else None
    if channel is None or words is None:
        delivery.note(message, State.SKIPPED)
        return
    with _claimed(channel) as is_ours:
        if is_ours:
            is_told = _tell(message, channel, words, None)
            delivery.note(message, State.SENT if is_told else State.SKIPPED)
    if not is_ours:
        message.available_at = clock.now() + RETRY_FIRST
        message.save(update_fields=["available_at"])


def _tell(message: OutboxMessage, channel: Channel, words: Announcement, content: Content | None) -> bool:
    """Send one request and note how it ended; True if it was taken."""
    destination = read_destination(channel)
    if destination is None:
        switch_off(channel, Channel.Off.KEY)
        return False
    now = clock.now()
    try:
        request = write_request(Told(message, channel, destination, words, now, content))
        answer = outbound.send(request.method, request.url, request.body, request.headers)
    except KeyError:
        switch_off(channel, Channel.Off.KEY)
        return False
    except outbound.Unsent as error:
        _note_failure(channel, error.code)
        return False
    except Exception as error:
        # An address of somebody else's choice: whatever it brings about, the others go on.
        log.warning("channel %s: %s", channel.pk, type(error).__name__)
        _note_failure(channel, "network")
        return False
    if 200 <= answer.status < 300:
        _note_success(channel, now)
        return True
    if answer.status in GONE[channel.kind]:
        switch_off(channel, Channel.Off.GONE)
        return False
    _note_failure(channel, str(answer.status), timedelta(seconds=answer.retry_after))
    return False


def _note_success(channel: Channel, now: datetime) -> None:
    Channel.objects.filter(pk=channel.pk).update(
        last_success_at=now, failures=0, failing_since=None, next_try_at=None, last_fault=""
    )
    log.info("told by %s", channel.kind, extra={"channel": channel.pk})


def _note_failure(channel: Channel, fault: str, wait: timedelta = timedelta(0)) -> None:
    """Count the failure and set the time of the next try; one of three days switches the channel off."""
    now = clock.now()
    pause = max(RETRY_FIRST * 2 ** min(channel.failures, 20), wait)
    rows = Channel.objects.filter(pk=channel.pk)
    rows.update(
        failures=F("failures") + 1,
        failing_since=Coalesce("failing_since", now),
        next_try_at=now + min(pause, RETRY_LONGEST),
        last_fault=fault[:16],
    )
    log.warning("channel %s (%s) took nothing: %s", channel.pk, channel.kind, fault)
    noted = rows.first()
    if noted is None:  # its owner has removed it meanwhile
        return
    assert noted.failing_since
    if now - noted.failing_since >= GIVEN_UP_AFTER and noted.failures >= FEWEST_FAILURES:
        switch_off(noted, Channel.Off.FAILING)


def switch_off(channel: Channel, why: Channel.Off) -> None:
    """Send nothing to this channel any more; what waits for it goes its other ways, or by mail, which says so."""
    now = clock.now()
    rest = in_use(channel.user_id).exclude(pk=channel.pk)
    is_missed = why in Channel.DIED and channel.is_chosen and not rest.exists()
    rows = Channel.objects.filter(pk=channel.pk, off="")
    rows.update(off=why, off_at=now, is_told=not is_missed)
    log.info("channel %s (%s) is off: %s", channel.pk, channel.kind, why)
    release(channel.user_id)


def release(user_id: int) -> None:
    """Look again, at once, at what waits for this player's channels as they stand; not at what a worker tells now."""
    _take_up(user_id, [_free_at(channel) for channel in Channel.objects.filter(user=user_id)])


def _take_up(user_id: int, instants: Collection[datetime]) -> None:
    """Take up at once what was put off until one of these instants."""
    waiting = OutboxMessage.objects.filter(user=user_id, state=State.QUEUED, route=Route.CHANNEL)
    if waiting.filter(available_at__in=instants, available_at__gt=clock.now()).update(
        available_at=clock.now()
    ):
        nudge("gemserver.notify.tasks.send_to_channels")
