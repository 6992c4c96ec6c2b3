"""Puzzles: positions of matches in which one move is clearly the best, by what the seat to act could know.

A position is one if in two searches, each with a seed of its own, the same move leads every other legal one by a
margin; if it leads still when careless players go on from there; and if the hard bot would play it. `find_puzzle`
searches, `Puzzle` is what is kept of it: a line of JSON in the package's folder `puzzles`, or a row of a host.

>>> from games.registry import game
>>> puzzle = read_puzzles(game("gem"))[0]
>>> puzzle.is_right(puzzle.best)
True
>>> puzzle.worth_of(puzzle.best) - max(worth for move, worth in puzzle.worths if move != puzzle.best) >= MARGIN
True
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import islice
from math import sqrt
from statistics import fmean
from typing import Any

from games.bots import choose
from games.chance import Chance
from games.contract import Game, Json, Seat, seat_letter
from games.playouts import find_stage, imagine, judge, play_out
from games.record import MoveLine, Record, read_record
from games.record_headers import read_options
from games.replay import Replay, begin, play_line

FOLDER, FILE = "puzzles", "puzzles.jsonl"

MARGIN = 6.0
"""The best move is worth this much more than any other, of 100 for a match that is won or lost."""
SIMULATIONS = 96
"""Positions in which the moves that are still in doubt are compared, in each of the searches."""
FEWEST_MOVES, MOST_MOVES = 4, 400
"""Moves that lead to different positions: fewer are no riddle, of more nobody could say that the rest is worse."""
SEEDS = ("puzzle", "puzzle again", "puzzle of the careless", "puzzle of the hard bot")
"""Of the two searches for the move, of one among careless players, and of the hard bot's search by a tree."""
SHOWN = 6
"""Moves whose worth is kept."""
_NEAREST = 12
"""Moves that the second search compares: those that came closest in the first one, which compares all."""
_BATCH = 6
_GLANCE = 16
"""Playouts in each round of the quick look that comes first."""
_LEAST = 4 * _BATCH
"""So many positions are looked at before a move is given up as worse."""
_DOUBT = 2.5
"""Standard errors of the mean by which a difference may be luck."""
_CARELESS = 3
"""In the last search, one move in so many is a random one, and all is played to the end."""


@dataclass(frozen=True)
class Puzzle:
    """A position with a question to one seat, and its answer."""

    game: Game
    record: Record
    """The match up to the position, its seed included."""
    seat: Seat
    best: str
    """In canonical notation."""
    worths: tuple[tuple[str, float], ...]
    """Moves and what a bot expects of them, 0 to 100, the best first: those that come closest to it."""
    simulations: int = SIMULATIONS
    seeds: tuple[str, ...] = SEEDS

    @property
    def ply(self) -> int:
        return len(self.record.moves)

    @property
    def key(self) -> str:
        """Names the puzzle: the same question is known again wherever it comes from."""
        lines = [f"{line.seat} {line.text}" for line in self.record.moves if isinstance(line, MoveLine)]
        deal = [self.record.game, self.record.options, self.record.seed or self.record.deal or "", *lines]
        return sha256("\n".join(deal).encode()).hexdigest()[:16]

    @cached_property
    def state(self) -> Any:
        """The position as the seat can know it: what is hidden from it is drawn anew, so that no try tells it."""
        reached = _reach(self.game, self.record)
        return self.game.rules.resample(reached.state, self.seat, Chance(self.key, "puzzle"))

    @property
    def view(self) -> Any:
        return self.game.rules.view(self.state, self.seat)

    @property
    def last_moves(self) -> dict[Seat, str]:
        """The last move of each seat, in notation."""
        return {line.seat: line.text for line in self.record.moves if isinstance(line, MoveLine)}

    def read(self, text: str) -> str:
        """Read a try leniently and return it in notation. Raises GameError if it is no legal move."""
        return self.game.rules.write(self._play(text)[0])

    def is_right(self, text: str) -> bool:
        """Return whether the move is the best, or leads to the same position. Raises GameError if it is not legal."""
        return bool(self.play(text) == self.play(self.best))

    def play(self, text: str) -> Any:
        """The position after a move, as far as the seat can know it. Raises GameError if it is not legal."""
        return self._play(text)[1]

    def _play(self, text: str) -> tuple[Any, Any]:
        rules = self.game.rules
        move = rules.parse(self.state, self.seat, text)
        return move, rules.apply(self.state, self.seat, move, Chance(self.key, "answer")).state

    def worth_of(self, text: str) -> float | None:
        """A bot's expectation of the move, 0 to 100; None if it is not among those that come closest."""
        after = self.play(text)
        return next((worth for move, worth in self.worths if self.play(move) == after), None)

    def write(self) -> str:
        """The puzzle as a line of JSON."""
        fields: dict[str, Json] = {
            "record": str(self.record),
            "seat": seat_letter(self.seat),
            "best": self.best,
            "worths": [[move, str(worth)] for move, worth in self.worths],
            "simulations": self.simulations,
            "seeds": list(self.seeds),
        }
        return json.dumps(fields, ensure_ascii=False)


