"""Times of reminders."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.clocks.free_time import FOREVER, FreeTime, QuietHours, due_at, free_intervals, running_time
from gemserver.clocks.reminders import next_reminder, reminder_times
from tests.clocks.test_free_time import INSTANTS, free_times

PARIS = ZoneInfo("Europe/Paris")
NIGHT = QuietHours(time(22), time(7))
HOUR = timedelta(hours=1)
USUAL_LEADS = (24 * HOUR, 4 * HOUR)
NOON = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
LEADS = st.lists(st.integers(1, 4000).map(lambda minutes: timedelta(minutes=minutes)), max_size=5)
BANKS = st.integers(2, 14 * 24 * 60).map(lambda minutes: timedelta(minutes=minutes))


def test_three_days_bring_a_reminder_a_day_and_one_four_hours_before() -> None:
    assert reminder_times(NOON, 72 * HOUR, USUAL_LEADS, FreeTime(PARIS)) == [
        NOON + 48 * HOUR,
        NOON + 68 * HOUR,
    ]


def test_leads_longer_than_half_the_time_given_are_one_reminder_at_half_time() -> None:
    assert reminder_times(NOON, 6 * HOUR, USUAL_LEADS, FreeTime(PARIS)) == [NOON + 3 * HOUR]


def test_a_lead_counts_running_time_so_the_night_does_not_shorten_it() -> None:
    start = datetime(2026, 3, 9, 9, 0, tzinfo=PARIS)
    # 13 h on Monday, 15 h on Tuesday, 2 h on Wednesday: due at 9; four hours of running time before is Tuesday, 20.
    assert reminder_times(start, 30 * HOUR, [4 * HOUR], FreeTime(PARIS, NIGHT)) == [
        datetime(2026, 3, 10, 20, 0, tzinfo=PARIS)
    ]


def test_a_reminder_that_would_fall_on_the_beginning_of_the_night_comes_in_the_morning() -> None:
    start = datetime(2026, 3, 9, 9, 0, tzinfo=PARIS)
    assert reminder_times(start, 17 * HOUR, [4 * HOUR], FreeTime(PARIS, NIGHT)) == [
        datetime(2026, 3, 10, 7, 0, tzinfo=PARIS)
    ]


def test_there_is_none_while_the_clock_stands_still() -> None:
    stopped = FreeTime(PARIS, stops=((NOON + HOUR, FOREVER),))
    assert reminder_times(NOON, 72 * HOUR, USUAL_LEADS, stopped) == []


@pytest.mark.parametrize(
    ("before_the_lead", "stopped_for", "is_told_besides"),
    [(2 * HOUR, 9 * HOUR, True), (2 * HOUR, 5 * HOUR, False), (HOUR / 2, 9 * HOUR, False)],
    ids=["told behind the stop", "too short to tell", "the next one says it"],
)
def test_a_time_put_off_is_told_behind_the_stop_unless_the_next_reminder_says_it(
    before_the_lead: timedelta, stopped_for: timedelta, is_told_besides: bool
) -> None:
    """Of three days with leads of 36 and 12 hours; the clocks stand still when 12 hours are nearly reached."""
    begins = NOON + 60 * HOUR - before_the_lead
    ends = begins + stopped_for
    free = FreeTime(PARIS, stops=((begins, ends),))
    told_for = NOON + 72 * HOUR
    coming = next_reminder(
        NOON, 72 * HOUR, [36 * HOUR, 12 * HOUR], free, after=begins + HOUR / 4, told_for=told_for
    )
    assert coming == (ends if is_told_besides else ends + before_the_lead)


@pytest.mark.slow
@given(since=INSTANTS, bank=BANKS, leads=LEADS, free=free_times())
def test_reminders_come_before_the_due_time_with_their_lead_left_and_never_in_free_time(
    since: datetime, bank: timedelta, leads: list[timedelta], free: FreeTime
) -> None:
    times = reminder_times(since, bank, leads, free)
    due = due_at(since, bank, free)
    assert due is not None
    wanted = {min(lead, bank / 2) for lead in leads}
    assert {bank - running_time(since, at, free) for at in times} == wanted
    for at in times:
        assert since < at < due
        start, _ = next(free_intervals(at, free), (FOREVER, FOREVER))
        assert start > at


@pytest.mark.slow
@given(since=INSTANTS, bank=BANKS, leads=LEADS, free=free_times())
def test_going_from_one_reminder_to_the_next_meets_each_once(
    since: datetime, bank: timedelta, leads: list[timedelta], free: FreeTime
) -> None:
    met, after = [], since
    while (at := next_reminder(since, bank, leads, free, after=after)) is not None:
        met.append(at)
        after = at
    assert met == reminder_times(since, bank, leads, free)
