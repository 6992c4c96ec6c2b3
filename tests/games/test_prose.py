"""Sentences about several players, in which the reader stands where the language has it."""

from __future__ import annotations

from gettext import NullTranslations

import pytest

from games.gemessengers.naming import name_hand
from games.prose import name_winners, tell_passing

NAMES = ("Ana", "Ben", "Cy", "Dee")


class French(NullTranslations):
    """A language that names whoever reads last, and whose words for gems have plurals of their own."""

    def gettext(self, message: str) -> str:
        return {
            "{you_and_names} pass.": "{you_and_names} passez.",
            "{names} pass.": "{names} passent.",
            "{names} and {last}": "{names} et {last}",
            "You and {last}": "{last} et vous",
            "You, {names} and {last}": "{names}, {last} et vous",
            "emerald": "émeraude",
        }.get(message, message)

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return "{count} émeraudes" if "emerald" in singular and number > 1 else singular


@pytest.mark.parametrize(
    ("seats", "english", "french"),
    [
        ([0, 1], "You and Ben pass.", "Ben et vous passez."),
        ([0, 1, 2], "You, Ben and Cy pass.", "Ben, Cy et vous passez."),
        ([1, 2, 0, 3], "You, Ben, Cy and Dee pass.", "Ben, Cy, Dee et vous passez."),
        ([1, 2, 3], "Ben, Cy and Dee pass.", "Ben, Cy et Dee passent."),
    ],
)
def test_several_who_pass_are_listed_as_people_list_them(seats: list[int], english: str, french: str) -> None:
    assert tell_passing(seats, NullTranslations(), NAMES, 0) == english
    assert tell_passing(seats, French(), NAMES, 0) == french


def test_several_winners_are_listed_as_people_list_them() -> None:
    said = name_winners([1, 1, 3, 1], [9, 9, 2, 9], NullTranslations(), NAMES)
    assert said == "The match is over. Ana, Ben and Dee share the victory with 9 points."


def test_gems_that_are_counted_are_named_in_the_plural() -> None:
    assert list(name_hand(("E", "R", "R", "*R", "*R"), NullTranslations())) == [
        "emerald (E)",
        "2 rubies (R R)",
        "2 ruby proclamations (*R *R)",
    ]
    assert list(name_hand(("E", "E"), French())) == ["2 émeraudes (E E)"]
