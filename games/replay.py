"""Replays a record: the position to which it leads, and the first line that fails.

>>> from games.match import Match
>>> from games.record import read_record
>>> match = Match.new("gem", players=["Ana", "Bob"], seed="example")
>>> match.turn
1
>>> events = match.play("bid 3"), match.play("pass")
>>> reached = replay(match.record())
>>> reached.ply, reached.to_act, reached.refusal
(2, (1,), None)
>>> print(replay(read_record(str(match.record()).replace("bid 3", "bid 30"))).refusal)
line 6: illegal (too-high): 30 is more than you can pay: your active coins and cards are worth 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from games import plies
from games.chance import NO_SEED
from games.contract import (
    Asked,
    Event,
    Game,
    GameError,
    IllegalMove,
    InvalidMove,
    Json,
    Seat,
    Step,
    seat_letter,
)
from games.record import BadLine, MoveLine, Record
from games.record_headers import UnreadableRecord, in_line, read_options
from games.registry import game
from games.turns import expect_running

NOT_BY_PERSON = frozenset({"auto", "bot", "clock", "moderator"})
"""The words behind moves that their players did not make themselves."""
MOST_LISTED = 500
"""A position with more legal moves than this is summarised without them."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The first line that does not fit."""

    line: int
    error: GameError

    def __str__(self) -> str:
        return f"line {self.line}: {self.error}"


@dataclass(frozen=True, slots=True)
class Replay:
    """The position to which a record leads; with a `refusal`, the one after the valid lines before it."""

    game: Game
    players: tuple[str, ...]
    state: Any
    ply: int
    resigned: frozenset[Seat]
    ended: bool
    """True if the match is over: by the rules, by resignation of one of two, or by decision of a moderator."""
    refusal: Refusal | None = None
    given_up: frozenset[Seat] = frozenset()
    """Seats that have resigned and for which no person has moved since; a substitute may resign in turn."""
    events: tuple[Event, ...] = ()
    """The events of the last line."""

    @property
    def to_act(self) -> tuple[Seat, ...]:
        return () if self.ended else tuple(sorted(self.game.rules.waiting_on(self.state)))

    @property
    def asked(self) -> Asked | None:
        """Whom the table waits for, as drawings take it: nobody in a match that ended before the rules end it."""
        if not self.ended or self.game.rules.outcome(self.state) is not None:
            return None
        is_of_two = len(self.players) == 2  # a larger match goes on when somebody resigns
        return Asked(resigned=next(iter(self.resigned), None) if is_of_two else None)

    @property
    def scores(self) -> Sequence[int]:
        return self.game.rules.standing(self.state)

    @property
    def ranks(self) -> Sequence[int]:
        """The ranks by the rules; of two players the one who has resigned is second."""
        if len(self.players) == 2 and self.resigned:
            return tuple(2 if seat in self.resigned else 1 for seat in range(2))
        return self.game.rules.ranks(self.state)

    def after(self, line: MoveLine, step: Step[Any]) -> Replay:
        """The replay after the move of this line, which has been applied with this step."""
        is_own = line.played_by not in NOT_BY_PERSON
        return replace(
            self,
            state=step.state,
            ply=self.ply + 1,
            ended=self.game.rules.outcome(step.state) is not None,
            given_up=self.given_up - {line.seat} if is_own else self.given_up,
            events=step.events,
        )


def replay(record: Record) -> Replay:
    """Play the record's lines as far as they are valid.

    Raises UnreadableRecord when the match cannot even begin (`running`: its seed is not revealed yet).
    """
    current = begin(record)
    for line in record.moves:
        try:
            current = play_line(current, line, record.seed or NO_SEED)
        except GameError as error:
            return replace(current, refusal=Refusal(line.line, error))
    return end(current, record)


