"""The arithmetic of clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from gemserver.clocks.control import REMINDER_LEAD, TimeControl, due_at, remind_at

START = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
SPANS = st.timedeltas(min_value=timedelta(minutes=1), max_value=timedelta(days=40))


def test_a_fixed_time_per_move_is_given_in_full_whatever_was_left() -> None:
    control = TimeControl.per_move(timedelta(days=3))
    for left in (timedelta(days=3), timedelta(hours=1), timedelta(0), timedelta(hours=-5)):
        assert control.after_answer(left) == timedelta(days=3)


@given(bank=SPANS, increment=SPANS, cap=SPANS, left=st.timedeltas(timedelta(days=-2), timedelta(days=40)))
def test_a_bank_never_exceeds_the_cap_nor_falls_below_the_increment_or_cap(
    bank: timedelta, increment: timedelta, cap: timedelta, left: timedelta
) -> None:
    after = TimeControl(bank, increment, cap).after_answer(left)
    assert min(increment, cap) <= after <= cap


@given(span=SPANS)
def test_a_reminder_comes_in_the_second_half_and_never_earlier_than_its_lead(span: timedelta) -> None:
    due = due_at(START, span)
    reminder = remind_at(START, due)
    assert START + span / 2 <= reminder <= due
    assert due - reminder <= REMINDER_LEAD
