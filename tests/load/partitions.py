"""Divides filled tables while people play: how long anybody waits, whether anything is lost, what look-ups cost after.

`python -m tests.load partitions --rows 10000000 --seed 1`: of the rows half are mails that went out, a quarter each
mails that came in and moves.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.db.models import CharField

from games.chance import Chance
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.partitions import INBOX
from gemserver.lib import clock
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.database.prepared_writes import PreparedUpdate
from gemserver.lib.partitions import upkeep
from gemserver.lib.partitions.tables import PartitionedTable
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.partitions import MOVES
from gemserver.notify import delivery, outbox
from gemserver.notify.models import OutboxMessage
from gemserver.notify.partitions import OUTBOX
from tests.builders import asked, make_match, make_user, play
from tests.load.figures import Figure, Say
from tests.load.growth import copy_rows
from tests.load.million import fill_quickly
from tests.mailgate.letters import letter

ROWS, SEED = 200_000, 1
TABLES = (OUTBOX, INBOX, MOVES)
DIVISIONS = {("notify", "0003_partitions"), ("inbox", "0004_partitions"), ("matches", "0010_partitions")}
"""The migrations that divide the tables."""
SPREAD = "interval '400 days'"
PLIES = 100
"""Moves of each match that is filled in."""
PATIENCE = 2.0
"""Seconds that `migrate` may let others wait (docs/operating.md)."""
MONTHS = 16
"""Ahead, for which there are partitions when look-ups are timed: with the default one 17, as when a year is kept."""
LOOKS = 300


def measure(say: Say, folder: Path) -> list[Figure]:
    rows, seed = int(os.environ.get("ROWS", ROWS)), int(os.environ.get("SEED", SEED))
    _migrate_but_divide()
    fill_quickly()
    _fill(rows, say)
    before, alone = _count(), _time_looks()
    people = People(seed)
    people.start()
    time.sleep(10)
    quiet, _ = people.longest(), people.begin_anew()
    began = time.monotonic()
    _divide()
    took = time.monotonic() - began
    time.sleep(5)
    longest = people.longest()
    people.stop()
    say(f"{sum(before.values()):,} rows divided in {took:.0f} s, {_size_of_keys()} of keys; seed {seed}")
    say(f"meanwhile {people.moves} moves and {people.mails} mails in, {people.told} mails queued")
    say(f"the longest of them took {longest:.2f} s, {quiet:.2f} s before")
    wrong = _find_wrong(before, people)
    for line in wrong:
        say(line)
    say("something is wrong" if wrong else "everything is as it should be")
    for table in (OUTBOX, INBOX):
        upkeep.make_ahead(table, clock.now(), MONTHS)
    divided = _time_looks()
    return [
        Figure("what is wrong after tables were divided", len(wrong) + 1, "nothing", 1, "", "at most", 1),
        Figure("longest wait while tables are divided", longest, "bound", PATIENCE, "s", "at most", 1),
        *(
            Figure(f"{name}, in {MONTHS + 1} parts", divided[name], "one table", alone[name], "ms", "at most")
            for name in alone
        ),
    ]


def _migrate_but_divide() -> None:
    """Migrate all else: what plays meanwhile is the code of today, which knows the columns of later migrations."""
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    plan = executor.migration_plan(leaves)
    executor.migrate(leaves, [step for step in plan if (step[0].app_label, step[0].name) not in DIVISIONS])
    assert not any(upkeep.is_partitioned(table) for table in TABLES)


def _divide() -> None:
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    executor.migrate(graph.leaf_nodes(), [(graph.nodes[key], False) for key in sorted(DIVISIONS)])
    assert all(upkeep.is_partitioned(table) for table in TABLES)


def _fill(rows: int, say: Say) -> None:
    """Copy a match's moves and mails as often as it takes."""
    began = time.perf_counter()
    pattern = make_match("gem", [make_user("ana"), make_user("ben")], now=clock.now())
    _play(pattern.pk, Chance("0" * 64, "pattern"))
    _write(pattern.pk, Chance("0" * 64, "pattern mail"))
    OutboxMessage.objects.update(state="sent", sent_at=clock.now())
    mail, row = OutboxMessage.objects.earliest("pk").pk, InboundEmail.objects.earliest("pk").pk
    last = pattern.moves.latest("ply").pk
    matches = rows // 4 // PLIES
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # the keys are right: look none up
    numbers = "generate_series(1, {}) number"
    copy_rows(
        Match,
        {"code": "'C' || number", "status": "'finished'"},
        f"{numbers.format(matches)} WHERE given.id = {pattern.pk}",
    )
    copies = f"generate_series(1, {PLIES}) number, matches_match copy WHERE copy.code LIKE 'C%%' AND given.id = {last}"
    copy_rows(
        Move, {"match_id": "copy.id", "ply": "number", "request_id": "copy.id || ':' || number"}, copies
    )
    at = f"given.{{}} - random() * {SPREAD}"
    copy_rows(
        OutboxMessage,
        {
            "dedup_key": "'c' || number",
            "message_id": "'<c' || number || '>'",
            "thread": "'match:' || number",
            "created_at": at.format("created_at"),
        },
        f"{numbers.format(rows // 2)} WHERE given.id = {mail}",
    )
    copy_rows(
        InboundEmail,
        {
            "key": "md5(number::text)",
            "message_id": "number || '@c'",
            "raw": "NULL",
            "received_at": at.format("received_at"),
        },
        f"{numbers.format(rows // 4)} WHERE given.id = {row}",
    )
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = origin")
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT pg_size_pretty(pg_database_size(current_database()))")
        (size,) = cursor.fetchone()
    say(f"{rows:,} rows filled in, {time.perf_counter() - began:.0f} s, {size}")


