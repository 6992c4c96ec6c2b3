"""Lists of results, as servers publish them: read one, and compute all ratings in it anew."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from games.contract import GameError, Message
from games.ratings import NEWCOMER, Belief, Board, Change, Result

COLUMNS = ("match", "finished", "seat", "player", "kind", "place", "absence", "mu", "sigma")
"""A line for each rated player of a match; the matches in the order in which they were rated.

`player` is a lasting pseudonym, `kind` is person or bot, `place` 1 for the best. `absence` is empty, or names the
absence in which the player lost; `mu` and `sigma` are what was believed of the player afterwards.
"""
MOST_PLAYERS = 20


class UnreadableResults(GameError):
    """A file is no list of results."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a list: one player in one match."""

    number: int
    """Of the line in the file, from 1."""
    match: str
    seat: str
    player: str
    is_bot: bool
    place: int
    absence: str
    after: Belief


@dataclass(frozen=True, slots=True)
class Difference:
    """A line whose figures do not follow from the lines before it."""

    line: Line
    computed: Belief

    @property
    def message(self) -> Message:
        """The line, with what it says and what was computed."""
        told, computed, line = self.line.after, self.computed, self.line
        return Message(
            "line {line}: {match} {seat}: the file says mu {mu} sigma {sigma}, computed mu {own_mu} sigma {own_sigma}",
            {
                "line": line.number,
                "match": line.match,
                "seat": line.seat,
                "mu": repr(told.mu),
                "sigma": repr(told.sigma),
                "own_mu": repr(computed.mu),
                "own_sigma": repr(computed.sigma),
            },
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rating after all matches of a list."""

    player: str
    is_bot: bool
    belief: Belief
    matches: int


@dataclass
class Recomputed:
    """The ratings that follow from a list, best first, and the first line that says otherwise."""

    standings: list[Standing]
    matches: int
    difference: Difference | None


def recompute(lines: Iterable[str]) -> Recomputed:
    """Compute all ratings from a list of results. Raises UnreadableResults."""
    board: Board[str] = Board()
    counts: dict[str, int] = {}
    bots: set[str] = set()
    matches = 0
    difference: Difference | None = None
    for _, group in groupby(_read(lines), key=lambda line: line.match):
        table = list(group)
        changes = _add(board, table)
        matches += 1
        for line, change in zip(table, changes, strict=True):
            counts[line.player] = counts.get(line.player, 0) + 1
            if line.is_bot:
                bots.add(line.player)
            if difference is None and change.after != line.after:
                difference = Difference(line, change.after)
    found = [
        Standing(player, player in bots, board.beliefs.get(player, NEWCOMER), count)
        for player, count in counts.items()
    ]
    found.sort(key=lambda standing: (-standing.belief.mu, standing.player))
    return Recomputed(found, matches, difference)


def _add(board: Board[str], table: Sequence[Line]) -> list[Change]:
    if not 2 <= len(table) <= MOST_PLAYERS or len({line.player for line in table}) < len(table):
        raise UnreadableResults(
            "bad-match",
            "Line {line}: a match has 2 to {most} lines, each of another player.",
            line=table[0].number,
            most=MOST_PLAYERS,
        )
    return board.add([Result(line.player, line.place, line.absence) for line in table])


def _read(lines: Iterable[str]) -> Iterator[Line]:
    reader = csv.reader(lines)
    try:
        if tuple(next(reader, ())) != COLUMNS:
            raise UnreadableResults(
                "bad-columns", "The first line must be: {columns}", columns=",".join(COLUMNS)
            )
        for cells in reader:
            yield _read_line(reader.line_num, cells)
    except csv.Error as error:
        raise UnreadableResults(
            "bad-line", "Line {line}: {reason}.", line=reader.line_num, reason=str(error)
        ) from error


def _read_line(number: int, cells: Sequence[str]) -> Line:
    try:
        match, _, seat, player, kind, place, absence, mu, sigma = cells
        after = Belief(float(mu), float(sigma))
        if not 1 <= int(place) <= MOST_PLAYERS:
            raise ValueError(place)
        return Line(number, match, seat, player, kind == "bot", int(place), absence, after)
    except ValueError as error:
        raise UnreadableResults(
            "bad-line",
            "Line {line}: it must have {count} cells, with numbers for place, mu and sigma.",
            line=number,
            count=len(COLUMNS),
        ) from error
