"""Keeps the partitions of the mail tables and of moves: makes them ahead, and drops those whose time is over.

On PostgreSQL only; see `lib.partitions`. A worker does this every hour. Whatever had to wait for a busy table is done
in one of the next hours: rows for which no partition was made in time lie in the default one, where all find them.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import ProgrammingError, connection, transaction
from django.db.models import Max, Min

from gemserver.inbox.partitions import AHEAD as MONTHS_OF_INBOX
from gemserver.inbox.partitions import INBOX
from gemserver.lib.partitions import upkeep
from gemserver.lib.partitions.tables import PartitionedTable
from gemserver.lib.partitions.upkeep import Partition
from gemserver.matches.models import Match
from gemserver.matches.partitions import AHEAD as RANGES_OF_MOVES
from gemserver.matches.partitions import MOVES
from gemserver.matches.uptime import may_delete_old
from gemserver.notify.partitions import AHEAD as MONTHS_OF_OUTBOX
from gemserver.notify.partitions import OUTBOX

log = logging.getLogger(__name__)

KEYS_KEPT = timedelta(days=730)
"""At least; longer than any mail is kept, and than anything that is told by mail can still happen."""
BATCH = 10_000
MOST_BATCHES = 200
"""Of keys that are forgotten in one run; the next run goes on."""
GONE = "42P01"
"""PostgreSQL's code for a table that is not there."""


@dataclass(slots=True)
class Kept:
    """Names of the partitions that one run made and dropped, and the number of keys that it forgot."""

    made: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    keys: int = 0


def keep(now: datetime, *, most_moved: int = upkeep.MOST_MOVED, is_right: bool = False) -> Kept:
    """Make, fill and drop partitions, and forget keys. Safe to run twice, and concurrently.

    A partition into which more rows than `most_moved` would have to be moved is not made.
    `is_right`: somebody says that the date is right, although the clock has just leapt ahead.
    """
    kept, may_delete = Kept(), is_right or may_delete_old(now)
    for table, present, ahead in _tables(now):
        if not upkeep.is_partitioned(table):
            continue
        made = [] if upkeep.has_default(table) else _make_default(table)
        if not upkeep.has_default(table):
            continue
        made += upkeep.make_ahead(table, present, ahead, most=most_moved)
        late = upkeep.starts_in_default(table)
        made += [name for start in late if (name := upkeep.make(table, start, most=most_moved))]
        dropped = [each.name for each in _over(table, now) if may_delete and _drop(table, each)]
        if made or dropped:
            upkeep.analyze(table)
        kept.made += made
        kept.dropped += dropped
    kept.keys = _forget_outbox_keys(now) if may_delete else 0
    if kept.made or kept.dropped or kept.keys:
        log.info(
            "partitions: made %s, dropped %s, forgot %d keys",
            ", ".join(kept.made) or "none",
            ", ".join(kept.dropped) or "none",
            kept.keys,
        )
    return kept


def missing(now: datetime) -> list[str]:
    """The partitions that should be there by now, and default ones with rows: what `doctor` tells. None on SQLite."""
    names = []
    for table, present, _ in _tables(now):
        if not upkeep.is_partitioned(table):
            continue
        if not upkeep.has_default(table):
            names.append(table.default)
        else:
            names += [table.partition(start) for start in upkeep.missing_ahead(table, present, 1)]
            names += [table.partition(start) for start in upkeep.starts_in_default(table)]
    return names


def _tables(now: datetime) -> list[tuple[PartitionedTable, Any, int]]:
    """Each table with the value that new rows have now, and how many partitions are made ahead of it."""
    newest = Match.objects.aggregate(pk=Max("pk"))["pk"] or 0
    return [(OUTBOX, now, MONTHS_OF_OUTBOX), (INBOX, now, MONTHS_OF_INBOX), (MOVES, newest, RANGES_OF_MOVES)]


def _make_default(table: PartitionedTable) -> list[str]:
    """Its name; nothing, and a line in the log, where this role may not make it."""
    if upkeep.make_default(table):
        return [table.default]
    log.error(
        "%s is not there, without which no partition can be made: run gemctl manage --as-owner keep_partitions",
        table.default,
    )
    return []


def _over(table: PartitionedTable, now: datetime) -> list[Partition]:
    """Partitions that hold nothing but mail of which the time is over. Moves are the record of matches: they stay."""
    if table is MOVES or not settings.MAIL_KEPT_DAYS:
        return []
    before = now - _kept()
    return [each for each in upkeep.read_partitions(table) if each.upper <= before]


def _drop(table: PartitionedTable, partition: Partition) -> bool:
    """Drop it unless something in it is unfinished; False, too, if somebody else has dropped it meanwhile."""
    try:
        with transaction.atomic():
            is_needed = upkeep.is_needed(table, partition)
        if is_needed:
            log.info("partition %s stays: something in it is unfinished", partition.name)
            return False
        if table is OUTBOX:
            with transaction.atomic():
                _forget_reported(partition)
        return upkeep.drop(table, partition)
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", None) != GONE:
            raise
        return False


def _forget_reported(partition: Partition) -> None:
    """Let reports no longer name mails that go, as if each of them was deleted."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE notify_deliveryevent SET message_id = NULL WHERE message_id BETWEEN "
            f"(SELECT min(id) FROM {partition.name}) AND (SELECT max(id) FROM {partition.name}) "
            f"AND message_id IN (SELECT id FROM {partition.name})"
        )


def _forget_outbox_keys(now: datetime) -> int:
    """Forget keys of mails that nothing can queue again: older than any mail that is kept, and any match that runs.

    Keys of mails that came in stay for good; see `inbox.partitions`.
    """
    if not upkeep.is_partitioned(OUTBOX) or not settings.MAIL_KEPT_DAYS or OUTBOX.once is None:
        return 0
    unfinished = Match.objects.filter(status__in=[Match.Status.OPEN, Match.Status.RUNNING])
    oldest = unfinished.aggregate(at=Min("created_at"))["at"]
    kept = now - max(2 * _kept(), KEYS_KEPT)
    sql = (
        f"DELETE FROM {OUTBOX.once.table} WHERE key = ANY (ARRAY("
        f"SELECT key FROM {OUTBOX.once.table} WHERE at < %s LIMIT {BATCH}))"
    )
    forgotten = 0
    for _ in range(MOST_BATCHES):
        with connection.cursor() as cursor:
            cursor.execute(sql, [min(filter(None, [oldest, kept]))])
            forgotten += cursor.rowcount
            if cursor.rowcount < BATCH:
                break
    return forgotten


def _kept() -> timedelta:
    return timedelta(days=max(settings.MAIL_KEPT_DAYS, settings.MAIL_RAW_DAYS))
