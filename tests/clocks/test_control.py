"""The arithmetic of clocks."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from gemserver.clocks.control import PRESETS, TimeControl

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


def test_presets_are_named_after_what_they_give() -> None:
    hours = {"d": 24, "h": 1}
    for name, control in PRESETS.items():
        parts = [timedelta(hours=int(part[:-1]) * hours[part[-1]]) for part in name.split("+")]
        assert (control.bank, control.increment) == (parts[0], parts[-1])
        assert control.cap >= control.bank
        assert control.is_per_move is (len(parts) == 1)
