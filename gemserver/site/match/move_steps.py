"""A move that is being built: the steps made so far, and the next ones as places on the picture of the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from games.contract import Choice
from games.picture import Box
from gemserver.lib.text.translator import translator
from gemserver.matches.words.moves import find_path
from gemserver.site.match.built_move import BuildsMove


@dataclass(frozen=True, slots=True)
class MadeStep:
    """A step that was made: the text of the move including it, and its label."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Link:
    """A possible next step as places on the picture; each of the boxes makes it."""

    text: str
    label: str
    boxes: tuple[Box, ...]


@dataclass(frozen=True)
class MoveSteps:
    """The move that the reader of a page is building."""

    page: BuildsMove

    @cached_property
    def _path(self) -> list[Choice]:
        seat = self.page.reader
        if not self.page.can_answer or not self.page.begun or seat is None:
            return []
        return find_path(self.page.match.rules, self.page.answered_position, seat, self.page.begun)

    @property
    def made(self) -> list[MadeStep]:
        """The steps made so far, in their order."""
        return [MadeStep(choice.text, choice.label.text(translator())) for choice in self._path]

    @property
    def without_last(self) -> str:
        """The move before its last step."""
        return self._path[-2].text if len(self._path) > 1 else ""

    @property
    def _picture(self) -> Any:
        return self.page.picture.board

    @property
    def width(self) -> int:
        return int(self._picture.width)

    @property
    def height(self) -> int:
        return int(self._picture.height)

    @property
    def chosen(self) -> Sequence[Box]:
        """The boxes of the steps made so far, if they are still on the picture."""
        begun = ["", *(choice.text for choice in self._path)]
        steps = pairwise(begun)
        return [box for before, text in steps for box in self._find_boxes(before, text)]

    @cached_property
    def links(self) -> list[Link]:
        """The choices that can be clicked on the picture; a place that several of them share belongs to none."""
        found = [
            (choice, label, self._find_boxes(self.page.begun, choice.text))
            for choice, label in self.page.choices
        ]
        claims = Counter((box.x, box.y) for _, _, boxes in found for box in boxes)
        links = [
            Link(choice.text, label, tuple(box for box in boxes if claims[box.x, box.y] == 1))
            for choice, label, boxes in found
        ]
        return [link for link in links if link.boxes]

    def _find_boxes(self, begun: str, text: str) -> Sequence[Box]:
        """The boxes of a step that one touch makes, those that lie within the picture."""
        gesture = self.page.match.layout.find_gesture(self._picture, begun, text)
        if gesture is None or len(gesture.touches) != 1:
            return []
        return [
            box
            for box in gesture.touches[0]
            if min(box.x, box.y) >= 0
            and box.x + box.width <= self.width
            and box.y + box.height <= self.height
        ]
