"""Names the parts of a game's legal moves as people may describe them; `describing` reads what they write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TypeAlias

NEVER = 4
"""More traits than are counted."""

TARGET = "whatisup"
"""Stands in descriptions for the name of what is up for auction."""

Traits: TypeAlias = dict[str, frozenset[str]]
"""Descriptions of a step in words of the vocabulary → the parts of the move that each of them names."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a move; most moves have one."""

    traits: Traits
    needs: frozenset[str]
    """The parts of it that must be named."""
    anywhere: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Words that may stand between the words of traits, and the parts that they name."""


@dataclass(frozen=True, slots=True)
class Described:
    """A legal move, in notation, with what may be said of it."""

    move: str
    steps: Sequence[Step]
    declines: bool = False
    """True beside which players say what they do not want: of a pass, of a card thrown away."""
    with_verb: int = 2
    """The traits that leave no doubt beside a strong verb."""
    alone: int = NEVER
    """The traits that leave no doubt without one, beside an article or a word of this move.

    Unless it is `NEVER`, three of them leave none without that either, whatever loose words stand among them.
    """
    needs_no_article: bool = False
    """True where `alone` counts without an article and a word of this move too: *ruby above diamond*."""
    with_code: int = NEVER
    """The traits that leave no doubt without a verb, beside a code that is no word."""
    laid: int = 0
    """The sum that lies there already, to which the numbers of this bid are added."""
    leading: int | None = None
    """The bid, or the sum, that this one is higher than; None where nobody has bid."""
    targets: frozenset[str] = frozenset()
    """Names of the thing that is up for auction, on a bid for it or a pass."""


def in_any_order(*words: str) -> Iterator[str]:
    """The words in every order, as one trait each.

    >>> [*in_any_order("red", "north")]
    ['red north', 'north red']
    """
    return map(" ".join, permutations(words))
