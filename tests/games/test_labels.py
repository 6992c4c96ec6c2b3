"""The labels of the choices from which a move is built, as readers of every language see them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import NullTranslations
from importlib import import_module
from typing import Any

import pytest

from games.contract import Choice, Message, Seat
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


def list_labels(slug: str) -> Iterator[Message]:
    """The labels on the way to the moves of some positions of a game."""
    for case in list_cases():
        if case.slug == slug and case.seats == game(slug).rules.meta.min_seats:
            for state in list_positions(case)[::5]:
                for seat in case.rules.waiting_on(state):
                    yield from (choice.label for choice in list_choices(case, state, seat))


@pytest.mark.parametrize("slug", OWN)
def test_no_label_is_filled_with_the_english_name_of_a_gem_or_colour(slug: str) -> None:
    """A name that is filled in stays English in every language; it has to stand in the sentence itself."""
    components = vars(import_module(f"games.{slug}.components"))
    names = {name for key, table in components.items() if key.endswith("_NAMES") for name in table.values()}
    assert names
    filled = {str(value) for label in list_labels(slug) for value in label.params.values()}
    assert filled
    assert filled.isdisjoint(names)


@pytest.mark.parametrize("slug", ["florentine", "gembatan"])
def test_a_label_says_directions_in_words(slug: str) -> None:
    labels = {label.text(NullTranslations()) for label in list_labels(slug)}
    assert [label for label in labels if "east" in label]
    assert [label for label in labels if re.search(r"\b[NESW]\b", label)] == []
