"""The audit log: nobody can change it unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from gemserver.accounts.models import User
from gemserver.lib.process.logs import TextLine
from gemserver.moderation import anchors, audit
from gemserver.moderation.audit import Anchor
from gemserver.moderation.audit_keys import Key, current_key
from gemserver.moderation.models import AuditEntry, AuditHead
from tests.builders import NOON, make_user
from tests.moderation.guards import tamper

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.django_db


@pytest.fixture
def moderator() -> User:
    return make_user("mod")


@pytest.fixture
def log(moderator: User) -> list[AuditEntry]:
    return [
        audit.write(
            moderator,
            "pause",
            reason=f"reason {number}",
            request_key=f"key {number}",
            now=NOON,
            data={"n": number},
        )
        for number in range(1, 5)
    ]


SERVER_ROLE = "gem"


@pytest.fixture
def as_server() -> Iterator[None]:
    """Act with the server's database role from docs/operating.md; PostgreSQL only, as SQLite has no roles."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [SERVER_ROLE])
        if cursor.fetchone() is None:
            cursor.execute(f"CREATE ROLE {SERVER_ROLE}")
        cursor.execute((ROOT / "deploy/roles.sql").read_text(), None)
        cursor.execute(f"SET ROLE {SERVER_ROLE}")
        yield
        cursor.execute("RESET ROLE")


def rewrite(log: list[AuditEntry], key: Key) -> list[str]:
    """The statements that rewrite the whole log with another reason and a matching chain of hashes."""
    previous, statements = "", []
    for entry in log:
        entry.reason, entry.previous = "another", previous
        previous = entry.computed_hash(key)
        statements.append(
            f"UPDATE moderation_auditentry SET reason = 'another', previous = '{entry.previous}', hash = '{previous}', "
            f"key = '{key.id}' WHERE number = {entry.number}"
        )
    return [*statements, f"UPDATE moderation_audithead SET hash = '{previous}'"]


def refuse(statement: str, words: str) -> None:
    with (
        pytest.raises(DatabaseError, match=words),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_entries_are_numbered_without_gaps_and_form_a_chain(log: list[AuditEntry]) -> None:
    assert [entry.number for entry in log] == [1, 2, 3, 4]
    assert [entry.previous for entry in log[1:]] == [entry.hash for entry in log[:-1]]
    assert audit.find_fault() is None


def test_an_empty_log_is_whole() -> None:
    audit.lock()  # an earlier test may have emptied all tables
    assert audit.find_fault() is None


def test_a_log_that_is_gone_with_its_head_is_not_whole(log: list[AuditEntry]) -> None:
    tamper("DELETE FROM moderation_auditentry", "DELETE FROM moderation_audithead")
    assert audit.find_fault() == "the head of the log is missing"


@pytest.mark.parametrize(
    "statement", ["UPDATE moderation_auditentry SET reason = 'x'", "DELETE FROM moderation_auditentry"]
)
def test_the_database_refuses_to_change_an_entry(log: list[AuditEntry], statement: str) -> None:
    refuse(statement, "never changed")
    assert AuditEntry.objects.count() == 4


@pytest.mark.postgresql
@pytest.mark.parametrize("tables", ["auditentry", "audithead", "auditentry, moderation_audithead"])
def test_the_log_is_not_truncated(log: list[AuditEntry], tables: str) -> None:
    refuse(f"TRUNCATE moderation_{tables}", "never changed")
    assert AuditEntry.objects.count() == 4


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE moderation_audithead SET number = 2, hash = (SELECT hash FROM moderation_auditentry WHERE number = 2)",
        "UPDATE moderation_audithead SET number = 5, hash = 'x'",
        "UPDATE moderation_audithead SET hash = 'x'",
        "UPDATE moderation_audithead SET signature = 'x'",
        "DELETE FROM moderation_audithead",
        "INSERT INTO moderation_audithead (id, number, hash, key, signature) VALUES (2, 0, '', '', '')",
        "INSERT INTO moderation_audithead (id, number, hash, key, signature) VALUES (1, 0, '', '', '')",
    ],
)
def test_the_head_only_follows_new_entries(log: list[AuditEntry], statement: str) -> None:
    refuse(statement, "only follows new entries")
    assert audit.find_fault() is None


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite alone knows REPLACE")
@pytest.mark.parametrize("number", ["2", "9"])
def test_an_entry_is_not_replaced_by_a_new_one(log: list[AuditEntry], number: str) -> None:
    """Neither with the same number nor with the same request, which are unique."""
    columns = [field.column for field in AuditEntry._meta.fields]
    values = [number if column == "number" else column for column in columns]
    with (
        pytest.raises(DatabaseError, match="never changed"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            f"REPLACE INTO moderation_auditentry ({', '.join(columns)}) "
            f"SELECT {', '.join(values)} FROM moderation_auditentry WHERE number = 2"
        )
    assert AuditEntry.objects.count() == 4


def test_so_it_does_when_django_asks(log: list[AuditEntry]) -> None:
    for change in (log[0].delete, lambda: AuditEntry.objects.update(reason="x"), log[1].save):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE moderation_auditentry SET reason = 'x' WHERE number = 2", "entry 2 was changed"),
        ("UPDATE moderation_auditentry SET moderator_name = 'x' WHERE number = 4", "entry 4 was changed"),
        ("DELETE FROM moderation_auditentry WHERE number = 1", "entry 1 is missing"),
        ("DELETE FROM moderation_auditentry WHERE number = 3", "entry 3 is missing"),
        ("DELETE FROM moderation_auditentry WHERE number > 2", "entries 3 to 4 are missing"),
        ("DELETE FROM moderation_auditentry", "entries 1 to 4 are missing"),
    ],
)
def test_whoever_gets_round_the_guards_is_found_out(
    log: list[AuditEntry], statement: str, fault: str
) -> None:
    tamper(statement)
    assert audit.find_fault() == fault
    with pytest.raises(CommandError, match=fault):
        call_command("verify_audit")


