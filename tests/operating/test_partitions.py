"""Partitions of the mail tables and of moves, on PostgreSQL: made ahead, filled, dropped; keys outlive them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from gemserver.inbox.models import InboundEmail
from gemserver.inbox.partitions import INBOX
from gemserver.lib import clock
from gemserver.lib.partitions import upkeep
from gemserver.lib.partitions.tables import Months, Numbers, PartitionedTable
from gemserver.lib.partitions.upkeep import Partition
from gemserver.lib.process.findings import Finding
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.models import Match, Move
from gemserver.matches.partitions import MOVES
from gemserver.matches.refusal import Refused
from gemserver.notify import outbox
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.notify.partitions import OUTBOX
from gemserver.operating import partitions
from gemserver.operating.doctor import examine_server
from tests.builders import asked, make_match, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

DAY = timedelta(days=1)
MONTHS = Months()
FIRST = MONTHS.start(clock.now() + 200 * DAY)
"""A month for which nothing is made yet; the next two follow."""
SECOND = MONTHS.after(FIRST)
THIRD = MONTHS.after(SECOND)
LATER = FIRST + 600 * DAY
"""When the mails of those months are too old to be kept."""


@pytest.fixture(autouse=True)
def _check_now(db: None) -> None:
    """Partitions are changed in the test's own transaction, which must not have foreign keys left to be checked."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def tell(key: str, at: datetime, state: str = "sent") -> OutboxMessage | None:
    """Queue a mail under this key, and let it end so; None if the key was known."""
    outbox.queue(
        [
            outbox.draft(
                None,
                "receipt",
                thread="t",
                data={},
                dedup_key=key,
                message_id=f"<{key}>",
                now=at,
                to="ana@example.org",
            )
        ]
    )
    row = OutboxMessage.objects.filter(dedup_key=key, created_at=at).first()
    if row is not None and state != row.state:
        OutboxMessage.objects.filter(pk=row.pk).update(state=state)
    return row


def receive(subject: str, at: datetime, state: str = "dropped") -> InboundEmail | None:
    raw = f"From: x@example.net\r\nMessage-ID: <{subject}@x>\r\nSubject: {subject}\r\n\r\nhello\r\n".encode()
    row = ingest(raw, "x@example.net", "play@gem.localhost", "smtp", {}, received_at=at)
    if row is not None:
        InboundEmail.objects.filter(pk=row.pk).update(state=state)
    return row


def names(table: PartitionedTable) -> list[str]:
    return [each.name for each in upkeep.read_partitions(table)]


