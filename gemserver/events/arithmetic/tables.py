"""The table of a division: points, then the tie-breaks of the event in their order, each with the value that decides.

>>> results = [Result(("ana", "ben", "cid"), (1, 2, 3), scores=(30, 20, 10)),
...            Result(("cid", "ana", "ben"), (1, 3, 2), scores=(25, 24, 24))]
>>> for row in make_table(["ana", "ben", "cid"], results, [TieBreak.FIRSTS, TieBreak.HEAD_TO_HEAD]):
...     print(row.place, row.player, row.points, [str(value) for value in row.values])
1 ana 7 ['1', '0']
1 cid 7 ['1', '0']
3 ben 6 ['0', '0']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from itertools import groupby
from typing import Any, TypeAlias

from gemserver.events.arithmetic import fide_tie_breaks
from gemserver.events.arithmetic.points import first_places, table_points
from gemserver.events.arithmetic.rounds import Round, score

Player: TypeAlias = Any
"""Anything that can be a key of a dict."""


class TieBreak(StrEnum):
    """A criterion that decides between players with equal points; more is better."""

    FIRSTS = "firsts"
    """First places; who shares one has a share of it."""
    HEAD_TO_HEAD = "head-to-head"
    """In fixtures that they shared: how often one ranked above another of those who are equal, less how often below."""
    SCORE_SHARE = "score-share"
    """The sum of shares of the score: in each fixture one's score above the last one's, of all scores above it."""
    BUCHHOLZ_CUT = "buchholz-cut-1"
    BUCHHOLZ = "buchholz"
    SONNEBORN_BERGER = "sonneborn-berger"
    """These three by the definitions of FIDE, in Swiss events."""
    LOT = "lot"
    """Drawn from the secret of the season, to whose fingerprint it was bound before it began."""


@dataclass(frozen=True, slots=True)
class Result:
    """A fixture that is decided, by ranks: 1 is best, equal players share (1 1 3).

    `scores` is None where a fixture was adjudicated; `points` gives others than its ranks do.
    """

    players: tuple[Player, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None = None
    points: tuple[Fraction, ...] | None = None

    @property
    def table_points(self) -> tuple[Fraction, ...]:
        return table_points(self.ranks) if self.points is None else self.points


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table; `values` are those of the tie-breaks, in order. Equal rows share a place (1 1 3)."""

    place: int
    player: Player
    points: Fraction
    played: int
    values: tuple[Fraction, ...]
    is_listed_last: bool = False


@dataclass(frozen=True, slots=True)
class Swiss:
    """Facts that the tie-breaks of a Swiss event need besides results: starting numbers, and the rounds as paired."""

    numbers: Mapping[Player, int]
    rounds: Sequence[Round] = field(default_factory=tuple)


def make_table(
    players: Sequence[Player],
    results: Sequence[Result],
    tie_breaks: Sequence[TieBreak],
    *,
    corrections: Mapping[Player, Fraction] | None = None,
    listed_last: Collection[Player] = (),
    secret: str = "",
    swiss_rounds: Swiss | None = None,
) -> list[Row]:
    """The table of these results, best first.

    `corrections`: points that organisers gave or took; `listed_last`: who stands below all others, such as those who
    withdrew; `secret`: the secret of the season, without which no lots are drawn and equal players share a place.
    """
    totals = {
        player: points + (corrections or {}).get(player, Fraction(0))
        for player, points in _total_points(players, results, swiss_rounds).items()
    }
    played = Counter(player for result in results for player in result.players)
    keys: dict[Player, tuple[Fraction, ...]] = {
        player: (Fraction(player not in listed_last), totals[player]) for player in players
    }
    for tie_break in tie_breaks:
        keys |= {
            player: (*keys[player], value)
            for group in _groups(players, keys)
            for player, value in _break(tie_break, group, results, secret, swiss_rounds).items()
        }
    ordered = sorted(players, key=lambda player: keys[player], reverse=True)
    return [
        Row(
            place=1 + sum(other > keys[player] for other in keys.values()),
            player=player,
            points=totals[player],
            played=played[player],
            values=keys[player][2:],
            is_listed_last=player in listed_last,
        )
        for player in ordered
    ]