def begin(record: Record, entry: Game | None = None) -> Replay:
    """Deal the first position of the record; a game that is passed in need not be admitted. Raises UnreadableRecord."""
    entry = entry or game(record.game)
    seats = len(record.players)
    options = read_options(entry.rules.meta, record.options, seats)
    if record.ages:
        options["ages"] = " ".join(str(age) for age in record.ages)
    if record.seed is not None:
        state = plies.deal(entry.rules, seats, options, record.seed)
    elif record.deal is not None:
        try:
            state = entry.rules.deal_explicit(
                seats=seats, options=options, deal=record.deal, first=record.first
            )
        except InvalidMove as error:
            found = {**error.message.params, **error.message.words}
            unreadable = UnreadableRecord(error.code, error.message.template, **found)
            raise in_line(record.header_lines.get("Deal", 0), unreadable) from error
    else:
        raise UnreadableRecord("running", "This match is still running: the seed is not revealed yet.")
    return Replay(entry, record.players, state, 0, frozenset(), ended=False)


def play_line(current: Replay, line: MoveLine | BadLine, seed: str) -> Replay:
    """Play one line. Raises GameError."""
    ply = current.ply + 1
    if isinstance(line, BadLine):
        raise InvalidMove("bad-line", "A line is written: number, seat letter, move; as in 1 A bid 0.")
    if line.ply not in (None, ply):
        raise InvalidMove("wrong-number", "This should be ply {ply}, not {found}.", ply=ply, found=line.ply)
    expect_running(is_over=current.ended)
    if line.is_resignation:
        return _resign(current, line.seat, ply)
    _, step = plies.play_text(current.game.rules, current.state, line.seat, line.text, seed, ply)
    return current.after(line, step)


def _resign(current: Replay, seat: Seat, ply: int) -> Replay:
    if seat in current.given_up:
        raise IllegalMove(
            "resigned",
            "Seat {seat} has resigned already, and nobody has played it since. Take this line out.",
            seat=seat_letter(seat),
        )
    return replace(
        current,
        ply=ply,
        resigned=current.resigned | {seat},
        given_up=current.given_up | {seat},
        ended=len(current.players) == 2,
        events=(),
    )


def end(current: Replay, record: Record) -> Replay:
    """Check `Ending:` and `Result:` against the position to which the lines have led."""
    played_out = current.game.rules.outcome(current.state) is not None
    borne_out = {
        None: True,
        "played out": played_out,
        "resigned": len(current.given_up) >= len(current.players) - 1 and not played_out,
        "adjudicated": not current.ended,
    }
    if not borne_out[record.ending]:
        error = IllegalMove(
            "ending-differs",
            "The record says “{ending}”, but its {plies} moves do not lead to that. Put back what is missing, or take "
            "Ending: and Result: out.",
            ending=record.ending,
            plies=current.ply,
        )
        return replace(current, refusal=Refusal(record.header_lines.get("Ending", 0), error))
    if record.result is not None and record.result != tuple(current.scores):
        scores = ", ".join(f"{seat_letter(seat)} {score}" for seat, score in enumerate(current.scores))
        error = IllegalMove("result-differs", "The lines lead to {scores}.", scores=scores)
        return replace(current, refusal=Refusal(record.header_lines.get("Result", 0), error))
    return replace(current, ended=current.ended or record.ending is not None)


def summarise(current: Replay) -> dict[str, Json]:
    """Summarise the position in the form that `replay --json` prints."""
    rules = current.game.rules
    legal: dict[str, Json] = {}
    for seat in current.to_act:
        moves = list(islice(rules.legal_moves(current.state, seat), MOST_LISTED + 1))
        legal[seat_letter(seat)] = None if len(moves) > MOST_LISTED else [rules.write(move) for move in moves]
    return {
        "game": rules.meta.slug,
        "ply": current.ply,
        "to_act": [seat_letter(seat) for seat in current.to_act],
        "context": None if current.ended else rules.context(current.state),
        "over": current.ended,
        "scores": list(current.scores),
        "ranks": list(current.ranks),
        "legal": legal,
    }
