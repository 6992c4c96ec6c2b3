"""Paints few boards for mails: the others carry the picture of another board of the same game and shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from gemserver.matches.boards import board
from gemserver.matches.models import Match


class SparingPainter:
    """Paints one board in so many of a game, so that sizes are true; stands for a function of `board`."""

    def __init__(self, paint: Callable[..., bytes], one_in: int = 100) -> None:
        self._paint = paint
        self._one_in = one_in
        self._last: dict[str, bytes] = {}
        self._asked: Counter[str] = Counter()

    def __call__(self, of: Match | str, *arguments: Any) -> bytes:
        game = of if isinstance(of, str) else of.game
        if self._asked[game] % self._one_in == 0:
            self._last[game] = self._paint(of, *arguments)
        self._asked[game] += 1
        return self._last[game]


_large, _small = SparingPainter(board.png), SparingPainter(board.small_png)
_drawn = SparingPainter(board.paint_for_mail, one_in=10)


def paint_sparingly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw and paint few boards until the end of the test."""
    monkeypatch.setattr(board, "png", _large)
    monkeypatch.setattr(board, "small_png", _small)


def paint_some_of_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw every board until the end of the test, but paint one in ten."""
    monkeypatch.setattr(board, "paint_for_mail", _drawn)