@pytest.mark.parametrize("number", [2, 4])
def test_a_change_without_the_key_does_not_fit(log: list[AuditEntry], number: int) -> None:
    entry = log[number - 1]
    entry.reason = "another"
    tamper(
        f"UPDATE moderation_auditentry SET reason = 'another', hash = '{entry.computed_hash(Key('', b'none'))}' "
        f"WHERE number = {number}"
    )
    assert audit.find_fault() == f"entry {number} was changed"


def test_a_change_with_the_key_breaks_the_next_link(log: list[AuditEntry]) -> None:
    entry = log[1]
    entry.reason = "another"
    new = entry.computed_hash(current_key())
    tamper(f"UPDATE moderation_auditentry SET reason = 'another', hash = '{new}' WHERE number = 2")
    assert audit.find_fault() == "entry 3 was changed"


def test_a_log_written_anew_without_the_key_is_found_out(log: list[AuditEntry]) -> None:
    tamper(*rewrite(log, Key("", b"none")))
    assert audit.find_fault() == "entry 1 has no signature"


def test_a_log_written_anew_with_another_key_is_found_out(log: list[AuditEntry]) -> None:
    stranger = Key("0" * 12, b"somebody else's")
    tamper(*rewrite(log, stranger))
    assert "entry 1 was signed with the key 000000000000" in str(audit.find_fault())
    tamper(*rewrite(log, Key(current_key().id, stranger.secret)))
    assert audit.find_fault() == "entry 1 was changed"


def test_a_tail_cut_off_with_the_head_put_back_is_found_out(log: list[AuditEntry]) -> None:
    tamper(
        "DELETE FROM moderation_auditentry WHERE number > 2",
        f"UPDATE moderation_audithead SET number = 2, hash = '{log[1].hash}'",
    )
    assert audit.find_fault() == "the head of the log was changed"


def verify(anchor: str) -> None:
    call_command("verify_audit", "--anchor", anchor)


def anchor_of(entry: AuditEntry) -> str:
    return str(Anchor.of(entry.number, entry.hash))


def test_whoever_has_the_key_too_is_found_out_by_what_was_told(log: list[AuditEntry]) -> None:
    """After a cut or a rewrite with valid signatures, only an anchor outside the server shows the change."""
    told = [anchor_of(entry) for entry in log]
    for anchor in told:
        verify(anchor)
    key = current_key()
    tamper(*rewrite(log, key))
    head = AuditHead.objects.get()
    tamper(f"UPDATE moderation_audithead SET signature = '{head.computed_signature(key)}'")
    call_command("verify_audit")
    with pytest.raises(CommandError, match=f"entry 4 is not the one that was told as {told[3]}"):
        verify(told[3])
    head.number, head.hash = 2, AuditEntry.objects.get(number=2).hash
    tamper(
        "DELETE FROM moderation_auditentry WHERE number > 2",
        f"UPDATE moderation_audithead SET number = 2, hash = '{head.hash}', "
        f"signature = '{head.computed_signature(key)}'",
    )
    call_command("verify_audit")
    with pytest.raises(CommandError, match=f"entry 4, which was told as {told[3]}, is missing"):
        verify(told[3])


@pytest.mark.parametrize(
    "text", ["4", "4:", ":abc", "0:" + 32 * "a", "4:xyz", "4:" + 31 * "a", "-1:" + 32 * "a"]
)
def test_an_anchor_that_was_never_printed_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="no SEQ:HASH"):
        call_command("verify_audit", f"--anchor={text}")


# --- Keys -----------------------------------------------------------------------------------------


def test_the_key_may_be_changed_while_the_former_one_is_kept(
    moderator: User, log: list[AuditEntry], settings
) -> None:
    settings.AUDIT_KEY = "b" * 50
    audit.write(moderator, "resume", reason="x", request_key="second key", now=NOON)
    settings.AUDIT_KEY, settings.AUDIT_KEY_FALLBACKS = "c" * 50, ["b" * 50]
    audit.write(moderator, "resume", reason="x", request_key="third key", now=NOON)
    assert audit.find_fault() is None
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "d" * 50
    assert audit.find_fault() is None
    settings.SECRET_KEY_FALLBACKS = []
    assert audit.find_fault() == (
        f"entry 1 was signed with the key {log[0].key}, which is not in AUDIT_KEY or AUDIT_KEY_FALLBACKS"
    )


