"""A prepared query answers like the same query written out each time, for any caller at any time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import CharField, DateTimeField
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.lib.database.prepared import MostlyEmpty, Param, ParamSet, Prepared
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Move, Seat
from tests.builders import NOON, make_match, make_user

SEATS = Prepared(
    lambda: Seat.objects.select_related("user").filter(user__in=ParamSet("users")).order_by("-pk")
)
ASKED_SINCE = Prepared(
    lambda: Seat.objects.filter(prompted_at__gt=Param("since", DateTimeField())).values_list("match", "user")
)


NAMED = Prepared(
    lambda: User.objects.filter(username__in=ParamSet("names", CharField())).values_list("username")
)


@pytest.fixture
def players() -> list[User]:
    return [make_user("ana"), make_user("ben"), make_user("cy")]


@pytest.mark.django_db
def test_it_finds_what_the_query_finds_each_time_anew(players: list[User]) -> None:
    assert SEATS(users=[1, 2]) == []
    make_match(players=players[:2])
    make_match(players=players[1:])
    for asked in ([], players[:1], players[:2], players):
        rows = Seat.objects.filter(user__in=asked).order_by("-pk")
        found = SEATS(users=[user.pk for user in asked])
        assert found == list(rows)
        assert [seat.clock_left for seat in found] == [seat.clock_left for seat in rows]


@pytest.mark.django_db
def test_it_takes_one_statement_with_the_players_of_the_seats(players: list[User]) -> None:
    make_match(players=players)
    with CaptureQueriesContext(connection) as captured:
        names = [seat.user.username for seat in SEATS(users=[user.pk for user in players]) if seat.user]
    assert names == ["cy", "ben", "ana"]
    assert len(captured) == 1


@pytest.mark.django_db
def test_of_many_that_mostly_find_nothing_only_those_are_run_that_find_rows(players: list[User]) -> None:
    rare = MostlyEmpty(SEATS, NAMED, ASKED_SINCE)

    def find(names: list[str]) -> tuple[list[list[Any]], int]:
        with CaptureQueriesContext(connection) as captured:
            found = rare(users=[user.pk for user in players], names=names, since=NOON)
        return found, len(captured)

    assert find(["nobody"]) == ([[], [], []], 1)
    assert find(["ben"]) == ([[], [("ben",)], []], 2)
    make_match(players=players)
    (seats, named, asked), statements = find(["ben"])
    assert [seat.user for seat in seats] == [*reversed(players)]
    assert (named, asked, statements) == ([("ben",)], [], 3)


@pytest.mark.django_db
def test_instants_are_compared_as_instants(players: list[User]) -> None:
    match = make_match(players=players)
    asked = Seat.objects.get(match=match, is_waiting=True)
    assert ASKED_SINCE(since=NOON - timedelta(microseconds=1)) == [(match.pk, asked.user_id)]
    assert ASKED_SINCE(since=NOON) == []


@pytest.mark.django_db
def test_a_set_may_be_of_words(players: list[User]) -> None:
    assert NAMED(names=[]) == []
    assert sorted(NAMED(names=["ben", "ana", 'd"{,}\\%'])) == [("ana",), ("ben",)]


ODD_NAME = "100%s 'of' \\ them"
ODDLY_NAMED = Prepared(
    lambda: User.objects.filter(
        username=ODD_NAME, username__contains="%", is_guest=False, pk__gte=Param("first")
    )
)


@pytest.mark.django_db
def test_what_is_the_same_each_time_may_be_any_text() -> None:
    assert ODDLY_NAMED(first=1) == []
    user = make_user(ODD_NAME)
    make_user(ODD_NAME.replace("%", ""))
    assert ODDLY_NAMED(first=1) == [user]
    assert ODDLY_NAMED(first=user.pk + 1) == []


@pytest.mark.django_db(transaction=True)
def test_threads_do_not_get_each_others_rows(players: list[User]) -> None:
    make_match(players=players)

    def names(user: User) -> set[str]:
        try:
            return {seat.user.username for _ in range(20) for seat in SEATS(users=[user.pk]) if seat.user}
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(names, players)) == [{"ana"}, {"ben"}, {"cy"}]


@pytest.mark.django_db(transaction=True)
def test_no_row_is_locked_outside_a_transaction(players: list[User]) -> None:
    match = make_match(players=players)
    with transaction.atomic():
        assert lock_match(match.pk) == match
    with pytest.raises(transaction.TransactionManagementError):
        lock_match(match.pk)


@pytest.mark.django_db
def test_a_value_that_is_not_given_is_an_error() -> None:
    with pytest.raises(KeyError):
        Prepared(lambda: Move.objects.filter(match=Param("match")))(ply=1)


@pytest.mark.django_db
def test_django_still_takes_rows_from_where_they_are_handed_in(players: list[User]) -> None:
    """Checks Django's undocumented behaviour that `prepared` relies on, before a new release breaks the site."""
    rows: Any = Seat.objects.select_related("user").order_by("pk")
    match = make_match(players=players)
    compiler = rows.query.get_compiler(connection=connection)
    statement, params = compiler.as_sql()
    converters = compiler.get_converters([column for column, *_ in compiler.select])
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found = cursor.fetchall()
    compiler.results_iter = lambda *_, **__: compiler.apply_converters(found, converters)
    compiler.execute_sql = lambda *_, **__: found
    rows.query.get_compiler = lambda *_, **__: compiler
    with CaptureQueriesContext(connection) as captured:
        seats = list(rows._iterable_class(rows))
        assert [seat.user for seat in seats] == [seat.user for seat in match.read_seats()]
    assert len(captured) == 1, "only what read_seats asks"


@pytest.mark.django_db
def test_a_statement_that_failed_leaves_the_next_ones_alone(players: list[User]) -> None:
    """They share a cursor."""
    broken = Prepared(lambda: User.objects.extra(where=["no_such_column = 1"]))
    for _ in range(2):
        with pytest.raises(DatabaseError), transaction.atomic():
            broken()
        assert NAMED(names=["ana"]) == [("ana",)]


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_was_closed_is_opened_again(players: list[User]) -> None:
    assert NAMED(names=["ana"]) == [("ana",)]
    connection.close()
    assert NAMED(names=["ana"]) == [("ana",)]