def _total_points(
    players: Sequence[Player], results: Sequence[Result], swiss_rounds: Swiss | None
) -> dict[Player, Fraction]:
    """The points of each player before corrections."""
    totals = dict.fromkeys(players, Fraction(0))
    for result in results:
        for player, points in zip(result.players, result.table_points, strict=True):
            if player in totals:
                totals[player] += points
    if swiss_rounds is not None:
        for player, number in swiss_rounds.numbers.items():
            totals[player] = score(number, swiss_rounds.rounds)
    return totals


def lot(secret: str, player: Player) -> Fraction:
    """The lot of a player: the SHA-256 of `secret:player` as a number. Anybody can draw it again.

    >>> lot("a secret", "ana") == int(sha256(b"a secret:ana").hexdigest(), 16)
    True
    """
    return Fraction(int(sha256(f"{secret}:{player}".encode()).hexdigest(), 16))


def _groups(players: Sequence[Player], keys: Mapping[Player, tuple[Fraction, ...]]) -> list[list[Player]]:
    """Those who are equal so far."""
    ordered = sorted(players, key=lambda player: keys[player])
    return [list(group) for _, group in groupby(ordered, key=lambda player: keys[player])]


def _break(
    tie_break: TieBreak,
    group: Sequence[Player],
    results: Sequence[Result],
    secret: str,
    swiss_rounds: Swiss | None,
) -> dict[Player, Fraction]:
    if tie_break is TieBreak.HEAD_TO_HEAD:
        return _head_to_head(group, results)
    if tie_break is TieBreak.FIRSTS:
        return _sum_of(group, [(one.players, first_places(one.ranks)) for one in results])
    if tie_break is TieBreak.SCORE_SHARE:
        return _sum_of(group, [(one.players, _shares(one)) for one in results])
    if tie_break is TieBreak.LOT:
        # Only those who are still equal draw.
        return {player: lot(secret, player) if secret and len(group) > 1 else Fraction(0) for player in group}
    if swiss_rounds is None:
        return dict.fromkeys(group, Fraction(0))
    return {
        player: _by_fide(tie_break, swiss_rounds.numbers[player], swiss_rounds.rounds) for player in group
    }


def _by_fide(tie_break: TieBreak, number: int, rounds: Sequence[Round]) -> Fraction:
    if tie_break is TieBreak.SONNEBORN_BERGER:
        return fide_tie_breaks.sonneborn_berger(number, rounds)
    return fide_tie_breaks.buchholz(number, rounds, cut=1 if tie_break is TieBreak.BUCHHOLZ_CUT else 0)


def _sum_of(
    group: Sequence[Player], given: Sequence[tuple[tuple[Player, ...], tuple[Fraction, ...]]]
) -> dict[Player, Fraction]:
    total = dict.fromkeys(group, Fraction(0))
    for players, values in given:
        for player, value in zip(players, values, strict=True):
            if player in total:
                total[player] += value
    return total


def _head_to_head(group: Sequence[Player], results: Sequence[Result]) -> dict[Player, Fraction]:
    total = dict.fromkeys(group, Fraction(0))
    for result in results:
        ranked = [
            (player, rank)
            for player, rank in zip(result.players, result.ranks, strict=True)
            if player in total
        ]
        for player, rank in ranked:
            total[player] += sum((other > rank) - (other < rank) for _, other in ranked)
    return total


def _shares(result: Result) -> tuple[Fraction, ...]:
    seats = len(result.players)
    if result.scores is None:
        return (Fraction(1, seats),) * seats
    above = [score - min(result.scores) for score in result.scores]
    return tuple(Fraction(one, sum(above)) if any(above) else Fraction(1, seats) for one in above)
