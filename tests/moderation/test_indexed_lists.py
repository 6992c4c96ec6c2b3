"""Lists of the moderators among many rows: PostgreSQL's plans for searching and sorting them read no table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.db import connection
from django.test import Client

from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.roles import Role
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.matches.models import ChatMessage, Match, Report, Seat
from gemserver.notify.models import DeliveryEvent, OutboxMessage
from gemserver.operating import search_indexes
from gemserver.operating.doctor import examine_server
from tests.builders import asked, make_match, make_user
from tests.load.growth import copy_rows
from tests.mailgate.letters import letter, receive
from tests.site.pages import read, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.postgresql]

MANY = 5_000
BIG = (
    *(
        "accounts_user",
        "account_emailaddress",
        "accounts_unreachableaddress",
        "matches_match",
        "matches_seat",
    ),
    *("matches_chatmessage", "matches_report", "notify_outboxmessage", "notify_deliveryevent"),
    "inbox_inboundemail",
)


@pytest.fixture
def panel() -> Client:
    return signed_in(make_user("mod", role=Role.MODERATOR))


@pytest.fixture
def _crowd() -> None:
    """Matches, players, mails and talk, each as many."""
    ana, ben = make_user("ana"), make_user("ben")
    match = make_match("gem", [ana, ben], now=clock.now())
    receive(seat := asked(match), letter(seat, "bid 99"))
    now = clock.now()
    ChatMessage.objects.create(match=match, author=ana, seat=0, ply=0, text="Hello there", created_at=now)
    Report.objects.create(match=match, reporter=ben, created_at=now)
    UnreachableAddress.objects.create(address="gone@example.net", why="bounced", since=now)
    DeliveryEvent.objects.create(
        address="gone@example.net", kind="hard bounce", at=now, source="dsn", key="d"
    )
    numbers = f"generate_series(1, {MANY}) number"
    name = "md5(number::text)"
    tokens = {"token_hash": "NULL", "feed_token_hash": "NULL"}
    copy_rows(
        User, {"username": name, "email": f"{name} || '@example.org'", **tokens}, _like(ana.pk, numbers)
    )
    copy_rows(Match, {"code": "'C' || number"}, _like(match.pk, numbers))
    _analyze()
    users = f"{numbers} JOIN accounts_user copy ON copy.username = {name}"
    address = EmailAddress.objects.get(user=ana).pk
    copy_rows(EmailAddress, {"user_id": "copy.id", "email": "copy.email"}, _like(address, users))
    tables = f"{users} JOIN matches_match home ON home.code = 'C' || number"
    homes = {"match_id": "home.id"}
    of_match = f"{tables} WHERE given.match_id = {match.pk} AND"
    copy_rows(
        Seat, {**homes, "user_id": "copy.id", "token_hash": "NULL"}, f"{of_match} given.user_id = {ana.pk}"
    )
    copy_rows(
        ChatMessage, {**homes, "author_id": "copy.id", "text": "copy.username"}, f"{of_match} given.id > 0"
    )
    filed = {"reporter_id": "copy.id", "created_at": "given.created_at - number * interval '1 minute'"}
    copy_rows(Report, {**homes, **filed}, f"{of_match} given.id > 0")
    ago = "- number * interval '1 minute'"
    copy_rows(
        UnreachableAddress,
        {"address": "copy.email", "since": f"given.since {ago}"},
        f"{users} WHERE given.id > 0",
    )
    copy_rows(
        DeliveryEvent,
        {"address": "copy.email", "key": "'k' || number", "at": f"given.at {ago}"},
        f"{users} WHERE given.id > 0",
    )
    mail = OutboxMessage.objects.filter(user=ana).earliest("pk").pk
    ids = {"dedup_key": "'d' || number", "message_id": "'<' || number || '>'"}
    thread = {"thread": "'match:' || home.id", "created_at": f"given.created_at {ago}"}
    copy_rows(OutboxMessage, {**ids, **thread, "to": "copy.email", "user_id": "copy.id"}, _like(mail, tables))
    _analyze()
    row = InboundEmail.objects.get().pk
    seats = f"{tables} JOIN matches_seat chair ON chair.match_id = home.id"
    mine = {"sender": "copy.email", "user_id": "copy.id", "seat_id": "chair.id"}
    ids = {"key": "'k' || number", "message_id": "number || '@example.org'"}
    copy_rows(InboundEmail, {**mine, **ids}, _like(row, seats))
    _analyze()
    with connection.cursor() as cursor:  # of so few rows some are read as quickly without an index
        cursor.execute("SET LOCAL enable_seqscan = off")


def _analyze() -> None:
    """Let PostgreSQL know how many rows there are."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _like(key: int, source: str) -> str:
    return f"{source} WHERE given.id = {key}"


