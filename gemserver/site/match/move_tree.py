"""The choices of a move as a tree: the page brings it, and the browser narrows it as the player touches the board."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils.html import escape
from django.utils.safestring import SafeString

from games.contract import Choice, GameError
from games.picture import Box, Gesture, Laid, Touch
from gemserver.lib.text.translator import Translator, translator
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.site.match.built_move import BuildsMove

ASKED_FOR_PAGE = 60
"""So many beginnings of a move are gone on from in the tree that comes with the page; the others are fetched."""
ASKED_AHEAD = 240
"""So many in a part that is fetched ahead: all first steps of most positions, in a tenth of a second at the most."""

Node = list[Any]
"""Number of the node before it (-1: the beginning), text, label, whether it is a whole move, whether more may follow
that is not in this part, numbers of its touches (None: a button), what it lays."""


@dataclass
class MoveTree:
    """The part of the tree behind some beginnings of a move, for the browser.

    Nodes are listed breadth first, so that a part that is cut off has the nearest choices. Raises GameError for a
    beginning that cannot be read.
    """

    page: BuildsMove
    beginnings: Sequence[str] = ("",)
    most: int = ASKED_FOR_PAGE
    _numbers: dict[tuple[Box, ...], int] = field(default_factory=dict)

    @property
    def json(self) -> SafeString:
        """The tree as JSON that may stand in the text of an element."""
        return SafeString(escape(json.dumps(self.read(), ensure_ascii=False, separators=(",", ":"))))

    def read(self) -> dict[str, Any]:
        """The tree as plain data: nodes, and the places that they name by number."""
        nodes = self._list_nodes()
        touches = [[_write_box(box) for box in touch] for touch in self._numbers]
        return {"beginnings": list(self.beginnings), "nodes": nodes, "touches": touches}

    def _list_nodes(self) -> list[Node]:
        nodes: list[Node] = []
        waiting = [(-1 - place, text) for place, text in enumerate(self.beginnings)]
        for asked, (number, begun) in enumerate(waiting):
            if asked == self.most:
                break
            if number >= 0:
                nodes[number][4] = 0
            for choice in self.page.list_steps(begun):
                waiting.append((len(nodes), choice.text))
                nodes.append(self._write_node(number, begun, choice))
        return nodes

    def _write_node(self, before: int, begun: str, choice: Choice) -> Node:
        gesture: Gesture | None = self._layout.find_gesture(self._picture, begun, choice.text)
        if gesture and not all(gesture.touches):
            gesture = None
        return [
            before,
            choice.text,
            choice.label.text(self._translator),
            int(choice.complete),
            1,
            None if gesture is None else [self._number(touch) for touch in gesture.touches],
            [] if gesture is None else list(map(_write_laid, gesture.laid)),
        ]

    def _number(self, touch: Touch) -> int:
        return self._numbers.setdefault(tuple(touch), len(self._numbers))

    @cached_property
    def _layout(self) -> Any:
        return self.page.match.layout

    @cached_property
    def _translator(self) -> Translator:
        return translator()

    @cached_property
    def _picture(self) -> Any:
        """The board as it is played, which the page has laid out unless it shows one that lies ahead."""
        if self.page.view is self.page.undrafted_view:
            return self.page.picture.board
        return self._layout.layout(self.page.undrafted_view, self.page.names, self.page.asked)


def _write_box(box: Box) -> list[Any]:
    marked = [box.mark, int(box.can_grow)] if box.mark or box.can_grow else []
    return [box.x, box.y, box.width, box.height, *marked]


def _write_laid(laid: Laid) -> list[Any]:
    return [_write_box(laid.of), _write_box(laid.at), laid.turn]


def answer_with_tree(request: HttpRequest, page: BuildsMove) -> JsonResponse:
    """Answer with what follows the beginnings of moves (`from`) for which a page asks ahead.

    As `MoveTree.read` returns it; 422 with a sentence if one of them is the beginning of no move.
    """
    beginnings = [text[:LONGEST_TEXT] for text in request.GET.getlist("from")]
    try:
        return JsonResponse(MoveTree(page, beginnings, ASKED_AHEAD).read())
    except GameError as error:
        return JsonResponse({"refusal": str(error.message.text(translator()))}, status=422)