class People:
    """Three who write all the time: moves on the web, moves by mail, and mails that are queued."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._is_over = threading.Event()
        self._took: list[float] = []
        self._failed: list[BaseException] = []
        self.matches = [make_match("gem", [make_user(f"a{n}"), make_user(f"b{n}")]).pk for n in range(2)]
        self.moves = self.mails = self.told = 0
        self._threads = [
            threading.Thread(target=self._repeat, args=[act], daemon=True)
            for act in (self._move, self._mail, self._tell)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Wait for the last of their acts; raise what any of them has met."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()
        if self._failed:
            raise self._failed[0]

    def longest(self) -> float:
        return max(self._took)

    def begin_anew(self) -> None:
        self._took.clear()

    def _repeat(self, act: Callable[[], None]) -> None:
        try:
            while not self._is_over.is_set():
                began = time.monotonic()
                act()
                self._took.append(time.monotonic() - began)
                time.sleep(0.02)
        except BaseException as error:
            self._failed.append(error)
        finally:
            connections.close_all()

    def _move(self) -> None:
        self.matches[0] = _running(self.matches[0])
        _play(self.matches[0], Chance(f"{self._seed}", f"move {self.moves}"))
        self.moves += 1

    def _mail(self) -> None:
        self.matches[1] = _running(self.matches[1])
        _write(self.matches[1], Chance(f"{self._seed}", f"mail {self.mails}"))
        self.mails += 1

    def _tell(self) -> None:
        """Queue a new mail, the same once more, and one that was told long ago."""
        for key in (f"new:{self.told}", f"new:{self.told}", f"c{self.told + 1}"):
            outbox.queue([_draft(key)])
        self.told += 1


def _draft(key: str) -> OutboxMessage:
    return outbox.draft(
        None, "receipt", thread="new", data={}, dedup_key=key, message_id=f"<{key}>", now=clock.now(), to=""
    )


def _running(pk: int) -> int:
    """The match, or another one of the same players when it is over."""
    match = Match.objects.get(pk=pk)
    if match.is_running:
        return pk
    return make_match("gem", [seat.user for seat in match.read_seats() if seat.user]).pk


def _random_move(seat: Seat, chance: Chance) -> str:
    return seat.match.rules.write(
        seat.match.rules.random_move(replay.position(seat.match), seat.index, chance)
    )


def _play(pk: int, chance: Chance) -> None:
    seat = asked(Match.objects.get(pk=pk))
    play(seat.match, seat.index, _random_move(seat, chance), now=clock.now())


def _write(pk: int, chance: Chance) -> None:
    """Let a mail with a move come in, twice, and be read."""
    seat = asked(Match.objects.get(pk=pk))
    assert seat.user
    raw = letter(seat, _random_move(seat, chance), Message_ID=f"<{time.monotonic_ns()}@client.example.org>")
    for _ in range(2):
        ingest(raw, seat.user.email, seat.reply_address, "smtp", {})
    processing.process_stored()


def _count() -> dict[str, int]:
    with connection.cursor() as cursor:
        counts = {}
        for table in TABLES:
            cursor.execute(f"SELECT count(*) FROM {table.name}")
            (counts[table.name],) = cursor.fetchone()
    return counts


def _find_wrong(before: dict[str, int], people: People) -> list[str]:
    """List the moves and mails that were lost, doubled or left out."""
    after, wrong = _count(), []
    told = OutboxMessage.objects.filter(dedup_key__startswith="new:").count()
    if told != people.told:
        wrong.append(f"{told} of {people.told} mails were queued")
    came = after[INBOX.name] - before[INBOX.name]
    if came != people.mails:
        wrong.append(f"{came} of {people.mails} mails are stored")
    unread = InboundEmail.objects.exclude(state="done").count()
    if unread:
        wrong.append(f"{unread} mails were not read")
    for pk in people.matches:
        match = Match.objects.get(pk=pk)
        if match.moves.filter(voided_at=None).count() != match.ply:
            wrong.append(f"moves of {match.code} are missing")
    for table in (OUTBOX, INBOX):
        if (keys := _count_keys(table)) != after[table.name]:
            wrong.append(f"{table.name} has {after[table.name]} rows and {keys} keys")
    return wrong


def _count_keys(table: PartitionedTable) -> int:
    assert table.once
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table.once.table}")
        (count,) = cursor.fetchone()
    return int(count)


def _size_of_keys() -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_size_pretty(pg_total_relation_size('notify_outboxkey') "
            "+ pg_total_relation_size('inbox_inboundkey'))"
        )
        (size,) = cursor.fetchone()
    return str(size)


_by_id = Prepared(lambda: OutboxMessage.objects.filter(pk=Param("pk")))
_by_key = Prepared(lambda: InboundEmail.objects.filter(key=Param("key", CharField())))
_of_match = Prepared(lambda: Move.objects.filter(match=Param("match")).order_by("ply"))
_save = PreparedUpdate(OutboxMessage, "state", "attempts")


def _time_looks() -> dict[str, float]:
    """Milliseconds of what a move and a mail ask for by keys that do not name the month."""
    mails = list(OutboxMessage.objects.order_by("-pk")[:LOOKS])
    keys = list(InboundEmail.objects.order_by("-pk").values_list("key", flat=True)[:LOOKS])
    matches = list(Match.objects.order_by("-pk").values_list("pk", flat=True)[:LOOKS])
    number = iter(range(10**9))
    run, long_ago = time.monotonic_ns(), clock.now() - timedelta(days=10_000)
    acts: dict[str, Callable[[int], object]] = {
        "a mail by its id": lambda n: _by_id(pk=mails[n % len(mails)].pk),
        "a mail that went out, noted": lambda n: _save([mails[n % len(mails)]]),
        "a mail in by its key": lambda n: _by_key(key=keys[n % len(keys)]),
        "the moves of a match": lambda n: _of_match(match=matches[n % len(matches)]),
        "a mail queued": lambda n: outbox.queue([_draft(f"look:{run}:{next(number)}")]),
        "the next mails to be sent, none": lambda _: delivery.claim(long_ago),
        "the next mail to be read, none": lambda _: processing.claim(long_ago),
    }
    found = {}
    for name, act in acts.items():
        for n in range(20):
            act(n)
        found[name] = statistics.median(_time(act, n) for n in range(LOOKS))
    OutboxMessage.objects.filter(dedup_key__startswith=f"look:{run}").update(state="skipped")
    return found


def _time(act: Callable[[int], object], number: int) -> float:
    began = time.perf_counter()
    act(number)
    return 1000 * (time.perf_counter() - began)
