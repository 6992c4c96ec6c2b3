"""Vacations and holidays, if they were announced in time."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.clocks.days_off import NOTICE, DaysOff, days_in, first_days, with_days_off
from gemserver.clocks.free_time import FreeTime, QuietHours, due_at
from tests.clocks.test_free_time import INSTANTS, free_times

PARIS = ZoneInfo("Europe/Paris")
NIGHT = QuietHours(time(22), time(7))
DAY, HOUR, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(seconds=1)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
FRIDAY_EVENING = datetime(2026, 3, 27, 21, 0, tzinfo=PARIS)


def paris(month: int, day: int, hour: int) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=PARIS)


def due(free: FreeTime, *days_off: DaysOff, prompted_at: datetime = FRIDAY_EVENING) -> datetime | None:
    known = with_days_off(free, days_off, prompted_at=prompted_at, bank=DAY)
    return due_at(prompted_at, DAY, known)


def test_a_vacation_behind_a_free_weekend() -> None:
    off = DaysOff(date(2026, 3, 30), date(2026, 4, 1), LONG_AGO, NOTICE)
    assert due(FreeTime(PARIS, NIGHT, free_weekends=True), off) == paris(4, 3, 15)


def test_a_vacation_announced_an_hour_before_the_due_time_counts_and_a_second_later_it_does_not() -> None:
    free = FreeTime(PARIS, NIGHT)
    in_time, late = (
        DaysOff(date(2026, 3, 29), date(2026, 3, 31), paris(3, 29, 14) + delay, NOTICE)
        for delay in (timedelta(0), SECOND)
    )
    assert due(free, in_time) == paris(4, 1, 8), "the hour that was left is left on the first morning after"
    assert due(free, late) == paris(3, 29, 15)


def test_nothing_is_free_before_it_was_known() -> None:
    off = DaysOff(date(2026, 3, 28), date(2026, 3, 28), paris(3, 28, 12))
    assert due(FreeTime(PARIS), off) == paris(3, 29, 10), (
        "twelve hours later, by a clock that was put forward"
    )


def test_a_vacation_that_is_over_the_due_time_moves_nothing() -> None:
    off = DaysOff(date(2026, 4, 10), date(2026, 4, 12), LONG_AGO, NOTICE)
    assert due(FreeTime(PARIS, NIGHT), off) == paris(3, 29, 15)


@pytest.mark.slow
@given(
    since=INSTANTS,
    bank=st.integers(1, 14 * 24 * 60),
    free=free_times(),
    spans=st.lists(
        st.tuples(st.integers(-10, 40), st.integers(0, 20), st.integers(-9000, 30000)), max_size=4
    ),
)
def test_days_off_only_ever_move_a_due_time_back_and_never_one_that_is_near(
    since: datetime, bank: int, free: FreeTime, spans: list[tuple[int, int, int]]
) -> None:
    given_time = timedelta(minutes=bank)
    before = due_at(since, given_time, free)
    assert before is not None
    for start, length, known in spans:
        first = since.date() + start * DAY
        off = DaysOff(first, first + length * DAY, since + timedelta(minutes=known), NOTICE)
        free = with_days_off(free, [off], prompted_at=since, bank=given_time)
        after = due_at(since, given_time, free)
        assert after is not None
        assert after >= before
        if off.known_since > before - NOTICE:
            assert after == before
        before = after


def test_only_the_first_days_count_where_the_table_limits_them() -> None:
    march, april = (
        DaysOff(date(2026, 3, 30), date(2026, 4, 1), LONG_AGO),
        DaysOff(date(2026, 4, 10), date(2026, 4, 20), LONG_AGO),
    )
    kept = first_days([april, march], since=date(2026, 3, 31), limit=5)
    assert [(off.first.day, off.last.day) for off in kept] == [(31, 1), (10, 12)]
    assert first_days([april, march], since=date(2026, 1, 1), limit=0) == []
    assert sum(off.days for off in first_days([april, march], since=date(2026, 1, 1), limit=None)) == 14


def test_days_are_counted_in_the_calendar_year_they_lie_in() -> None:
    new_year = [DaysOff(date(2027, 12, 30), date(2028, 1, 2), LONG_AGO)]
    leap = [DaysOff(date(2028, 2, 28), date(2028, 3, 1), LONG_AGO)]
    assert (days_in(2027, new_year), days_in(2028, new_year), days_in(2028, leap)) == (2, 2, 3)
