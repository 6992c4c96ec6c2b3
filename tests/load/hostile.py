"""The time for the slowest text that the search for hostile ones finds, 200 kB of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from gemserver.lib.text.patterns import TooMuchWork, limited
from gemserver.lib.text.redaction import redact_log
from gemserver.mailgate.lines.commands import read_lines
from gemserver.mailgate.parse import STEPS
from gemserver.mailgate.reading.html_text import html_to_text
from gemserver.mailgate.reply import read_reply
from tests.hostile.bodies import body, lines, page
from tests.load.figures import Figure, Say

SIZE = 200_000
TEXTS = 60
AIM = 0.3
"""Seconds."""

READINGS: dict[str, tuple[Callable[[str], object], Callable[[str, int], str]]] = {
    "the text of a mail": (lambda text: read_lines(read_reply(text)), body),
    "the HTML of a mail": (lambda text: read_reply(html_to_text(text)), page),
    "a line of the log": (redact_log, body),
}


def measure(say: Say, folder: Path) -> list[Figure]:
    """The slowest text for each kind of reading, in seconds of CPU time."""
    return [_slowest(what, say) for what in READINGS]


def _slowest(what: str, say: Say) -> Figure:
    read, make = READINGS[what]
    slowest, by = 0.0, ""
    for name, line in lines(TEXTS):
        text = make(line, SIZE)
        began = time.process_time()
        try:
            with limited(STEPS):
                read(text)
        except TooMuchWork:
            pass
        taken = time.process_time() - began
        if taken > slowest:
            slowest, by = taken, name
    say(f"{what}: the slowest of {TEXTS} hostile texts comes of {by}")
    return Figure(f"{what}, hostile, 200 kB", slowest, "what is asked", AIM, "s", "at most", 1)
