"""The audit log: nobody can change it, and who tries shows."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from gemserver.accounts.models import User
from gemserver.moderation import audit
from gemserver.moderation.models import AuditEntry, AuditHead
from tests.builders import NOON, make_user

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


def tamper(statement: str) -> None:
    """What somebody with the database's password could do: take the guards away first."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE moderation_auditentry DISABLE TRIGGER moderation_audit_unchanged")
        else:
            cursor.execute("DROP TRIGGER moderation_audit_no_update")
            cursor.execute("DROP TRIGGER moderation_audit_no_delete")
        cursor.execute(statement)


def test_entries_are_numbered_without_gaps_and_form_a_chain(log: list[AuditEntry]) -> None:
    assert [entry.number for entry in log] == [1, 2, 3, 4]
    assert [entry.previous for entry in log[1:]] == [entry.hash for entry in log[:-1]]
    assert audit.find_fault() is None


def test_an_empty_log_is_whole() -> None:
    assert audit.find_fault() is None


@pytest.mark.parametrize(
    "statement", ["UPDATE moderation_auditentry SET reason = 'x'", "DELETE FROM moderation_auditentry"]
)
def test_the_database_refuses_to_change_an_entry(log: list[AuditEntry], statement: str) -> None:
    with (
        pytest.raises(DatabaseError, match="never changed"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert AuditEntry.objects.count() == 4


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite alone knows REPLACE")
@pytest.mark.parametrize("number", ["2", "9"])
def test_an_entry_is_not_replaced_by_a_new_one(log: list[AuditEntry], number: str) -> None:
    """Neither by its number nor by its request, which are unique."""
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


def test_a_change_with_a_hash_that_fits_breaks_the_next_link(log: list[AuditEntry]) -> None:
    entry = log[1]
    entry.reason = "another"
    tamper(
        f"UPDATE moderation_auditentry SET reason = 'another', hash = '{entry.computed_hash()}' WHERE number = 2"
    )
    assert audit.find_fault() == "entry 3 was changed"


def test_a_last_entry_rewritten_with_its_hash_does_not_fit_the_head(log: list[AuditEntry]) -> None:
    entry = log[3]
    entry.reason = "another"
    tamper(
        f"UPDATE moderation_auditentry SET reason = 'another', hash = '{entry.computed_hash()}' WHERE number = 4"
    )
    assert audit.find_fault() == "the head of the log was changed"


def test_the_same_request_is_found_again(log: list[AuditEntry]) -> None:
    assert audit.entry_of("key 3") == log[2]
    assert audit.entry_of("key 9") is None


def test_the_command_says_how_many_entries_there_are(
    log: list[AuditEntry], capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify_audit")
    assert "whole: 4 entries" in capsys.readouterr().out
    assert AuditHead.objects.get().number == 4
