"""Moves as people write them: what is meant is played, and nothing else ever is.

`make phrasings` tries every sentence in `tests/mailgate/phrasings`, and prints how many are understood.
"""

from __future__ import annotations

import pytest

from tests.mailgate.phrasing_sets import GAMES, LANGUAGES, Phrasing, play_set, read_positions, read_set
from tests.quick import size, some

EACH = 60
"""Sentences of each kind that a set has at least."""
LEAST_PLAYED = 0.9
"""Share of the sentences of a set with a move whose move is played. None ever plays another one."""
QUICK, SLOW = 6, size(30, 1)
"""One in so many sentences of a position is tried by `make test`, where less than LEAST_PLAYED will do, and by
`make check`: each is a whole mail."""

SETS = [(game, language) for game in GAMES for language in LANGUAGES]


def a_few() -> list[tuple[str, str, str]]:
    """A position of each game, in another language from game to game."""
    positions = [[*read_positions(game)] for game in GAMES]
    return [
        (game, LANGUAGES[number % len(LANGUAGES)], positions[number][number % len(positions[number])])
        for number, game in enumerate(GAMES)
    ]


def misunderstood(results: list[tuple[Phrasing, list[str]]]) -> list[str]:
    """Everything that was played though it was not meant."""
    return [f"{each}; played: {moves}" for each, moves in results if moves and moves != [each.move]]


def share_played(results: list[tuple[Phrasing, list[str]]]) -> float:
    meant = [(each, moves) for each, moves in results if each.move]
    return sum(moves == [each.move] for each, moves in meant) / len(meant)


@pytest.mark.parametrize(("game", "language"), SETS)
def test_a_set_has_enough_sentences_to_play_and_not_to_play(game: str, language: str) -> None:
    texts = read_set(game, language)
    assert len({each.text for each in texts if each.move}) >= EACH
    assert len({each.text for each in texts if not each.move}) >= EACH
    assert len({(each.position, each.text) for each in texts}) == len(texts)
    assert {each.position for each in texts} <= {*read_positions(game)}


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("game", "language"), SETS)
def test_what_is_meant_is_played_and_nothing_else(game: str, language: str) -> None:
    names = [name for name, position in read_positions(game).items() if not position.is_drawn]
    results = [result for name in names for result in play_set(game, language, name, SLOW)]
    assert misunderstood(results) == []
    assert share_played(results) >= LEAST_PLAYED


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("game", "language"), SETS)
def test_of_what_was_written_blind_nothing_is_misunderstood(game: str, language: str) -> None:
    """A third of it is a trap; `make phrasings` tells how much of the rest is understood."""
    names = [name for name, position in read_positions(game).items() if position.is_drawn]
    tried = some(names, 25, turn=LANGUAGES.index(language))
    assert misunderstood([result for name in tried for result in play_set(game, language, name)]) == []


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("game", "language", "position"), a_few())
def test_a_few_sentences_of_a_position(game: str, language: str, position: str) -> None:
    results = [*play_set(game, language, position, QUICK)]
    assert misunderstood(results) == []
    assert share_played(results) >= LEAST_PLAYED - 0.2
