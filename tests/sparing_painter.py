"""Paints few boards for mails: the others carry the picture of another board of the same game and shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from gemserver.matches import board
from gemserver.matches.models import Match


class SparingPainter:
    """Paints one board in a hundred, so that sizes are true; stands for `board.png` and `board.small_png`."""

    def __init__(self, paint: Callable[..., bytes]) -> None:
        self._paint = paint
        self._last: dict[str, bytes] = {}
        self._asked: Counter[str] = Counter()

    def __call__(self, match: Match, *arguments: Any) -> bytes:
        if self._asked[match.game] % 100 == 0:
            self._last[match.game] = self._paint(match, *arguments)
        self._asked[match.game] += 1
        return self._last[match.game]


_large, _small = SparingPainter(board.png), SparingPainter(board.small_png)


def paint_sparingly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint few boards until the end of the test."""
    monkeypatch.setattr(board, "png", _large)
    monkeypatch.setattr(board, "small_png", _small)