def home_of(row: OutboxMessage | InboundEmail | Move) -> str:
    """The partition that the row lies in."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT tableoid::regclass::text FROM {row._meta.db_table} WHERE id = %s", [row.pk])
        ((name,),) = cursor.fetchall()
    return str(name)


# Made


def test_partitions_are_made_for_the_months_ahead_and_nothing_is_done_twice() -> None:
    made = partitions.keep(now := FIRST + DAY).made
    assert OUTBOX.partition(FIRST) in made
    assert INBOX.partition(THIRD) in made
    between = MONTHS.start(FIRST - DAY)
    assert OUTBOX.partition(between) not in made, "nobody has rows for it"
    assert partitions.missing(now) == []
    assert partitions.keep(now).made == []
    assert partitions.missing(THIRD + 200 * DAY) != []


def test_a_range_of_matches_is_made_ahead_of_the_newest_match() -> None:
    last = upkeep.read_partitions(MOVES)[-1].upper
    both = [MOVES.partition(last), MOVES.partition(MOVES.step.after(last))]
    assert upkeep.make_ahead(MOVES, last + 1, 1) == both
    move = _move_of_a_match(last + 5)
    assert home_of(move) == MOVES.partition(last)
    assert Numbers(10).start(37) == 30


def test_mail_for_a_month_without_a_partition_is_accepted_and_moved_later() -> None:
    sent, stored = tell("late", FIRST + DAY), receive("late", FIRST + DAY)
    assert sent
    assert stored
    assert (home_of(sent), home_of(stored)) == (OUTBOX.default, INBOX.default)
    assert {OUTBOX.partition(FIRST), INBOX.partition(FIRST)} <= set(partitions.missing(FIRST))
    partitions.keep(FIRST + DAY)
    assert (home_of(sent), home_of(stored)) == (OUTBOX.partition(FIRST), INBOX.partition(FIRST))
    assert tell("late", SECOND) is None
    assert partitions.missing(FIRST) == []


def test_the_doctor_says_which_partition_is_missing() -> None:
    assert _finding_of_doctor().is_good
    tell("late", FIRST + DAY)
    assert OUTBOX.partition(FIRST) in _finding_of_doctor().found
    assert "gem-beat" in _finding_of_doctor().advice


def _finding_of_doctor() -> Finding:
    return next(finding for finding in examine_server() if finding.subject == "partitions")


def test_a_row_from_the_end_of_time_keeps_nothing_from_being_done() -> None:
    """As a clock that was wrong leaves it: there is no month after the last of all years, nor one of infinity."""
    late = [tell("last", datetime(9999, 12, 15, tzinfo=UTC)), tell("late", FIRST + DAY)]
    endless = tell("endless", FIRST + DAY)
    assert endless
    with connection.cursor() as cursor:
        cursor.execute("UPDATE notify_outboxmessage SET created_at = 'infinity' WHERE id = %s", [endless.pk])
    assert {OUTBOX.partition(FIRST), INBOX.partition(FIRST)} <= set(partitions.keep(FIRST + DAY).made)
    assert partitions.missing(FIRST) == []
    assert late[0]
    assert home_of(late[0]) == OUTBOX.default


@pytest.mark.parametrize("what", ["DROP TABLE", "ALTER TABLE notify_outboxmessage DETACH PARTITION"])
def test_a_default_partition_that_was_taken_away_is_named_and_put_back(what: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"{what} {OUTBOX.default}")
    assert OUTBOX.default in _finding_of_doctor().found
    assert "--as-owner" in _finding_of_doctor().advice
    assert {OUTBOX.default, OUTBOX.partition(FIRST), INBOX.partition(FIRST)} <= set(
        partitions.keep(FIRST).made
    )
    late = tell("late", THIRD + 100 * DAY)
    assert late
    assert home_of(late) == OUTBOX.default
    assert _finding_of_doctor().advice != ""
    partitions.keep(FIRST)
    assert _finding_of_doctor().is_good


def test_a_table_that_cannot_be_kept_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are not the owner of the tables, who alone may put a default partition back."""
    monkeypatch.setattr(upkeep, "make_default", lambda _table: False)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {OUTBOX.default}")
    made = partitions.keep(FIRST).made
    assert INBOX.partition(FIRST) in made
    assert OUTBOX.partition(FIRST) not in made


@pytest.mark.parametrize("rows", ["-1", "1e3", "99999999999999999999", ""])
def test_a_number_of_rows_that_cannot_be_is_refused_with_a_sentence(rows: str) -> None:
    with pytest.raises(CommandError, match="write a number of rows"):
        call_command("keep_partitions", f"--most-moved={rows}")


def test_more_rows_than_others_can_wait_for_stay_where_they_are_until_somebody_says_so() -> None:
    rows = [tell(f"late {number}", FIRST + DAY) for number in range(3)]
    assert upkeep.make(OUTBOX, FIRST, most=2) is None
    assert rows[0]
    assert home_of(rows[0]) == OUTBOX.default
    out = StringIO()
    call_command("keep_partitions", most_moved=3, stdout=out)
    assert OUTBOX.partition(FIRST) in out.getvalue()
    assert rows[2]
    assert home_of(rows[2]) == OUTBOX.partition(FIRST)


