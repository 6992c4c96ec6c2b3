"""The picture of a position on a page: the board, the last moves marked on it, and what its pieces are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from games import registry
from games.contract import Asked, seat_letter
from games.picture import Box, Explanation
from gemserver.lib.text.plain import unfold
from gemserver.lib.text.translator import translator
from gemserver.matches.boards.board import draw
from gemserver.matches.models import Match


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the last move of a seat is seen on the picture."""

    letter: str
    boxes: Sequence[Box]


@dataclass(frozen=True)
class Picture:
    """A position as one reader may see it, the seats that the match waits for in it, and the last move of each seat."""

    match: Match
    view: Any
    names: Sequence[str]
    asked: Asked | None
    last_moves: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def board(self) -> Any:
        """Everything on the picture in its place."""
        return self.match.layout.layout(self.view, self.names, self.asked)

    @property
    def svg(self) -> str:
        return SafeString(draw(self.match.game, self.board))

    @property
    def view_box(self) -> str:
        return f"0 0 {self.board.width} {self.board.height}"

    @property
    def marks(self) -> list[Mark]:
        """The last moves that are seen on this picture."""
        find = self.match.layout.find_marks
        marks = [
            Mark(seat_letter(seat), find(self.board, seat, text)) for seat, text in self.last_moves.items()
        ]
        return [mark for mark in marks if mark.boxes]

    @property
    def explains(self) -> bool:
        """True if readers may ask what a piece on this picture is."""
        return registry.game(self.match.game).explain is not None

    @property
    def pieces(self) -> list[Explanation]:
        """Explanations of the pieces on this picture, those alike together."""
        explain = registry.game(self.match.game).explain
        alike: dict[tuple[str, str, int], list[Box]] = {}
        for each in explain(self.board, translator()) if explain else ():
            alike.setdefault((each.name, each.text, each.rule), []).extend(each.boxes)
        return [Explanation(boxes, *said) for said, boxes in alike.items()]

    @property
    def in_words(self) -> SafeString:
        """The position in words, a line each; a window of any width wraps all of them but a map."""
        text = self.match.words.draw(self.view, translator(), self.names, self.asked)
        lines = ((SafeString(' class="map"') if is_map else "", line) for line, is_map in unfold(text))
        return format_html_join("", "<div{}>{}</div>", lines)