def read_puzzle(game: Game, line: str) -> Puzzle:
    """Read what `Puzzle.write` has written. Raises ValueError, KeyError or GameError for anything else."""
    fields = json.loads(line)
    return Puzzle(
        game,
        read_record(fields["record"]),
        ord(fields["seat"]) - ord("A"),
        fields["best"],
        tuple((move, float(worth)) for move, worth in fields["worths"]),
        fields["simulations"],
        tuple(fields["seeds"]),
    )


def read_puzzles(game: Game) -> list[Puzzle]:
    """The puzzles that the package brings; none if it brings no file of them."""
    file = game.folder / FOLDER / FILE
    if not file.is_file():
        return []
    return [read_puzzle(game, line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


# Finding them


def list_questions(record: Record, begin_at: int = 0) -> Iterator[Replay]:
    """Yield the positions of a match in which somebody had a choice, from the one after `begin_at` moves on.

    None where sealed orders are asked for, whose answers are no moves. Raises GameError for a record that does not
    fit the rules.
    """
    current = begin(record)
    if read_options(current.game.rules.meta, record.options, len(record.players)).get("pace") == "sealed":
        return
    for line in record.moves:
        if not isinstance(line, MoveLine) or line.is_resignation:
            return
        rules = current.game.rules
        is_asked = line.seat in rules.waiting_on(current.state) and rules.forced_move(current.state) is None
        if is_asked and current.ply >= begin_at:
            yield current
        current = play_line(current, line, record.seed or "")


def find_puzzle(
    game: Game, record: Record, reached: Replay, seat: Seat, simulations: int = SIMULATIONS
) -> Puzzle | None:
    """The puzzle of this position of the record for a seat that is to act; None if no move is clearly the best."""
    chances = [Chance(seed, f"{record.seed or record.deal} {reached.ply}") for seed in SEEDS]
    known = game.rules.resample(reached.state, seat, chances[0])
    moves = _list_different(game, known, seat)
    if not FEWEST_MOVES <= len(moves) <= MOST_MOVES:
        return None
    if not _seems_clear(game, known, seat, moves, chances[0]):
        return None
    first = _find_leader(game, known, seat, moves, chances[0], simulations, MARGIN)
    if first is None:
        return None
    best, nearest = first[0][0], [move for move, _ in first]
    again = _find_leader(game, known, seat, nearest[:_NEAREST], chances[1], simulations, MARGIN)
    if again is None or again[0][0] != best:
        return None
    careless = replace(game, strays=_CARELESS, horizon=None)
    last = _find_leader(careless, known, seat, nearest[:SHOWN], chances[2], simulations, MARGIN / 2)
    if last is None or last[0][0] != best:
        return None
    if choose("hard", game, known, seat, chances[3]) != best:
        return None
    worths = tuple((game.rules.write(move), round(worth, 1)) for move, worth in first[:SHOWN])
    cut = replace(record, moves=record.moves[: reached.ply], result=None, ending=None, sealed=())
    return Puzzle(game, cut, seat, worths[0][0], worths, simulations)


def _list_different(game: Game, known: Any, seat: Seat) -> list[Any]:
    """The legal moves, one for each position that they lead to; more than MOST_MOVES of them are cut off."""
    rules, found = game.rules, dict[Any, Any]()
    for move in islice(rules.legal_moves(known, seat), 2 * MOST_MOVES):
        found.setdefault(rules.apply(known, seat, move, Chance("puzzle", "answer")).state, move)
        if len(found) > MOST_MOVES:
            break
    return list(found.values())


def _seems_clear(game: Game, known: Any, seat: Seat, moves: Sequence[Any], chance: Chance) -> bool:
    """Return whether one move leads the next best in a quick look, in which the worse half is dropped again and again.

    Most positions are no puzzles; this tells so for a tenth of what a search takes.
    """
    begun, totals = find_stage(game, known), dict.fromkeys(moves, 0.0)
    looks, kept = 0, list(moves)
    while True:
        more = _LEAST if len(kept) == 2 else max(1, _GLANCE // len(kept))
        for _ in range(more):
            world = imagine(game, known, seat, chance)
            for move in kept:
                after = game.rules.apply(world, seat, move, chance).state
                totals[move] += 100 * judge(game, play_out(game, after, chance, begun), seat)
        looks += more
        kept.sort(key=totals.__getitem__, reverse=True)
        if len(kept) == 2:
            return totals[kept[0]] - totals[kept[1]] >= MARGIN * looks
        if looks > 2 and totals[kept[0]] - totals[kept[1]] < MARGIN / 2 * looks:
            return False
        kept = kept[: max(2, len(kept) // 2)]


def _find_leader(
    game: Game, known: Any, seat: Seat, moves: Sequence[Any], chance: Chance, simulations: int, margin: float
) -> list[tuple[Any, float]] | None:
    """The moves with their worths, the best first, if it leads all others by the margin, and not by luck; else None.

    All are played on in the same redrawn positions. A move that is behind by the margin beyond doubt is not looked at
    any longer. The search ends as soon as another seems closer than that: a puzzle that is missed is no loss.
    """
    worths: dict[Any, list[float]] = {move: [] for move in moves}
    doubted, begun, means = list(moves), find_stage(game, known), dict[Any, float]()
    while len(doubted) > 1:
        for _ in range(_BATCH):
            world = imagine(game, known, seat, chance)
            for move in doubted:
                after = game.rules.apply(world, seat, move, chance).state
                worths[move].append(100 * judge(game, play_out(game, after, chance, begun), seat))
        means.update({move: fmean(worths[move]) for move in doubted})
        best = max(doubted, key=means.__getitem__)
        leads = {move: _measure_lead(worths[best], worths[move]) for move in doubted if move != best}
        count = len(worths[best])
        if count >= _LEAST and any(lead < margin for lead, _ in leads.values()):
            return None
        doubt = _DOUBT if count >= _LEAST else 2 * _DOUBT
        behind = {move for move, (lead, error) in leads.items() if lead - doubt * error >= margin}
        doubted = [move for move in doubted if move not in behind]
        if count >= simulations and len(doubted) > 1:
            return None
    return sorted(means.items(), key=lambda item: (item[0] != doubted[0], -item[1]))


def _measure_lead(best: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """The mean lead in the positions that both were played on in, and its standard error."""
    leads = [one - two for one, two in zip(best, other, strict=True)]
    mean = sum(leads) / len(leads)
    variance = sum((lead - mean) ** 2 for lead in leads) / (len(leads) - 1)
    return mean, sqrt(variance / len(leads))


def _reach(game: Game, record: Record) -> Replay:
    current = begin(record, game)
    for line in record.moves:
        current = play_line(current, line, record.seed or "")
    return current
