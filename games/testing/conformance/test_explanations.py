"""Explanations of the pieces on a board: all of them can be shown, and lead to the rules."""

from __future__ import annotations

import pytest

from games.testing.cases import Case, list_positions
from games.testing.readers import NAMES, TR, list_readers
from games.tutorial import read_paragraphs


def test_pieces_are_explained_where_they_are_drawn(case: Case) -> None:
    explain = case.game.explain
    if explain is None:
        pytest.skip("the game explains no pieces")
    paragraphs = read_paragraphs(case.game.read_rules())
    positions = list_positions(case)
    for state in [*positions[:: max(1, len(positions) // 6)], positions[-1]]:
        for reader in list_readers(case.seats):
            board = case.game.layout.layout(case.rules.view(state, reader), NAMES[: case.seats])
            explained = list(explain(board, TR))
            assert explained
            for each in explained:
                assert each.rule in paragraphs, f"{each.name}: the rules have no paragraph {each.rule}"
                assert each.name[:1].strip()
                assert each.text.endswith((".", "…"))
                assert "{" not in each.name + each.text
                assert each.boxes, f"{each.name} is nowhere"
                for box in each.boxes:
                    assert min(box.width, box.height) > 0
                    assert min(box.x, box.y) >= 0
                    assert box.x + box.width <= board.width
                    assert box.y + box.height <= board.height
