"""The lines of `docs/operating.md`, run as they stand there, so that the drill tries what an operator reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.services.site import ROOT

FENCE = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def lines_after(words: str, *, without: Sequence[str] = ()) -> str:
    """The first block of commands that follows these words; `without`: leave out lines with one of these words."""
    text = (ROOT / "docs/operating.md").read_text()
    if text.count(words) != 1:
        raise LookupError(
            f"docs/operating.md has “{words}” {text.count(words)} times; the drill looks for one"
        )
    block = FENCE.search(text, text.index(words))
    assert block is not None
    return "".join(
        line for line in block[1].splitlines(keepends=True) if not any(word in line for word in without)
    )
