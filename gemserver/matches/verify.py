"""Checks the caches of a match against its truth: the parts, the options and the live moves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from games import deal
from games.contract import GameError
from games.record import RESIGN
from gemserver.matches import codec, replay
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.playing import Playing


@dataclass(frozen=True, slots=True)
class Difference:
    """The first mismatch: the ply it follows, and which thing differs. Never its contents, which may be secret."""

    ply: int
    what: str

    def __str__(self) -> str:
        return f"ply {self.ply}: {self.what}"


def first_difference(match: Match) -> Difference | None:
    """Find where the match first differs from what its truth implies; None when everything fits.

    The caller holds the match's lock, or is sure that nobody moves meanwhile.
    """
    return next(_differences(match), None)


def _differences(match: Match) -> Iterator[Difference]:
    if not match.started_at:
        return
    if _promised(match) != match.commitment:
        yield Difference(0, "the commitment does not fit the server's part")
    ply, state = 0, None
    try:
        for move, step in replay.steps(match):
            state = step.state
            if move is None:
                continue
            ply += 1
            yield from _differences_of_move(move, ply, step)
    except GameError as error:
        yield Difference(ply + 1, f"the move is not possible ({error.code})")
        return
    if match.ply != ply:
        yield Difference(ply, f"the match says that there are {match.ply} moves")
    if match.position != codec.dump(state):
        yield Difference(ply, "the position differs")
        return  # the checks below mean nothing with a wrong position
    yield from _differences_of_seats(match, state)


def _promised(match: Match) -> str:
    if match.dealt_by is not None:
        return ""
    return deal.commitment(match.code, match.game, match.rules_version, match.options, match.server_part)


def _differences_of_move(move: Move, ply: int, step: Any) -> Iterator[Difference]:
    if move.ply != ply:
        yield Difference(ply, f"the next move is number {move.ply}")
    if move.text != RESIGN and move.is_sealed != step.sealed:
        yield Difference(ply, "whether it lies face down differs")
    if move.events != codec.dump_events(step.events):
        yield Difference(ply, "the events differ")


def _differences_of_seats(match: Match, state: Any) -> Iterator[Difference]:
    seats = match.read_seats()
    outcome = match.rules.outcome(state)
    if match.is_running and outcome is not None:
        yield Difference(match.ply, "the game is over and the match goes on")
    if match.ending == Match.Ending.PLAYED_OUT and outcome is None:
        yield Difference(match.ply, "the match is over and the game is not")
    if [seat.score for seat in seats] != list(match.rules.standing(state)):
        yield Difference(match.ply, "the scores differ")
    ranks = outcome.ranks if match.ending == Match.Ending.PLAYED_OUT and outcome else None
    if ranks is not None and [seat.rank for seat in seats] != list(ranks):
        yield Difference(match.ply, "the ranks differ")
    asked = Playing.load(match, match.created_at).course.asked if match.is_running else frozenset()
    if {seat.index for seat in seats if seat.is_waiting} != asked:
        yield Difference(match.ply, "who is waited for differs")
    if match.is_running and any(_has_wrong_address(seat) for seat in seats):
        yield Difference(match.ply, "a reply address differs")


def _has_wrong_address(seat: Seat) -> bool:
    return seat.token_hash is not None and seat.token_hash != seat.current_token_hash()
