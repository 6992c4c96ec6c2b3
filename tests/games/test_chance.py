"""Chance by the definition in the notation, written out a second time with nothing but hashlib."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.chance import NO_SEED, Chance


def list_words(seed: str, label: str, count: int) -> list[int]:
    words: list[int] = []
    block = 0
    while len(words) < count:
        digest = sha256(f"{seed}/{label}/{block}".encode()).hexdigest()
        words += [int(digest[start : start + 16], 16) for start in (0, 16, 32, 48)]
        block += 1
    return words[:count]


def test_words_come_block_by_block_big_endian() -> None:
    chance = Chance(NO_SEED, "deal")
    assert [chance.below(2**64) for _ in range(11)] == list_words(NO_SEED, "deal", 11)


@given(st.integers(1, 2**64), st.text("0123456789abcdef", min_size=1, max_size=8))
def test_below_rejects_the_uneven_rest(n: int, seed: str) -> None:
    largest = 2**64 - 2**64 % n
    expected = [word % n for word in list_words(seed, "ply 7", 64) if word < largest]
    chance = Chance(seed, "ply 7")
    found = [chance.below(n) for _ in range(min(8, len(expected)))]
    assert found == expected[: len(found)]


def test_shuffle_goes_from_the_last_index_down_to_1() -> None:
    words = iter(list_words("ab", "deal", 9))
    expected = list(range(10))
    for i in range(9, 0, -1):
        j = next(words) % (i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    items = list(range(10))
    Chance("ab", "deal").shuffle(items)
    assert items == expected


def test_labels_and_seeds_make_different_streams() -> None:
    streams = [
        Chance(seed, label).below(2**60) for seed in ("a", "b") for label in ("deal", "ply 1", "ply 11")
    ]
    assert len(set(streams)) == 6


def test_every_number_comes_up() -> None:
    chance = Chance("even", "deal")
    drawn = Counter(chance.below(6) for _ in range(6000))
    assert set(drawn) == set(range(6))
    assert max(drawn.values()) - min(drawn.values()) < 200


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_below_has_bounds(n: int) -> None:
    with pytest.raises(ValueError, match="below"):
        Chance("a", "deal").below(n)
