"""Tries other moves from a position of a match, as a tree of lines: for all seats, or for one against quick bots.

Hands and piles lie as they did in the match; whatever chance decides after the branch comes from a seed of its own, so
that a line is the same whoever looks at it, and two lines differ by their moves alone.

>>> from games.match import Match
>>> match = Match.new("gem", seats=3, seed="example")
>>> tree = Branch(match.game, match.state, 0, "branch", seat=None)
>>> tree, number = tree.try_move(0, "bid 3")
>>> [(move.seat, move.text) for move in tree.reach(number).path]
[(0, 'bid 3')]

A move that was tried before is the same move, and another one begins a line of its own.

>>> tree.try_move(0, "b 3")[1] == number
True
>>> tree, other = tree.try_move(0, "bid 2")
>>> [move.before for move in tree.moves]
[0, 0]
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from games import plies
from games.chance import Chance
from games.contract import Event, Game, GameError, IllegalMove, Seat
from games.playouts import move_quickly
from games.turns import expect_running

MOST_MOVES = 600
"""Of all lines of a tree, answers of bots included."""
LONGEST_LINE = 400
MOST_ANSWERS = 24
"""Moves of bots, and forced ones, that follow on one that was tried; whoever wants more asks again."""

FULL = "what-if-full"


class Chosen(StrEnum):
    """The chooser of a move that was tried."""

    BY_HAND = "hand"
    FORCED = "forced"
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class Tried:
    """A move that was tried after the move with the number `before`; 0: in the position of the match."""

    number: int
    """From 1, in the order in which they were tried; it stays."""
    before: int
    seat: Seat
    text: str
    chosen: Chosen = Chosen.BY_HAND


@dataclass(frozen=True, slots=True)
class Played:
    """A tried move of a line with what it brought about."""

    move: Tried
    events: tuple[Event, ...]
    lies_face_down: bool
    """Nobody else may know it yet in the position that the line has reached."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The position at the end of a line."""

    state: Any
    line: tuple[Played, ...]
    actor: Seat | None
    """The seat for which a move can be tried; None when the match is over, or a bot is to move."""
    is_over: bool

    @property
    def path(self) -> list[Tried]:
        """The moves of the line."""
        return [played.move for played in self.line]

    @property
    def number(self) -> int:
        """The number of the last move; 0 for none."""
        return self.line[-1].move.number if self.line else 0

    @property
    def last_moves(self) -> dict[Seat, str]:
        """The last move of each seat, but for those that lie face down."""
        return {played.move.seat: played.move.text for played in self.line if not played.lies_face_down}


