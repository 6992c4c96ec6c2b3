"""Around changes of clocks: the arithmetic against a look at every single minute."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.clocks.daily import next_daily
from gemserver.clocks.free_time import FOREVER, FreeTime, QuietHours, due_at, free_intervals, running_time
from gemserver.clocks.reminders import reminder_times
from tests.clocks.minutes import CHANGES, DAY, MINUTE, Minutes, around_changes, look
from tests.clocks.test_free_time import QUIET
from tests.clocks.test_reminders import USUAL_LEADS

HOUR = timedelta(hours=1)
NIGHT = QuietHours(time(22), time(7))


@st.composite
def prompts(draw: st.DrawFn) -> tuple[datetime, FreeTime]:
    """The instant of a prompt near a change of clocks, and the free time for it."""
    zone, since = draw(around_changes())
    offsets = draw(st.lists(st.tuples(st.integers(-2, 4), st.integers(0, 2)), max_size=2))
    days = tuple(
        (since.date() + first * DAY, since.date() + (first + length) * DAY) for first, length in offsets
    )
    pauses = draw(st.lists(st.tuples(st.integers(-1440, 5000), st.integers(1, 1000)), max_size=2))
    stops = tuple((since + begin * MINUTE, since + (begin + length) * MINUTE) for begin, length in pauses)
    return since, FreeTime(zone, draw(QUIET), draw(st.booleans()), days, stops)


@pytest.mark.slow
@given(prompt=prompts(), minutes=st.integers(1, 3 * 1440))
def test_running_time_is_what_a_look_at_every_minute_finds(
    prompt: tuple[datetime, FreeTime], minutes: int
) -> None:
    since, free = prompt
    until = since + minutes * MINUTE
    assert running_time(since, until, free) == look(since, minutes * MINUTE, free).running(minutes)


@pytest.mark.slow
@given(prompt=prompts(), bank=st.integers(1, 2000))
def test_a_prompt_is_due_at_the_end_of_the_minute_that_uses_its_bank_up(
    prompt: tuple[datetime, FreeTime], bank: int
) -> None:
    since, free = prompt
    counted = look(since, 6 * DAY, free)
    expected = counted.due(bank * MINUTE)
    due = due_at(since, bank * MINUTE, free)
    if expected is None:
        assert due is not None
        assert due > since + 6 * DAY
    else:
        assert due == expected


@given(prompt=prompts(), first=st.integers(0, 3000), second=st.integers(0, 3000))
def test_no_minute_is_lost_or_counted_twice_where_one_looks_in_between(
    prompt: tuple[datetime, FreeTime], first: int, second: int
) -> None:
    since, free = prompt
    middle = since + first * MINUTE
    end = middle + second * MINUTE
    parts = running_time(since, middle, free) + running_time(middle, end, free)
    assert parts == running_time(since, end, free)


@given(
    prompt=prompts(), bank=st.integers(1, 3000), begin=st.integers(-500, 3000), length=st.integers(1, 3000)
)
def test_a_stop_never_brings_a_due_time_forward_nor_gives_more_than_it_lasts(
    prompt: tuple[datetime, FreeTime], bank: int, begin: int, length: int
) -> None:
    since, free = prompt
    stop = (since + begin * MINUTE, since + (begin + length) * MINUTE)
    stopped = replace(free, stops=(*free.stops, stop))
    before, after = due_at(since, bank * MINUTE, free), due_at(since, bank * MINUTE, stopped)
    assert before is not None
    assert after is not None
    assert before <= after
    assert running_time(since, after, free) <= (bank + length) * MINUTE


@pytest.mark.slow
@given(prompt=prompts(), bank=st.integers(60, 2000))
def test_reminders_have_their_lead_left_by_the_count_of_minutes(
    prompt: tuple[datetime, FreeTime], bank: int
) -> None:
    since, free = prompt
    counted: Minutes = look(since, 6 * DAY, free)
    leads = {min(lead, bank * MINUTE / 2) for lead in USUAL_LEADS}
    for at in reminder_times(since, bank * MINUTE, USUAL_LEADS, free):
        passed = (at - since) // MINUTE
        if passed < len(counted.free):
            left = bank * MINUTE - counted.running(passed)
            assert min(abs(left - lead) for lead in leads) < MINUTE
            assert not counted.free[passed], "none comes in free time"


@given(zone_and_since=around_changes(), back=st.integers(0, 5000))
def test_a_clock_that_was_put_back_counts_below_zero_only_as_far_as_it_was_put_back(
    zone_and_since: tuple[ZoneInfo, datetime], back: int
) -> None:
    zone, since = zone_and_since
    assert running_time(since, since - back * MINUTE, FreeTime(zone, NIGHT, True)) == -back * MINUTE


@pytest.mark.parametrize(("name", "day"), CHANGES)
def test_a_week_has_its_hours_less_its_nights(name: str, day: date) -> None:
    """Seven nights by the wall clock: an hour more or less in the night belongs to the night."""
    zone = ZoneInfo(name)
    since = datetime.combine(day - 3 * DAY, time(12), tzinfo=zone).astimezone(UTC)
    until = datetime.combine(day + 4 * DAY, time(12), tzinfo=zone).astimezone(UTC)
    days = 6 if name == "Pacific/Apia" else 7
    assert running_time(since, until, FreeTime(zone, NIGHT)) == days * 15 * HOUR


def test_the_day_that_was_skipped_takes_its_quiet_hours_with_it() -> None:
    """In Samoa the 29th of December 2011 was followed by the 31st."""
    apia = ZoneInfo("Pacific/Apia")
    evening = datetime(2011, 12, 29, 20, 0, tzinfo=apia)
    assert due_at(evening, 4 * HOUR, FreeTime(apia, NIGHT)) == datetime(2011, 12, 31, 9, 0, tzinfo=apia)
    off = FreeTime(apia, days_off=((date(2011, 12, 30), date(2011, 12, 30)),))
    assert due_at(evening, DAY, off) == datetime(2011, 12, 31, 20, 0, tzinfo=apia), "it was no day at all"


def test_on_a_day_that_was_skipped_no_digest_is_due() -> None:
    apia = ZoneInfo("Pacific/Apia")
    morning = datetime(2011, 12, 29, 8, 0, tzinfo=apia)
    assert next_daily(time(8), apia, after=morning) == datetime(2011, 12, 31, 8, 0, tzinfo=apia)


def test_an_open_end_stands_behind_all_nights_before_it() -> None:
    """During a pause, earlier free time is still told apart."""
    paris = ZoneInfo("Europe/Paris")
    noon = datetime(2026, 3, 28, 12, 0, tzinfo=paris)
    pause = datetime(2026, 3, 30, 12, 0, tzinfo=paris)
    intervals = list(free_intervals(noon, FreeTime(paris, NIGHT, stops=((pause, FOREVER),))))
    assert len(intervals) == 3
    assert [end - start for start, end in intervals[:2]] == [8 * HOUR, 9 * HOUR]
    assert intervals[2] == (pause, FOREVER)
