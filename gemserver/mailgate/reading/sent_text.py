"""Finds our own notification in a reply that quotes it without any mark."""

from __future__ import annotations

from gemserver.mailgate.reading.text_lines import bare, unquoted

MIN_RUN = 3
"""Lines with text that must follow each other as in the notification before they count as quoted."""

MAX_SENT = 60_000


def find_sent_lines(lines: list[str], sent: str) -> set[int]:
    """The numbers of those lines that repeat at least three successive lines of the notification `sent`.

    Wrapping may differ: the words must follow each other, not the lines. A line or two of equal text stay, because
    a player may type exactly what the notification shows as an example.
    """
    stream = " ".join(_fold(unquoted(line)) for line in sent[:MAX_SENT].splitlines() if line.strip())
    stream = f" {' '.join(stream.split())} "
    found: set[int] = set()
    run: list[int] = []
    end = -1
    for number, line in enumerate(lines):
        text = _fold(unquoted(line))
        if not text:
            continue
        if run and stream.startswith(f" {text} ", end - 1):
            run.append(number)
            end += len(text) + 1
            continue
        _keep(run, found)
        at = _place_of(text, stream, end)
        run, end = ([number], at + len(text) + 2) if at >= 0 else ([], end)
    _keep(run, found)
    return found


def _keep(run: list[int], found: set[int]) -> None:
    if len(run) >= MIN_RUN:
        found.update(run)


def _place_of(text: str, stream: str, after: int) -> int:
    at = stream.find(f" {text} ", max(after - 1, 0))
    return at if at >= 0 else stream.find(f" {text} ")


def _fold(line: str) -> str:
    return bare(line).casefold()
