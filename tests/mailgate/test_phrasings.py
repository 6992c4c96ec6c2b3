"""Moves as people write them: what is meant is played, and nothing else ever is.

`make phrasings` prints how many of the sentences in `tests/mailgate/phrasings` are understood.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.mailgate.phrasing_sets import (
    GAMES,
    LANGUAGES,
    Phrasing,
    ask_ana,
    play_by_mail,
    read_positions,
    read_set,
)

EACH = 60
"""Sentences of each kind that a set has at least."""
QUICK = 10
"""Sentences of a position that `make test` tries."""

SETS = [(game, language) for game in GAMES for language in LANGUAGES]


def cases() -> list[Any]:
    """Every position of every set; the quick ones are a few sentences for each game, another language for each."""
    found: list[Any] = []
    for number, game in enumerate(GAMES):
        position = [*read_positions(game)][number % len(read_positions(game))]
        found.append((game, LANGUAGES[number % len(LANGUAGES)], position, QUICK))
    for game, language in SETS:
        for position in read_positions(game):
            found.append(pytest.param(game, language, position, None, marks=pytest.mark.slow))
    return found


def some(phrasings: list[Phrasing], most: int | None) -> list[Phrasing]:
    """As many of the phrasings, evenly spread; all of them for None."""
    return phrasings[:: max(1, len(phrasings) // most)] if most else phrasings


@pytest.mark.parametrize(("game", "language"), SETS)
def test_a_set_has_enough_sentences_to_play_and_not_to_play(game: str, language: str) -> None:
    texts = read_set(game, language)
    assert len({each.text for each in texts if each.move}) >= EACH
    assert len({each.text for each in texts if not each.move}) >= EACH
    assert len({(each.position, each.text) for each in texts}) == len(texts)
    assert {each.position for each in texts} <= {*read_positions(game)}


@pytest.mark.django_db
@pytest.mark.parametrize(("game", "language", "position", "most"), cases())
def test_what_means_a_move_is_played(game: str, language: str, position: str, most: int | None) -> None:
    asked = ask_ana(game, position, language)
    meant = [each for each in read_set(game, language) if each.position == position and each.move]
    played = [(each, play_by_mail(asked, each.text)) for each in some(meant, most)]
    assert [f"{each}; played: {moves}" for each, moves in played if moves != [each.move]] == []


@pytest.mark.django_db
@pytest.mark.parametrize(("game", "language", "position", "most"), cases())
def test_what_means_no_move_plays_nothing(game: str, language: str, position: str, most: int | None) -> None:
    asked = ask_ana(game, position, language)
    prose = [each for each in read_set(game, language) if each.position == position and not each.move]
    played = [(each, play_by_mail(asked, each.text)) for each in some(prose, most)]
    assert [f"{each}; played: {moves}" for each, moves in played if moves] == []
