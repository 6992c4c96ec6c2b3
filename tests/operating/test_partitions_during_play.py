"""Partitions are made and dropped while others write: nobody is refused, nothing is lost, one key gives one row."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from django.db import connections, transaction

from games.chance import Chance
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.partitions import INBOX
from gemserver.lib import clock
from gemserver.lib.partitions import upkeep
from gemserver.lib.partitions.tables import PartitionedTable
from gemserver.lib.partitions.upkeep import Partition
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import replay
from gemserver.matches.models import Match, Seat
from gemserver.matches.partitions import MOVES
from gemserver.notify import delivery, outbox
from gemserver.notify.models import OutboxMessage
from gemserver.notify.partitions import OUTBOX
from tests.builders import asked, make_match, make_user, play
from tests.lock_waits import wait_until_waiting
from tests.mailgate.letters import letter

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

FAR = datetime(2099, 1, 1, tzinfo=UTC)
"""A month that nobody else has rows of."""
FAR_MATCH = 900_000_000
LONGEST = 2.0
"""Seconds that a move or a mail may take longer beside changes of partitions than by itself."""
ALONE = 10
"""Moves or mails by which it is known how long one takes by itself, on a busy machine too."""


def tell(key: str) -> None:
    outbox.queue(
        [
            outbox.draft(
                None,
                "receipt",
                thread="t",
                data={},
                dedup_key=key,
                message_id=f"<{key}>",
                now=clock.now(),
                to="",  # nobody: it is taken up, and skipped
            )
        ]
    )


def mail(number: int) -> bytes:
    return f"From: x@example.net\r\nMessage-ID: <{number}@x>\r\n\r\nhello {number}\r\n".encode()


def store(number: int) -> None:
    ingest(mail(number), "x@example.net", "play@gem.localhost", "smtp", {})


def beside(pool: ThreadPoolExecutor, act: Callable[[], Any]) -> Future[Any]:
    """Run it in another thread, with a connection of its own."""

    def run() -> Any:
        try:
            return act()
        finally:
            connections.close_all()

    return pool.submit(run)


@pytest.mark.parametrize(
    ("write", "rows"),
    [
        (lambda: tell("twice"), OutboxMessage.objects.filter(dedup_key="twice")),
        (lambda: store(1), InboundEmail.objects.all()),
    ],
    ids=["told", "stored"],
)
def test_of_two_inserts_of_one_key_the_second_waits_and_gives_no_row(write, rows) -> None:
    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            write()
            second = beside(pool, write)
            wait_until_waiting()
            assert not second.done()
        second.result(timeout=20)
    assert rows.count() == 1


def test_a_key_whose_writer_gives_up_is_the_second_ones() -> None:
    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            tell("twice")
            second = beside(pool, lambda: tell("twice"))
            wait_until_waiting()
            transaction.set_rollback(True)
        second.result(timeout=20)
    assert OutboxMessage.objects.filter(dedup_key="twice").count() == 1


def test_partitions_come_and_go_while_moves_and_mails_are_written_and_nobody_notices() -> None:
    by_web, by_mail = (make_match(players=[make_user(f"ana{n}"), make_user(f"ben{n}")]) for n in range(2))
    over, all_acted = threading.Event(), threading.Barrier(4, timeout=60)

    def repeat(act: Callable[[int], object]) -> list[float]:
        """Act until all is over; return the seconds that each took, the first ones without changes beside."""
        took: list[float] = []
        while not over.is_set():
            began = time.monotonic()
            act(len(took))
            took.append(time.monotonic() - began)
            if len(took) == ALONE:
                all_acted.wait()
        return took

    acts: list[Callable[[int], object]] = [
        lambda _: move_on_the_web(by_web),
        lambda _: move_by_mail(by_mail),
        lambda number: (time.sleep(0.02), tell(f"told:{number}")),
    ]
    with ThreadPoolExecutor() as pool:
        writers = [beside(pool, partial(repeat, act)) for act in acts]
        try:
            all_acted.wait()
            for _ in range(4):
                change_partitions()
        finally:
            over.set()
        took = [writer.result(timeout=20) for writer in writers]
    for each in took:
        alone, later = each[:ALONE], each[ALONE:]
        assert max(later) < max(alone) + LONGEST
    assert OutboxMessage.objects.filter(dedup_key__startswith="told:").count() == len(took[2])
    for match in (by_web, by_mail):
        match.refresh_from_db()
        assert match.moves.filter(voided_at=None).count() == match.ply > 0


def change_partitions() -> None:
    """Make, fill and drop a partition of each table."""
    for table, start in ((OUTBOX, FAR), (INBOX, FAR), (MOVES, FAR_MATCH)):
        assert upkeep.make(table, start) == table.partition(start)
        fill(table, start)
        assert upkeep.drop(table, Partition(table.partition(start), start, table.step.after(start)))


def fill(table: PartitionedTable, start: object) -> None:
    """Put a row there whose work is done."""
    if table is OUTBOX:
        OutboxMessage.objects.create(
            kind="turn",
            dedup_key=(key := str(time.monotonic_ns())),
            message_id=f"<{key}>",
            state="sent",
            created_at=start,
            available_at=start,
        )
    elif table is INBOX:
        InboundEmail.objects.create(key=str(time.monotonic_ns()), state="done", received_at=start, raw=None)


def random_move(seat: Seat) -> str:
    position = replay.position(seat.match)
    chance = Chance("0" * 64, f"move {seat.match.ply + 1}")
    return seat.match.rules.write(seat.match.rules.random_move(position, seat.index, chance))


def move_on_the_web(match: Match) -> None:
    match = Match.objects.get(pk=match.pk)
    if match.is_running:
        seat = asked(match)
        play(match, seat.index, random_move(seat))
        delivery.send_queued(longest=0.1)


def move_by_mail(match: Match) -> None:
    match = Match.objects.get(pk=match.pk)
    if match.is_running:
        seat = asked(match)
        raw = letter(seat, random_move(seat), Message_ID=f"<{time.monotonic_ns()}@client.example.org>")
        row = ingest(raw, seat.user.email, seat.reply_address, "smtp", {})
        processing.process_stored()
        assert row
        row.refresh_from_db()
        assert row.state == InboundEmail.State.DONE, row.code
