"""The cost of a line that is read as people speak is bounded: by its length, not by its readings times the moves."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from importlib import resources

import pytest

from games.phrases.lines import LONGEST
from games.phrases.phrasebook import GAP, LANGUAGES, read_file
from games.phrases.phrasing import PhraseReader
from games.phrases.words import translations
from games.registry import OWN, game
from tests.games.playing import CASES, list_positions
from tests.mailgate.test_hostile_mail import calls
from tests.quick import size

SEPARATORS = (" ", " ", ", ", " - ", ". ")
GIVEN = (
    "all",
    "rot",
    "put red north",
    "north facing",
    "ruby,",
    "and then",
    "j'échange les deux -",
    "+ and then",
)
MOST_CALLS = 400_000
"""Of a line of any words, in any position: some 0.15 s, and half of that in 2,000 lines. It was 4,000,000."""
TRIED_CALLS = 100_000
"""Of them, those that try the moves which a line may be; where few are legal, none are."""


@cache
def reader(slug: str, *, is_long: bool) -> PhraseReader:
    """Of a position with the most legal moves that are listed, or with few."""
    readers = []
    for case in CASES:
        if case.slug == slug and case.seats in (2, 4, 8):
            for state in list_positions(case)[::5]:
                for seat in case.rules.waiting_on(state):
                    readers.append(PhraseReader(game(slug), state, seat))
    readers = [each for each in readers if each.moves.described.moves]
    found = (max if is_long else min)(readers, key=lambda each: len(each.moves.described.moves))
    remarked = f"{found.moves.listed[0]}, it looks pretty there"
    for line in ("all of the red ones", "red, " * 26, remarked):  # lists moves, comments, words
        cost(found, line)
    return found


def lines(slug: str, most: int) -> Iterator[str]:
    """Words that are made longer by repeating them: phrases of all lists, some side by side."""
    chance = random.Random(slug)
    yield from GIVEN
    for language in LANGUAGES:
        phrases = [
            phrase
            for package in ("games", game(slug).package)
            for name in (language, f"described.{language}", f"described.auctions.{language}")
            for _, listed in read_file(resources.files(package), name, language)
            for phrase in listed
            if GAP not in phrase
        ]
        for _ in range(most):
            separator = chance.choice(SEPARATORS)
            yield separator.join(chance.choices(phrases, k=chance.randint(1, 4))) + separator.rstrip()


def cost(found: PhraseReader, text: str) -> int:
    """The calls that it takes to read the line, and to look for what may have been meant."""
    translations.cache_clear()
    found.moves.parse.cache_clear()  # type: ignore[attr-defined]
    found.moves.is_legal.cache_clear()  # type: ignore[attr-defined]
    return calls(lambda line: (found.find(line), found.suggest(line), found.suggest_from_parts(line)), text)


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_a_line_twice_as_long_takes_about_twice_the_steps(slug: str) -> None:
    found = reader(slug, is_long=True)
    for line in lines(slug, size(4, 16)):
        times = 24 // len(line.split()) + 1  # shorter ones cost what is done once, and bumps
        once, twice = (cost(found, " ".join([line] * number * times)) for number in (1, 2))
        assert twice <= 3 * once + 60_000, line


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_no_line_takes_many_steps_however_many_moves_are_legal(slug: str) -> None:
    many, few = reader(slug, is_long=True), reader(slug, is_long=False)
    for line in lines(slug, size(8, 24)):
        text = " ".join([line] * LONGEST)[:LONGEST]
        here = cost(many, text)
        assert here <= MOST_CALLS, line
        assert here <= 4 * cost(few, text) + TRIED_CALLS, line
