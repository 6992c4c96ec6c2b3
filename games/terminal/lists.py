"""Commands that read what a server publishes: `archive`, `ratings`."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from games import archive
from games.contract import GameError, Translator
from games.record_headers import UnreadableRecord
from games.results import Standing, UnreadableResults, recompute
from games.terminal.files import name_trouble, read_text
from games.terminal.language import read_translator, tell_refusal
from games.terminal.records import describe_position
from games.terminal.status import FINE, REFUSED


def run_archive(parsed: Namespace) -> int:
    """Replay all matches and count them by game, or print one match or its record."""
    tr = read_translator(parsed.language)
    try:
        with Path(parsed.file).open("rb") as file:
            rows = archive.read_rows(file)
            if parsed.number is None:
                return _replay_all(rows, tr)
            row = next((row for row in rows if row.number == parsed.number), None)
    except OSError as error:
        raise name_trouble(parsed.file, error, UnreadableRecord) from error
    if row is None:
        raise archive.UnreadableArchive(
            "no-match", "{file} has no match {number}.", file=parsed.file, number=parsed.number
        )
    if parsed.record:
        print(row.record, end="")
    else:
        played = archive.check(row)
        print(describe_position(played, played.asked, tr))
    return FINE


def _replay_all(rows: Iterable[archive.Row], tr: Translator) -> int:
    matches, moves = Counter[str](), Counter[str]()
    for row in rows:
        try:
            played = archive.check(row)
        except GameError as refusal:
            print(tell_refusal(refusal, tr), file=sys.stderr)
            return REFUSED
        matches[row.record.game] += 1
        moves[row.record.game] += played.ply
    for slug, count in sorted(matches.items()):
        counted = tr.gettext("{game}: {matches} matches, {moves} moves")
        print(counted.format(game=slug, matches=count, moves=moves[slug]))
    print(tr.gettext("Every match replays to its end: {matches}.").format(matches=matches.total()))
    return FINE


def run_ratings(parsed: Namespace) -> int:
    """Print the ratings that follow from the list; a figure of its own that differs makes the status 1."""
    tr = read_translator(parsed.language)
    found = recompute(read_text(parsed.file, UnreadableResults).splitlines())
    for title, is_bot in ((tr.gettext("people"), False), (tr.gettext("bots"), True)):
        listed = [standing for standing in found.standings if standing.is_bot is is_bot]
        if listed:
            _print_board(title, listed, tr)
    print(tr.gettext("matches: {number}").format(number=found.matches))
    if found.difference is None:
        return FINE
    print(found.difference.message.text(tr), file=sys.stderr)
    return REFUSED


def _print_board(title: str, standings: Sequence[Standing], tr: Translator) -> None:
    """Print the settled players with their places, then the others."""
    rating, matches, provisional = tr.gettext("rating"), tr.gettext("matches"), tr.gettext("provisional")
    print(f"{title:<18} {rating:>7} {'':>6} {matches:>8}")
    settled = [standing for standing in standings if not standing.belief.is_provisional]
    others = [standing for standing in standings if standing.belief.is_provisional]
    for place, standing in [*enumerate(settled, start=1), *((None, standing) for standing in others)]:
        belief = standing.belief
        label = f"{place}." if place else "-"
        print(
            f"{label:>5} {standing.player:<12} {belief.number:>7} ±{belief.margin:<5} {standing.matches:>8}"
            f"{'' if place else '  ' + provisional}"
        )
    print()
