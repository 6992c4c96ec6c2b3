"""Masks parts of texts that are random, so that texts can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable

HEX_DIGITS = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "64-HEX-DIGITS"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "32-HEX-DIGITS"),
)
"""Hashes and keys, then salts."""


def mask(masks: Iterable[tuple[re.Pattern[str], str]], text: str) -> str:
    """Replace everything that matches by a word, one mask after the other."""
    for pattern, word in masks:
        text = pattern.sub(word, text)
    return text
