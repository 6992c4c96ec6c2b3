"""Places on a board picture, and how moves are made there: what `Layout` of the contract is written in.

All numbers are user units of the picture. A host draws the places over it; it never looks inside the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the board picture, in its user units; `mark` is a sign that a host may write into it."""

    x: float
    y: float
    width: float
    height: float
    mark: str = ""
    can_grow: bool = False
    """True if it lies in the nested `<svg data-zoom>` of the picture, which a host may enlarge and move about."""


Touch: TypeAlias = Sequence[Box]
"""A place to touch: each of these parts of the picture does the same."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A piece drawn where a move puts it: the part `of` of the picture once more, at `at`."""

    of: Box
    at: Box
    turn: int = 0
    """Degrees clockwise, about the middle of `at`."""


@dataclass(frozen=True, slots=True)
class Gesture:
    """The way to make a choice on the picture: touching these places, one after the other.

    Without touches it only turns what the touches before it have laid down.
    """

    touches: Sequence[Touch] = ()
    laid: Sequence[Laid] = ()
    """Pieces that lie elsewhere after it; of one that was laid before, this is the new place."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Says of one piece of the picture, or of several alike, what it is; in the reader's language."""

    boxes: Sequence[Box]
    """The places where it is drawn; what is listed later lies above what is listed before."""
    name: str
    text: str
    """Its worth, or its use now."""
    rule: int
    """The number of the paragraph of `RULES.md` to read."""
