"""The labels of the choices from which a move is built, as readers of every language see them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from games.contract import Choice, Seat
from games.registry import OWN, game
from games.testing.cases import Case, list_cases, list_positions

MOST_BEGUN = 40
"""Choices of a position that are followed to their end."""


def list_choices(case: Case, state: Any, seat: Seat) -> Iterator[Choice]:
    begun = [""]
    for text in begun:
        for choice in case.rules.steps(state, seat, text):
            yield choice
            if len(begun) < MOST_BEGUN:
                begun.append(choice.text)


@pytest.mark.parametrize("slug", OWN)
def test_no_label_is_filled_with_the_english_name_of_a_gem_or_colour(slug: str) -> None:
    """A name that is filled in stays English in every language; it has to stand in the sentence itself."""
    components = vars(import_module(f"games.{slug}.components"))
    names = {name for key, table in components.items() if key.endswith("_NAMES") for name in table.values()}
    assert names
    filled = {
        str(value)
        for case in list_cases()
        if case.slug == slug and case.seats == game(slug).rules.meta.min_seats
        for state in list_positions(case)[::5]
        for seat in case.rules.waiting_on(state)
        for choice in list_choices(case, state, seat)
        for value in choice.label.params.values()
    }
    assert filled
    assert filled.isdisjoint(names)