@contextmanager
def _planning() -> Iterator[list[str]]:
    """Collect the plans of all queries."""
    plans: list[str] = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if str(sql).startswith("SELECT"):
            cursor = context["cursor"]
            execute(f"EXPLAIN {sql}", params, many, context)
            plans.append("\n".join(line for (line,) in cursor.fetchall()) + f"\n{sql}")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield plans


def _read_tables(plans: list[str]) -> list[str]:
    """The plans that read one of the big tables, or the partition of it that has its rows."""
    scan = re.compile(rf"Seq Scan on ({'|'.join(BIG)})(_before)?\b")
    return [plan for plan in plans if scan.search(plan)]


@pytest.mark.usefixtures("_crowd")
def test_no_search_reads_a_table(panel: Client) -> None:
    """Parts of a name, of an address, whole codes, threads and ids; one that nothing has, and one of two letters."""
    person = User.objects.exclude(username__in=["ana", "ben", "mod"]).latest("pk")
    match = Match.objects.latest("pk")
    mail, row = OutboxMessage.objects.latest("pk"), InboundEmail.objects.latest("pk")
    words = {person.username[3:20], person.email, match.code.lower(), "nosuchthing", "ab"}
    words |= {mail.thread, mail.message_id, row.message_id, f"{person.username[:9]} {match.code}"}
    found: dict[str, set[str]] = {}
    for model, lists in admin.site._registry.items():
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for word in words if lists.search_fields else ():
            with _planning() as plans:
                text = read(panel.get(path, {"q": word})).text
            assert not _read_tables(plans), (path, word, _read_tables(plans)[0])
            if not re.search(r"\b0 results", text):
                found.setdefault(word, set()).add(str(model._meta.model_name))
    by_name = {"user", "emailaddress", "match", "seat", "chatmessage", "report", "outboxmessage"}
    by_name |= {"inboundemail", "unreachableaddress"}
    assert by_name <= found[person.username[3:20]] | {"unreachableaddress"}, found
    assert {"match", "seat", "chatmessage", "report", "inboundemail"} <= found[match.code.lower()]
    assert found[mail.thread] == found[mail.message_id] == {"outboxmessage"}
    assert found[row.message_id] >= {"inboundemail"}
    assert "nosuchthing" not in found


@pytest.mark.usefixtures("_crowd")
def test_no_order_reads_a_table(panel: Client) -> None:
    """The first 200 rows of each list, and those of every order that it offers; it has no order by another column."""
    offered = 0
    for model, lists in admin.site._registry.items():
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for number in range(len(lists.list_display) + 1):
            for sign in ("", "-"):
                with _planning() as plans:
                    page = panel.get(path, {"o": f"{sign}{number}"} if number else {})
                assert page.status_code == 200
                sorts = [plan for plan in plans if re.search(r"^ *(->  )?Sort  .*rows=\d{4}", plan, re.M)]
                assert not sorts, (path, number, sorts[0])
                offered += number > 0
    assert offered > 20


@pytest.mark.usefixtures("_crowd")
def test_the_start_page_reads_no_table(panel: Client) -> None:
    with _planning() as plans:
        assert panel.get("/admin/").status_code == 200
    assert not _read_tables(plans), _read_tables(plans)[0]


def test_an_index_that_was_broken_off_is_made_again() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX user_name_parts")
        assert [index.name for index in search_indexes.missing(connection)] == ["user_name_parts"]
        assert "not there: user_name_parts" in _line_of_doctor()
        assert search_indexes.build(connection) == []
        assert "searched by index" in _line_of_doctor()


def test_who_may_not_create_the_extension_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP EXTENSION pg_trgm CASCADE")
        cursor.execute("DROP INDEX report_listed")
    monkeypatch.setattr(search_indexes, "_has_trigrams", lambda connection: False)
    refused = search_indexes.build(connection)
    assert "user_name_parts" in {index.name for index in refused}
    assert "report_listed" not in {index.name for index in refused}, "what needs no extension is made"
    assert "CREATE EXTENSION pg_trgm" in _line_of_doctor()


def _line_of_doctor() -> str:
    return next(finding.write(14) for finding in examine_server() if finding.subject == "search")
