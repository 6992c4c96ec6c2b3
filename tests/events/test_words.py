"""Every tie-break and every line of a log has words."""

from __future__ import annotations

import ast
from pathlib import Path

from gemserver.events import log_words, words
from gemserver.events.arithmetic.tables import TieBreak

EVENTS = Path(words.__file__).parent


def test_every_tie_break_has_a_name_and_a_meaning() -> None:
    assert set(words.TIE_BREAKS) == set(TieBreak)


def test_every_kind_of_line_that_is_written_has_a_sentence() -> None:
    written = set()
    for path in EVENTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "post":
                kind = node.args[1]
                assert isinstance(kind, ast.Constant)
                written.add(kind.value)
    assert written <= set(log_words.SENTENCES)
