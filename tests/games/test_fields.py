"""A copy with changed fields is the one that the standard library makes, for every position of a match."""

from __future__ import annotations

import dataclasses

import pytest

from games.fields import replace
from tests.games.playing import Case, each_case, list_positions


@each_case
def test_the_copy_is_that_of_the_standard_library(case: Case) -> None:
    for state in list_positions(case)[::9]:
        for field in dataclasses.fields(state):
            changes = {field.name: getattr(state, field.name)}
            copy = replace(state, **changes)
            assert copy == dataclasses.replace(state, **changes) == state
            assert (type(copy), hash(copy)) == (type(state), hash(state))
            assert replace(state, **{field.name: "other"}) != state


def test_a_field_that_does_not_exist_is_refused() -> None:
    @dataclasses.dataclass(frozen=True)
    class Point:
        x: int
        y: int

    assert replace(Point(1, 2), y=3) == Point(1, 3)
    with pytest.raises(TypeError, match="Point has no field z"):
        replace(Point(1, 2), z=3)  # type: ignore[call-arg]
