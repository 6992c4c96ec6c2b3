"""Each phrase alone on its line is a move that can be written, or none: no line stops the mail that it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

import pytest

from games.phrases.phrasebook import LANGUAGES, common_words, read_phrases
from games.phrases.phrasing import PhraseReader
from games.registry import game
from tests.games.playing import CASES, Case, list_positions
from tests.quick import some

POSITIONS = 3
PHRASES = 150
"""Of some five thousand; always the same."""
FIRST_CASES = list({case.slug: case for case in reversed(CASES)}.values())


def list_phrases(slug: str) -> list[str]:
    packages = ("games", game(slug).package)
    return [
        phrase
        for package in packages
        for language in LANGUAGES
        for phrases in read_phrases(package, language).values()
        for phrase in phrases
    ]


def list_readers(case: Case) -> Iterator[PhraseReader]:
    for state in islice(list_positions(case), 0, 30, 10):
        yield PhraseReader(game(case.slug), state, min(case.rules.waiting_on(state)))


@pytest.mark.parametrize("case", FIRST_CASES, ids=lambda case: case.slug)
def test_an_announcement_alone_is_no_move(case: Case) -> None:
    reader, turn = next(list_readers(case)), FIRST_CASES.index(case)
    announcements = some(sorted(common_words("(lead)")), 8, turn)
    assert [said for said in announcements if reader.find(f"{said}:") is not None] == []


@pytest.mark.parametrize("case", FIRST_CASES, ids=lambda case: case.slug)
@pytest.mark.slow
def test_a_phrase_alone_is_a_move_or_none(case: Case) -> None:
    phrases = Random(case.slug).sample(list_phrases(case.slug), PHRASES)
    for number, reader in enumerate(list_readers(case)):
        for phrase in phrases[number::POSITIONS]:
            for text in (
                reader.find(f"{phrase}:"),
                reader.find(phrase, is_alone=False),
                *reader.suggest(phrase),
            ):
                if text is not None:
                    case.rules.parse(reader.state, reader.seat, text)