def test_a_new_partition_has_the_indexes_the_options_and_the_rights_of_the_others() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {OUTBOX.default} SET (autovacuum_vacuum_scale_factor = 0.02)")
        cursor.execute("CREATE ROLE reader")
        cursor.execute(f"GRANT SELECT ON {OUTBOX.default} TO reader")
        name = upkeep.make(OUTBOX, FIRST)
        cursor.execute("SELECT reloptions, relacl::text FROM pg_class WHERE relname = %s", [name])
        ((options, rights),) = cursor.fetchall()
        assert options == ["autovacuum_vacuum_scale_factor=0.02"]
        assert "reader=r/" in rights
        numbers = []
        for each in (name, OUTBOX.before):
            cursor.execute(
                "SELECT count(*) FROM pg_index WHERE indrelid = %s::regclass AND indisvalid", [each]
            )
            numbers.append(cursor.fetchone())
    assert numbers[0] == numbers[1]


# Once only


def test_the_same_mail_after_its_partition_and_the_next_one_were_dropped_is_known_as_a_copy() -> None:
    partitions.keep(FIRST)
    assert receive("bid 6", FIRST + DAY)
    assert receive("between", SECOND + DAY)
    dropped = partitions.keep(LATER).dropped
    assert {INBOX.partition(FIRST), INBOX.partition(SECOND)} <= set(dropped)
    assert not InboundEmail.objects.filter(subject="bid 6").exists()
    assert receive("bid 6", LATER) is None
    assert not InboundEmail.objects.filter(state="stored").exists()
    assert receive("bid 7", LATER) is not None


def test_a_mail_that_was_told_is_not_told_again_after_its_partition_and_the_next_one_were_dropped() -> None:
    partitions.keep(FIRST)
    assert tell("turn:1", FIRST + DAY)
    assert tell("between", SECOND + DAY)
    dropped = partitions.keep(LATER).dropped
    assert {OUTBOX.partition(FIRST), OUTBOX.partition(SECOND)} <= set(dropped)
    assert tell("turn:1", LATER) is None
    assert tell("turn:2", LATER) is not None


def test_keys_of_the_outbox_are_forgotten_when_neither_a_mail_nor_a_match_can_need_them() -> None:
    tell("old", FIRST)
    very_late = FIRST + timedelta(days=731)
    match = make_match(players=[make_user("ana")], bots=1, now=FIRST)
    assert partitions.keep(very_late).keys == 0
    Match.objects.filter(pk=match.pk).update(status="finished")
    assert partitions.keep(very_late).keys >= 1
    receive("old", FIRST)
    partitions.keep(FIRST + timedelta(days=7310))
    assert receive("old", very_late) is None


def test_a_row_whose_time_is_changed_goes_to_another_partition_and_keeps_its_key() -> None:
    partitions.keep(FIRST)
    sent, stored = tell("moves", FIRST), receive("moves", FIRST)
    assert sent
    assert stored
    OutboxMessage.objects.filter(pk=sent.pk).update(created_at=SECOND)
    InboundEmail.objects.filter(pk=stored.pk).update(received_at=SECOND)
    assert (home_of(sent), home_of(stored)) == (OUTBOX.partition(SECOND), INBOX.partition(SECOND))
    assert tell("moves", FIRST) is None


def test_a_key_that_is_taken_is_refused_as_by_the_constraint_that_was_there_before() -> None:
    row = receive("twice", FIRST)
    assert row
    row.refresh_from_db()
    row.pk, row.received_at = None, SECOND
    with pytest.raises(IntegrityError, match="inbound_key"), transaction.atomic():
        row.save()


def test_a_request_acts_no_more_after_the_moves_of_its_match_were_dropped() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    seat = asked(match)
    request = Request(match.code, Actor.player(seat.user), "bid 1", Move.Source.WEB, "once", seat.prompt_ply)
    assert submit(request, now=clock.now()).moves
    Match.objects.filter(pk=match.pk).update(status="finished")
    (first, *_) = upkeep.read_partitions(MOVES)
    assert upkeep.drop(MOVES, first)
    with pytest.raises(Refused) as refusal:
        submit(request, now=clock.now())
    assert refusal.value.code == "over"


# Dropped


