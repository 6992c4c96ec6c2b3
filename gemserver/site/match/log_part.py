"""The log of a match on its page, and on those of its plies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from gemserver.matches.boards.compiled_templates import write
from gemserver.matches.log import log_story, match_log
from gemserver.matches.models import Match, Move


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log; `how` names the source, or the person, if a move was not the player's own."""

    entry: match_log.LogEntry
    how: str
    is_fresh: bool = False
    """True if it came after the reader's own last move."""


def tell_lines(entries: Sequence[match_log.LogEntry], known: int) -> list[LogLine]:
    """Turn entries into lines, newest first; those after the live move `known` are fresh."""
    lines, is_fresh = [], True
    for entry in reversed(entries):
        is_fresh &= entry.seat is None or entry.is_taken_back or entry.ply > known
        lines.append(LogLine(entry, _how(entry), is_fresh))
    return lines


def write_log(
    match: Match,
    lines: Sequence[LogLine],
    *,
    ply: int | None = None,
    whole_log: str = "",
    has_sealed: bool = False,
) -> SafeString:
    """Write the section of the page.

    `ply` is the one that is shown, `whole_log` the address of all lines where these are not all; with `has_sealed` a
    link leads to the proofs of what lay face down.
    """
    return write(
        "matches/_log.jinja",
        lines=lines,
        ply=ply,
        plies=reverse("match-ply", args=[match.code, 0]).removesuffix("0/"),
        whole_log=whole_log,
        deal=reverse("match-deal", args=[match.code]) if has_sealed else "",
    )


def _how(entry: match_log.LogEntry) -> str:
    if entry.played_by:
        return gettext("played by %(name)s") % {"name": entry.played_by}
    return str(Move.Source(entry.source).label) if entry.source in log_story.TOLD_SOURCES else ""
