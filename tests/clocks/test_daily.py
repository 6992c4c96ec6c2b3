"""Daily times, also when the clocks are changed."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gemserver.clocks.daily import next_daily
from tests.clocks.test_free_time import INSTANTS, ZONES

PARIS = ZoneInfo("Europe/Paris")


def test_an_hour_that_is_skipped_is_when_the_clocks_are_put_forward() -> None:
    evening = datetime(2026, 3, 28, 20, 0, tzinfo=PARIS)
    assert next_daily(time(2, 30), PARIS, after=evening) == datetime(2026, 3, 29, 3, 0, tzinfo=PARIS)


def test_an_hour_that_comes_twice_comes_once() -> None:
    first = next_daily(time(2, 30), PARIS, after=datetime(2026, 10, 24, 20, 0, tzinfo=PARIS))
    assert next_daily(time(2, 30), PARIS, after=first) == datetime(2026, 10, 26, 2, 30, tzinfo=PARIS)


@pytest.mark.slow
@given(at=st.times().map(lambda at: at.replace(second=0, microsecond=0)), zone=ZONES, since=INSTANTS)
def test_once_a_day_for_a_year(at: time, zone: str, since: datetime) -> None:
    days = set()
    now = since
    for _ in range(400):
        later = next_daily(at, ZoneInfo(zone), after=now)
        assert timedelta(0) < later - now <= timedelta(hours=25)
        now = later
        days.add(later.astimezone(ZoneInfo(zone)).date())
    assert len(days) == 400
    assert max(days) - min(days) == timedelta(days=399)