def test_a_month_that_another_worker_has_dropped_meanwhile_is_passed_over() -> None:
    gone = Partition(OUTBOX.partition(FIRST), FIRST, SECOND)
    assert not partitions._drop(OUTBOX, gone)
    assert not partitions._drop(INBOX, Partition(INBOX.partition(FIRST), FIRST, SECOND))


def test_a_month_with_mail_to_be_sent_stays_and_so_do_the_mails_that_it_answers() -> None:
    partitions.keep(FIRST)
    answered = receive("question", FIRST + DAY)
    assert answered
    waiting = tell("answer", SECOND + DAY, "queued")
    assert waiting
    OutboxMessage.objects.filter(pk=waiting.pk).update(data={"inbound": answered.pk})
    dropped = partitions.keep(LATER).dropped
    assert OUTBOX.partition(FIRST) in dropped
    assert OUTBOX.partition(SECOND) not in dropped
    assert INBOX.partition(FIRST) not in dropped
    assert INBOX.partition(SECOND) in dropped
    OutboxMessage.objects.filter(pk=waiting.pk).update(state="sent")
    assert set(partitions.keep(LATER).dropped) == {OUTBOX.partition(SECOND), INBOX.partition(FIRST)}


@pytest.mark.parametrize("state", ["stored", "held"])
def test_a_month_with_mail_to_be_read_or_agreed_to_stays(state: str) -> None:
    partitions.keep(FIRST)
    row = receive("waits", FIRST + DAY, state)
    assert row
    assert INBOX.partition(FIRST) not in partitions.keep(LATER).dropped
    InboundEmail.objects.filter(pk=row.pk).update(state="held", raw=None)  # nothing is left to agree to
    assert INBOX.partition(FIRST) in partitions.keep(LATER).dropped


def test_postgresql_itself_refuses_to_drop_what_is_unfinished_or_no_partition() -> None:
    partitions.keep(FIRST)
    tell("waits", FIRST + DAY, "queued")
    with connection.cursor() as cursor:
        for name in (OUTBOX.partition(FIRST), OUTBOX.default, "accounts_user", "nothing"):
            cursor.execute(f"SELECT {OUTBOX.name}_drop(%s)", [name])
            assert cursor.fetchone() == (False,)


def test_mail_is_kept_for_as_long_as_the_settings_say(settings) -> None:
    partitions.keep(FIRST)
    settings.MAIL_KEPT_DAYS = 0
    assert partitions.keep(LATER).dropped == []
    settings.MAIL_KEPT_DAYS, settings.MAIL_RAW_DAYS = 100, 3650
    assert partitions.keep(LATER).dropped == []
    settings.MAIL_RAW_DAYS = 30
    dropped = partitions.keep(SECOND + 100 * DAY).dropped
    assert OUTBOX.partition(FIRST) in dropped
    assert OUTBOX.partition(SECOND) not in dropped


def test_a_report_of_a_mail_that_goes_names_it_no_longer() -> None:
    partitions.keep(FIRST)
    row = tell("reported", FIRST + DAY)
    report = DeliveryEvent.objects.create(
        message=row, address="ana@example.org", kind="delivered", at=LATER, source="dsn", key="r"
    )
    partitions.keep(LATER)
    report.refresh_from_db()
    assert report.message is None


def test_moves_of_a_match_that_runs_are_never_dropped() -> None:
    start = MOVES.step.after(upkeep.read_partitions(MOVES)[-1].upper)
    assert upkeep.make(MOVES, start)
    move = _move_of_a_match(start + 3)
    part = Partition(MOVES.partition(start), start, MOVES.step.after(start))
    assert not upkeep.drop(MOVES, part)
    Match.objects.filter(pk=move.match_id).update(status="finished")
    assert upkeep.drop(MOVES, part)
    assert not Move.objects.filter(match=move.match_id).exists()


def _move_of_a_match(pk: int) -> Move:
    """A move of a match of this number."""
    match = make_match(players=[make_user("ana")], bots=1)
    match.pk, match.code = pk, f"M{pk}"
    match.save(force_insert=True)
    return Move.objects.create(
        match=match, ply=1, seat=0, text="pass", source="web", created_at=clock.now(), events=[]
    )
