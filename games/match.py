"""Plays a match from a program: `Match.new`, `play`, `legal`, `undo`, `view`, `record`.

>>> match = Match.new("gem", seats=3, seed="example")
>>> match.turn, match.context
(0, 'day 1 auction 1')
>>> match.legal()
['bid 0', 'bid 1', 'bid 2', 'bid 3', 'bid 4', 'bid 5', 'bid 6']
>>> [event.kind for event in match.play("b 3")]
['bid']
>>> match.play("bid 2")
Traceback (most recent call last):
games.contract.IllegalMove: illegal (too-low): 2 does not beat the leading bid of 3. Bid more, or pass.
>>> match.undo().text
'bid 3'
>>> match.ply
0

Seats are numbers from 0; where one seat alone is to act it need not be named. `view` has all that a seat may know,
`draw` and `prompt` say it in words; `state` is the whole position, which no player may see.

>>> print(match.prompt(0).splitlines()[-1])
To play, write:  bid 6

Computer players, to the end; the record says how to play all of it again.

>>> while not match.is_over:
...     events = match.play_forced() or match.play_bot("random")
>>> match.scores, match.ranks
((10, 14, 5), (2, 1, 3))
>>> text = str(match.record())
>>> Match.load(text).scores == match.scores
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice
from secrets import token_hex
from typing import Any

from games import bots, plies
from games.analysis import SIMULATIONS, compare
from games.chance import NO_SEED, Chance
from games.contract import ENGLISH, Event, Game, GameError, Outcome, Seat, Translator, seat_letter
from games.record import RESIGN, MoveLine, Record, read_record, write_options
from games.record_headers import read_options
from games.registry import find
from games.replay import Replay, begin, end, play_line
from games.turns import expect_running

IS_SEED = re.compile(r"[0-9a-f]{64}")


def _read_seed(seed: str | None) -> str:
    """Turn any text into a seed as records hold it, 64 hex digits; None into a random one."""
    if seed is None:
        return token_hex(32)
    return seed if IS_SEED.fullmatch(seed) else sha256(seed.encode()).hexdigest()


class Match:
    """One match from its deal on. A refused move raises GameError and changes nothing."""

    def __init__(self, record: Record, game: Game | None = None) -> None:
        """Deal what the headers of the record say; `new` and `load` are more convenient."""
        self._head = replace(record, moves=(), result=None, ending=None)
        self._seed = record.seed or NO_SEED
        self._reached: list[Replay] = [begin(record, game)]
        """The positions from the deal on, one more than lines."""
        self._lines: list[MoveLine] = []

    @classmethod
    def new(
        cls,
        game: str | Game,
        *,
        seats: int | None = None,
        options: str | Mapping[str, str] = "",
        seed: str | None = None,
        players: Sequence[str] = (),
    ) -> Match:
        """Deal a match; `seed` is any text, and without it every deal is another one.

        `seats`: as many as there are `players`, else the fewest. `options`: as in a record (`pace=sealed`), or by name.

        >>> Match.new("gem", seats=9)
        Traceback (most recent call last):
        games.contract.GameError: invalid (bad-seats): GEM is for 2 to 4 players.
        """
        entry = find(game) if isinstance(game, str) else game
        meta = entry.rules.meta
        seats = seats or len(players) or meta.min_seats
        if not meta.min_seats <= seats <= meta.max_seats or len(players) not in (0, seats):
            raise GameError(
                "bad-seats",
                "{game} is for {least} to {most} players.",
                game=meta.title,
                least=meta.min_seats,
                most=meta.max_seats,
            )
        if not isinstance(options, str):
            options = " ".join(f"{name}={value}" for name, value in options.items())
        return cls(
            Record(
                game=meta.slug,
                version=meta.version,
                players=tuple(players) or tuple(map(seat_letter, range(seats))),
                options=write_options(meta, read_options(meta, options, seats), seats),
                seed=_read_seed(seed),
            ),
            entry,
        )

    @classmethod
    def load(cls, record: str | Record) -> Match:
        """Load the match of a record and play all its lines. Raises GameError for the first line that does not fit."""
        record = read_record(record) if isinstance(record, str) else record
        match = cls(record)
        for line in record.moves:
            reached = play_line(match.reached, line, match._seed)
            assert isinstance(line, MoveLine)
            match._keep(line, reached)
        ended = end(match.reached, record)
        if ended.refusal:
            raise ended.refusal.error
        match._reached[-1] = ended
        return match

    # Where it stands

    @property
    def reached(self) -> Replay:
        """The position with facts that the rules do not know: resignations, and whether the match is over."""
        return self._reached[-1]

    @property
    def game(self) -> Game:
        return self.reached.game

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names in seat order."""
        return self._head.players

    @property
    def options(self) -> Mapping[str, str]:
        return read_options(self.game.rules.meta, self._head.options, len(self.players))

    @property
    def seed(self) -> str:
        """The seed of the match. Keep it secret while the match runs: it tells all that will be drawn."""
        return self._seed

    @property
    def state(self) -> Any:
        """The whole position, hidden parts included."""
        return self.reached.state

    @property
    def ply(self) -> int:
        """The number of moves that have been played."""
        return len(self._lines)

    @property
    def lines(self) -> Sequence[MoveLine]:
        """The moves that have been played, in notation."""
        return self._lines

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """The seats that are to act; several where all decide at once, none when the match is over."""
        return self.reached.to_act

    @property
    def turn(self) -> Seat | None:
        """The seat that is to act, if it is only one; else None."""
        return self.waiting[0] if len(self.waiting) == 1 else None

    @property
    def context(self) -> str | None:
        """The name of the present contest; None without one, and when the match is over."""
        return None if self.is_over else self.game.rules.context(self.state)

    @property
    def is_over(self) -> bool:
        """True if the match is over, by the rules or because one of two has resigned."""
        return self.reached.ended

    @property
    def outcome(self) -> Outcome | None:
        """The result by the rules; None while the match runs, and when it ended otherwise."""
        return self.game.rules.outcome(self.state)

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores if the match ended now."""
        return tuple(self.reached.scores)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks if the match ended now; 1 is best."""
        return tuple(self.reached.ranks)

    # What a seat may know and do

    def view(self, seat: Seat | None = None) -> Any:
        """All that this seat may know (None: a spectator)."""
        return self.game.rules.view(self.state, seat)

    def draw(self, seat: Seat | None = None, tr: Translator = ENGLISH) -> str:
        """The board in words, as this seat may see it."""
        return self.game.words.draw(self.view(seat), tr, self.players, self.reached.asked)

    def prompt(self, seat: Seat | None = None, tr: Translator = ENGLISH) -> str:
        """The question that this seat is asked now, with moves that it can write."""
        return self.game.words.prompt(self.view(seat), tr, self.players)

    def legal(self, seat: Seat | None = None, most: int | None = None) -> list[str]:
        """List the moves of this seat, or of the one that is to act, in notation; at most `most`."""
        if self.is_over:
            return []
        rules = self.game.rules
        return [rules.write(move) for move in islice(rules.legal_moves(self.state, self._actor(seat)), most)]

    def log(self, seat: Seat | None = None) -> list[Event]:
        """List all events so far that this seat may know."""
        return [event for reached in self._reached for event in reached.events if event.visible_to(seat)]

    def describe(
        self, events: Iterable[Event], tr: Translator = ENGLISH, you: Seat | None = None
    ) -> list[str]:
        """Describe the events, a sentence for each; `you` is the seat of the reader, who is addressed."""
        return [self.game.words.describe(event, tr, self.players, you) for event in events]

    # Playing

    def play(self, text: str, seat: Seat | None = None) -> tuple[Event, ...]:
        """Play the move written in `text` for this seat, or for the one that is to act, and return the events."""
        expect_running(is_over=self.is_over)
        seat = self._actor(seat)
        return self.play_move(seat, self.game.rules.parse(self.state, seat, text))

    def play_move(self, seat: Seat, move: Any, *, played_by: str = "") -> tuple[Event, ...]:
        """Play a move of the game's own type and return the events.

        `played_by` is written behind the move in the record (`bot`).
        """
        expect_running(is_over=self.is_over)
        rules, ply = self.game.rules, self.ply + 1
        step = plies.play(rules, self.state, seat, move, self._seed, ply)
        line = MoveLine(seat, rules.write(move), played_by, ply)
        self._keep(line, self.reached.after(line, step))
        return step.events

    def play_forced(self) -> tuple[Event, ...]:
        """Play the only move that is possible and return the events; none when there is a choice."""
        forced = None if self.is_over else self.game.rules.forced_move(self.state)
        return self.play_move(*forced, played_by="auto") if forced else ()

    def play_bot(self, level: str = "normal", seat: Seat | None = None) -> tuple[Event, ...]:
        """Let a computer player of this level move, and return the events."""
        seat = self.waiting[0] if seat is None and self.waiting else self._actor(seat)
        return self.play_move(seat, self.think(level, seat, f"bot {self.ply}"), played_by="bot")

    def think(self, level: str = "normal", seat: Seat | None = None, purpose: str = "hint") -> Any:
        """The move that a computer player would choose; it looks only at what its seat may know."""
        return bots.choose(level, self.game, self.state, self._actor(seat), Chance(self._seed, purpose))

    def compare(self, seat: Seat | None = None, simulations: int = SIMULATIONS) -> dict[Any, float]:
        """Estimate what the promising moves are worth to the seat, by what it may know: move → 0 to 100, best first."""
        return compare(
            self.game, self.state, self._actor(seat), Chance(self._seed, f"hint {self.ply}"), simulations
        )

    def resign(self, seat: Seat) -> None:
        """Resign: a match of two is over; in a larger one somebody else may play on for the seat."""
        line = MoveLine(seat, RESIGN, "", self.ply + 1)
        self._keep(line, play_line(self.reached, line, self._seed))

    def undo(self) -> MoveLine:
        """Take the last move back and return it; raises IndexError when there is none."""
        line = self._lines.pop()
        self._reached.pop()
        return line

    def _keep(self, line: MoveLine, reached: Replay) -> None:
        self._lines.append(line)
        self._reached.append(reached)

    def _actor(self, seat: Seat | None) -> Seat:
        if seat is not None:
            return seat
        if self.turn is None:
            expect_running(is_over=self.is_over)
            letters = ", ".join(map(seat_letter, self.waiting))
            raise GameError("whose", "Seats {seats} are to act. Say which one you mean.", seats=letters)
        return self.turn

    # Keeping

    def record(self) -> Record:
        """The match so far; `str` makes the text of it."""
        ending = None
        if self.is_over:
            ending = "played out" if self.outcome else "resigned"
        return replace(
            self._head,
            moves=tuple(self._lines),
            ending=ending,
            result=self.scores if self.is_over else None,
        )

    def __repr__(self) -> str:
        meta = self.game.rules.meta
        return f"<Match of {meta.title}, {len(self.players)} seats, ply {self.ply}>"