def test_the_key_cannot_be_read_in_the_database(log: list[AuditEntry], settings) -> None:
    key = current_key()
    assert log[0].key == key.id
    assert key.id not in key.secret.hex()
    assert settings.SECRET_KEY not in str(AuditEntry.objects.values_list())


# --- The server's role ----------------------------------------------------------------------------


@pytest.mark.postgresql
def test_the_servers_role_appends(as_server: None, moderator: User) -> None:
    audit.write(moderator, "pause", reason="x", request_key="as server", now=NOON)
    anchors.tell_daily(NOON)
    assert audit.find_fault() is None


@pytest.mark.postgresql
@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE moderation_auditentry",
        "TRUNCATE moderation_audithead",
        "DELETE FROM moderation_auditentry WHERE number > 2",
        "DELETE FROM moderation_audithead",
        "UPDATE moderation_auditentry SET reason = 'x'",
        "DELETE FROM moderation_auditanchor",
        "UPDATE moderation_auditanchor SET hash = 'x'",
        "ALTER TABLE moderation_auditentry DISABLE TRIGGER USER",
        "DROP TRIGGER moderation_audit_head_follows ON moderation_audithead",
        "DROP TABLE moderation_auditentry",
        "CREATE OR REPLACE FUNCTION moderation_audit_refuse() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN RETURN NEW; END $$",
        "DELETE FROM django_migrations",
        "SET session_replication_role = replica",
    ],
)
def test_the_servers_role_changes_nothing(log: list[AuditEntry], as_server: None, statement: str) -> None:
    """Not even an intruder who has taken the server over can."""
    refuse(statement, "permission denied|must be owner|is not allowed")
    assert audit.find_fault() is None


@pytest.mark.postgresql
def test_a_table_of_ones_own_does_not_stand_in_for_the_log(log: list[AuditEntry], as_server: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE moderation_auditentry (LIKE public.moderation_auditentry)")
        cursor.execute(
            "INSERT INTO moderation_auditentry SELECT 5, at, moderator, moderator_name, verb, match, subject, reason, "
            "data, request_key, hash, 'x', key FROM public.moderation_auditentry WHERE number = 4"
        )
        cursor.execute(
            "UPDATE moderation_auditentry SET number = 5, previous = %s, hash = 'x'", [log[3].hash]
        )
    refuse("UPDATE moderation_audithead SET number = 5, hash = 'x'", "only follows new entries")


# --- Anchors outside the server ----------------------------------------------------------------------


@pytest.fixture
def operators(settings) -> None:
    settings.OPERATORS = ["ops@example.org"]


def test_the_operators_are_told_daily_where_the_log_ends(
    log: list[AuditEntry], operators: None, mailoutbox, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        for hour in range(48):
            anchors.tell_daily(NOON + timedelta(hours=hour))
    assert len(mailoutbox) == 3  # the 6th, 7th and 8th
    told = anchor_of(log[3])
    assert mailoutbox[0].to == ["ops@example.org"]
    assert f"verify_audit --anchor {told}" in mailoutbox[0].body
    assert "2026-03-06" in mailoutbox[0].body
    lines = [record for record in caplog.records if record.name == anchors.__name__]
    assert [TextLine().format(line).rpartition("audit log ")[2] for line in lines[:1]] == [
        f"ends with {told} on 2026-03-06"
    ]
    verify(told)


def test_what_was_told_is_told_again_when_the_relay_refused(
    log: list[AuditEntry], operators: None, mailoutbox, settings
) -> None:
    settings.EMAIL_BACKEND = "tests.operating.test_alarms.Refusing"
    anchors.tell_daily(NOON)
    assert mailoutbox == []
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    anchors.tell_daily(NOON + timedelta(hours=1))
    assert len(mailoutbox) == 1


def test_a_log_that_does_not_hold_what_was_told_yesterday_is_told_as_changed(
    log: list[AuditEntry], operators: None, mailoutbox
) -> None:
    """Even with valid signatures, because the log is compared with yesterday's anchor."""
    anchors.tell_daily(NOON)
    tamper(
        "DELETE FROM moderation_auditentry WHERE number > 2",
        f"UPDATE moderation_audithead SET number = 2, hash = '{log[1].hash}'",
    )
    head = AuditHead.objects.get()
    tamper(f"UPDATE moderation_audithead SET signature = '{head.computed_signature(current_key())}'")
    assert audit.find_fault() is None
    anchors.tell_daily(NOON + timedelta(days=1))
    assert "tampered" in mailoutbox[1].subject
    assert "entry 4" in mailoutbox[1].body
    assert "is missing" in mailoutbox[1].body


def test_the_same_request_is_found_again(log: list[AuditEntry]) -> None:
    assert audit.entry_of("key 3") == log[2]
    assert audit.entry_of("key 9") is None


def test_the_command_says_how_many_entries_there_are(
    log: list[AuditEntry], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify_audit")
    assert "whole: 4 entries" in capsys.readouterr().out
    assert AuditHead.objects.get().number == 4