@dataclass(frozen=True, slots=True)
class Branch:
    """A position of a match after `ply` moves, and the moves that were tried from it."""

    game: Game
    state: Any
    ply: int
    seed: str
    seat: Seat | None
    """The seat that is played by hand, while bots play the others; None: all are played by hand."""
    moves: tuple[Tried, ...] = ()

    def reach(self, number: int) -> Reached:
        """Play the line that ends with this move, 0 for the branch itself.

        Raises KeyError for a number that no move has, and GameError where the rules have changed since.
        """
        reached = self._stand(self.state, ())
        for move in self._find_path(number):
            parsed = self.game.rules.parse(reached.state, move.seat, move.text)
            reached = self._follow(reached, move, parsed)
        return reached

    def _find_path(self, number: int) -> list[Tried]:
        path = []
        while number:
            if not 0 < number <= len(self.moves):
                raise KeyError(number)
            path.append(self.moves[number - 1])
            number = path[-1].before
        return path[::-1]

    def _follow(self, reached: Reached, move: Tried, parsed: Any) -> Reached:
        """The position after one more move. Raises IllegalMove."""
        ply = self.ply + len(reached.line) + 1
        step = plies.play(self.game.rules, reached.state, move.seat, parsed, self.seed, ply)
        line = reached.line
        if not step.sealed:
            line = tuple(replace(played, lies_face_down=False) for played in line)
        return self._stand(step.state, (*line, Played(move, step.events, step.sealed)))

    def _stand(self, state: Any, line: tuple[Played, ...]) -> Reached:
        rules = self.game.rules
        is_over = rules.outcome(state) is not None
        waiting = frozenset() if is_over or rules.forced_move(state) else rules.waiting_on(state)
        if self.seat is None:
            return Reached(state, line, min(waiting, default=None), is_over)
        return Reached(state, line, self.seat if self.seat in waiting else None, is_over)

    def try_move(self, number: int, text: str) -> tuple[Branch, int]:
        """Try a move after this one, and let the others answer; the new tree, and the number of the last move.

        Raises KeyError like `reach`, and GameError for what cannot be played.
        """
        rules, reached = self.game.rules, self.reach(number)
        expect_running(is_over=reached.is_over)
        if reached.actor is None:
            raise IllegalMove("bots-turn", "The bots have not answered yet; let them go on first.")
        move = rules.parse(reached.state, reached.actor, text)
        tree, after = self._add(reached, reached.actor, move, Chosen.BY_HAND)
        return tree._answer(after)

    def go_on(self, number: int) -> tuple[Branch, int]:
        """Play forced moves, and let bots answer, until a move can be tried, or `MOST_ANSWERS` moves are made."""
        return self._answer(self.reach(number))

    def _answer(self, reached: Reached) -> tuple[Branch, int]:
        tree = self
        for _ in range(MOST_ANSWERS):
            answer = self._find_answer(reached)
            if answer is None:
                break
            try:
                tree, reached = tree._add(reached, *answer)
            except IllegalMove as error:
                if error.code == FULL:
                    break
                raise
        return tree, reached.number

    def _find_answer(self, reached: Reached) -> tuple[Seat, Any, Chosen] | None:
        """The next move that nobody chooses by hand."""
        rules, state = self.game.rules, reached.state
        if reached.is_over or reached.actor is not None:
            return None
        if forced := rules.forced_move(state):
            return *forced, Chosen.FORCED
        seat = min(rules.waiting_on(state))
        chance = Chance(self.seed, f"bot {self.ply + len(reached.line)}")
        known = rules.resample(state, seat, chance)
        return seat, move_quickly(self.game, known, seat, chance), Chosen.BOT

    def _add(self, reached: Reached, seat: Seat, move: Any, chosen: Chosen) -> tuple[Branch, Reached]:
        """Add the move, unless it was tried there before. Raises IllegalMove."""
        before, text = reached.number, self.game.rules.write(move)
        known = [tried for tried in self.list_next(before) if (tried.seat, tried.text) == (seat, text)]
        if known:
            return self, self._follow(reached, known[0], move)
        added = Tried(len(self.moves) + 1, before, seat, text, chosen)
        after = self._follow(reached, added, move)
        if len(self.moves) >= MOST_MOVES or len(reached.line) >= LONGEST_LINE:
            raise IllegalMove(
                FULL,
                "A what-if holds {most} moves, and a line of it {longest}; begin another one.",
                most=MOST_MOVES,
                longest=LONGEST_LINE,
            )
        return replace(self, moves=(*self.moves, added)), after

    def find_positions(self, most: int) -> dict[int, Any]:
        """The position in which each of the first `most` moves was tried, by the move's number.

        Without what was tried behind a move that the rules now refuse.
        """
        reached, positions = {0: self._stand(self.state, ())}, {}
        for move in self.moves[:most]:
            if move.before in reached:
                positions[move.number] = state = reached[move.before].state
                with suppress(GameError):
                    parsed = self.game.rules.parse(state, move.seat, move.text)
                    reached[move.number] = self._follow(reached[move.before], move, parsed)
        return positions

    def list_next(self, number: int) -> list[Tried]:
        """The moves that were tried after this one."""
        return [move for move in self.moves if move.before == number]

    def list_lines(self) -> list[list[Tried]]:
        """The lines, each from where it leaves an earlier one, and on by the first move that was tried there."""
        following: dict[int, list[Tried]] = {}
        for move in self.moves:
            following.setdefault(move.before, []).append(move)
        begun = list(following.get(0, []))
        lines = []
        while begun:
            line = [begun.pop(0)]
            while after := following.get(line[-1].number):
                line.append(after[0])
                begun += after[1:]
            lines.append(line)
        return lines
