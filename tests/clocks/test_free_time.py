"""Running time of a player's clock, and due times."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.clocks.free_time import FOREVER, FreeTime, QuietHours, due_at, free_intervals, running_time

PARIS = ZoneInfo("Europe/Paris")
NIGHT = QuietHours(time(22), time(7))
DAY = timedelta(days=1)
FRIDAY_EVENING = datetime(2026, 3, 27, 21, 0, tzinfo=PARIS)


def paris(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=PARIS)


def test_a_day_with_quiet_nights_over_the_change_of_clocks() -> None:
    """1 h on Friday, 15 h on Saturday, 8 h on Sunday; the hour that is lost at night is in the quiet hours."""
    assert due_at(FRIDAY_EVENING, DAY, FreeTime(PARIS, NIGHT)) == paris(3, 29, 15)


def test_the_same_with_free_weekends() -> None:
    assert due_at(FRIDAY_EVENING, DAY, FreeTime(PARIS, NIGHT, free_weekends=True)) == paris(3, 31, 15)


def test_the_same_with_a_vacation_of_three_days_behind_the_weekend() -> None:
    vacation = ((date(2026, 3, 30), date(2026, 4, 1)),)
    free = FreeTime(PARIS, NIGHT, free_weekends=True, days_off=vacation)
    assert due_at(FRIDAY_EVENING, DAY, free) == paris(4, 3, 15)


def test_a_stop_moves_the_due_time_by_what_of_it_would_have_counted() -> None:
    stop = (paris(3, 28, 20), paris(3, 28, 23))
    assert due_at(FRIDAY_EVENING, DAY, FreeTime(PARIS, NIGHT, stops=(stop,))) == paris(3, 29, 17)


def test_time_that_is_up_when_the_night_begins_is_up_then_and_not_in_the_morning() -> None:
    assert due_at(paris(3, 9, 12), timedelta(hours=10), FreeTime(PARIS, NIGHT)) == paris(3, 9, 22)


def test_while_a_pause_goes_on_nothing_is_due() -> None:
    free = FreeTime(PARIS, NIGHT, stops=((paris(3, 28, 12), FOREVER),))
    assert due_at(FRIDAY_EVENING, DAY, free) is None
    assert due_at(FRIDAY_EVENING, timedelta(hours=5), free) == paris(3, 28, 11)


def test_without_free_time_a_day_is_a_day_also_over_the_change_of_clocks() -> None:
    assert due_at(paris(3, 28, 12), DAY, FreeTime(PARIS)) == paris(3, 29, 13)


def test_quiet_hours_that_end_in_the_hour_that_is_skipped_end_when_the_clocks_change() -> None:
    free = FreeTime(PARIS, QuietHours(time(22), time(2, 30)))
    assert running_time(paris(3, 28, 22), paris(3, 29, 4), free) == timedelta(hours=1)


def test_quiet_hours_that_end_in_the_hour_that_comes_twice_end_the_second_time() -> None:
    free = FreeTime(PARIS, QuietHours(time(22), time(2, 30)))
    assert running_time(paris(10, 24, 22), paris(10, 25, 4), free) == timedelta(hours=1, minutes=30)


def test_an_odd_zone_whose_clocks_change_by_half_an_hour() -> None:
    lord_howe = ZoneInfo("Australia/Lord_Howe")
    free = FreeTime(lord_howe, NIGHT)
    start = datetime(2026, 4, 4, 12, 0, tzinfo=lord_howe)
    assert due_at(start, DAY, free) == datetime(2026, 4, 5, 21, 0, tzinfo=lord_howe)


def test_a_leap_day_off_is_one_day() -> None:
    free = FreeTime(PARIS, days_off=((date(2028, 2, 28), date(2028, 2, 29)),))
    start = datetime(2028, 2, 27, 12, 0, tzinfo=PARIS)
    assert due_at(start, DAY, free) == datetime(2028, 3, 1, 12, 0, tzinfo=PARIS)


@pytest.mark.parametrize(("start", "end"), [(time(22), time(8, 1)), (time(9), time(9)), (time(6), time(20))])
def test_more_than_ten_quiet_hours_are_refused(start: time, end: time) -> None:
    with pytest.raises(ValueError, match="10 hours"):
        QuietHours(start, end)


ZONES = st.sampled_from(
    ["UTC", "Europe/Paris", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"]
)
QUIET = st.none() | st.builds(
    lambda start, hours: QuietHours(time(start // 60, start % 60), _plus(start, hours)),
    st.integers(0, 24 * 60 - 1),
    st.integers(1, 600),
)
INSTANTS = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)).map(
    lambda at: at.replace(tzinfo=UTC, second=0, microsecond=0)
)


def _plus(start: int, minutes: int) -> time:
    end = (start + minutes) % (24 * 60)
    return time(end // 60, end % 60)


@st.composite
def free_times(draw: st.DrawFn) -> FreeTime:
    near = st.integers(0, 60).map(lambda days: date(2026, 1, 1) + timedelta(days=days * 12))
    days = tuple(
        (first, first + timedelta(days=draw(st.integers(0, 20))))
        for first in draw(st.lists(near, max_size=3))
    )
    starts = draw(st.lists(INSTANTS, max_size=3))
    stops = tuple((start, start + timedelta(minutes=draw(st.integers(1, 5000)))) for start in starts)
    return FreeTime(ZoneInfo(draw(ZONES)), draw(QUIET), draw(st.booleans()), days, stops)


@pytest.mark.slow
@given(since=INSTANTS, bank=st.integers(1, 14 * 24 * 60), free=free_times())
def test_a_prompt_is_due_when_its_running_time_reaches_the_bank_and_not_before(
    since: datetime, bank: int, free: FreeTime
) -> None:
    given_time = timedelta(minutes=bank)
    due = due_at(since, given_time, free)
    assert due is not None
    assert running_time(since, due, free) == given_time
    assert running_time(since, due - timedelta(seconds=1), free) < given_time


@pytest.mark.slow
@given(since=INSTANTS, minutes=st.integers(1, 30 * 60), free=free_times())
def test_running_time_is_the_minutes_in_which_nothing_is_free(
    since: datetime, minutes: int, free: FreeTime
) -> None:
    """Counted one by one, by what the player's clock and calendar show."""
    counted = sum(not _is_free(since + timedelta(minutes=number), free) for number in range(minutes))
    measured = running_time(since, since + timedelta(minutes=minutes), free)
    # When the clocks go back, the whole repeated hour is free, which a look at the wall clock cannot see.
    assert abs(measured - timedelta(minutes=counted)) <= timedelta(minutes=60)
    if all(
        _offset(since, free) == _offset(since + timedelta(hours=hour), free)
        for hour in range(-48, minutes // 60 + 49)
    ):
        assert measured == timedelta(minutes=counted)


def _offset(at: datetime, free: FreeTime) -> timedelta | None:
    return at.astimezone(free.zone).utcoffset()


def _is_free(at: datetime, free: FreeTime) -> bool:
    wall = at.astimezone(free.zone)
    day, now = wall.date(), wall.time()
    quiet = free.quiet
    return (
        any(first <= day <= last for first, last in free.days_off)
        or any(start <= at < end for start, end in free.stops)
        or (free.free_weekends and day.weekday() >= 5)
        or (
            quiet is not None
            and (
                quiet.start <= now < quiet.end
                if quiet.start < quiet.end
                else now >= quiet.start or now < quiet.end
            )
        )
    )


@pytest.mark.slow
@given(since=INSTANTS, free=free_times())
def test_free_intervals_are_disjoint_and_in_order(since: datetime, free: FreeTime) -> None:
    end = since
    for number, (start, stop) in enumerate(free_intervals(since, free)):
        assert end <= start < stop
        assert number == 0 or end < start
        end = stop
        if number == 30:
            break
