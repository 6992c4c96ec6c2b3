"""Rows written by a prepared statement are read back unchanged, and missing rows are noticed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError, DataError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.lib.database.prepared_writes import PreparedInsert, PreparedUpdate
from gemserver.matches.models import Match, Move, Notice, Seat
from tests.builders import NOON, make_match, make_user

pytestmark = pytest.mark.django_db

SAVE_CLOCKS = PreparedUpdate(Seat, "clock_left", "due_at", "misses")
SAVE_PARTS = PreparedUpdate(Seat, "part")
INSERT_MOVES = PreparedInsert(Move)
POST_ONCE = PreparedInsert(Notice, ignore_conflicts=True)


@pytest.fixture
def players() -> list[User]:
    return [make_user("ana"), make_user("ben")]


def a_move(match: Match, ply: int) -> Move:
    return Move(
        match=match,
        ply=ply,
        seat=0,
        text="bid 5",
        source=Move.Source.WEB,
        created_at=NOON,
        clock_before=timedelta(days=3, microseconds=1),
        events=[{"kind": "bid", "amount": 5, "note": "“%s”"}],
    )


def a_notice(match: Match, key: str) -> Notice:
    return Notice(match=match, key=key, kind="paused", ply=0, data={"why": "rain"}, created_at=NOON)


def test_named_fields_are_saved_and_no_others(players: list[User]) -> None:
    seats = make_match(players=players).read_seats()
    for seat in seats:
        seat.clock_left, seat.due_at, seat.misses = timedelta(hours=seat.index, microseconds=7), None, 2
        seat.prompt_ply += 40
    SAVE_CLOCKS(seats)
    for seat in seats:
        kept = Seat.objects.get(pk=seat.pk)
        assert (kept.clock_left, kept.due_at, kept.misses) == (seat.clock_left, None, 2)
        assert kept.prompt_ply == seat.prompt_ply - 40


def test_many_are_saved_by_one_statement(players: list[User]) -> None:
    seats = make_match(players=players).read_seats()
    with CaptureQueriesContext(connection) as captured:
        SAVE_CLOCKS([])
        SAVE_CLOCKS(seats)
    assert len(captured) == 1


def test_a_text_that_is_too_long_is_not_cut_off(players: list[User]) -> None:
    seats = make_match(players=players).read_seats()
    for seat in seats:
        seat.part = "x" * 65
    with pytest.raises((DataError, IntegrityError)), transaction.atomic():
        SAVE_PARTS(seats)
    assert {len(part) for part in Seat.objects.values_list("part", flat=True)} == {64}


def test_a_row_that_has_gone_is_not_saved_in_silence(players: list[User]) -> None:
    one, other = make_match(players=players).read_seats()[:2]
    Seat.objects.filter(pk=other.pk).delete()
    with pytest.raises(DatabaseError), transaction.atomic():
        SAVE_CLOCKS([one, other])


def test_new_rows_are_written_as_they_are_and_know_their_keys(players: list[User]) -> None:
    match = make_match(players=players)
    rows = [a_move(match, 101), a_move(match, 102)]
    with CaptureQueriesContext(connection) as captured:
        assert INSERT_MOVES(rows) == 2
    assert len(captured) == 1
    for row in rows:
        kept = Move.objects.get(match=match, ply=row.ply)
        assert kept == row
        for field in Move._meta.concrete_fields:
            assert getattr(kept, field.attname) == getattr(row, field.attname), field.name
        row.text = "pass"
        row.save()  # as a row that exists
    assert match.moves.filter(text="pass").count() == 2


def test_nothing_asks_nothing() -> None:
    with CaptureQueriesContext(connection) as captured:
        assert INSERT_MOVES([]) == 0
    assert not captured


def test_a_key_that_is_taken_is_an_error(players: list[User]) -> None:
    match = make_match(players=players)
    INSERT_MOVES([a_move(match, 101)])
    with pytest.raises(IntegrityError), transaction.atomic():
        INSERT_MOVES([a_move(match, 101)])


def test_or_it_is_left_out_and_not_counted(players: list[User]) -> None:
    match = make_match(players=players)
    assert POST_ONCE([a_notice(match, "a")]) == 1
    assert POST_ONCE([a_notice(match, "a"), a_notice(match, "b")]) == 1
    assert sorted(match.notices.values_list("key", flat=True)) == ["a", "b"]
