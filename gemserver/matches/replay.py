"""Rebuilds positions from the truth (parts, options, live moves), and reads the cached one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from games import deal, plies
from games.chance import NO_SEED
from games.contract import Step
from games.record import RESIGN, Record
from games.replay import begin
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import codec
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.offered.asked_rules import ask_rules_of


def seed(match: Match, seats: Iterable[Seat] | None = None) -> str:
    """The seed of a started match. It is secret while the match runs and must not leave the server.

    `seats`: the match's seats in order, if the caller has read them already.
    """
    if match.dealt_by is not None:
        return str(match.dealt_by.get("seed", NO_SEED))
    if seats is None:
        seats = match.read_seats()
    return deal.seed(match.server_part, [seat.part for seat in seats])


def options(match: Match) -> dict[str, str]:
    """The match's options by name."""
    return dict(pair.split("=", 1) for pair in match.options.split())


def imported_record(match: Match) -> Record:
    """The headers that set up the deal, from the record the match was imported from."""
    dealt = match.dealt_by or {}
    return Record(
        game=match.game,
        version=match.rules_version,
        players=("?",) * match.seat_count,
        options=match.options,
        seed=dealt.get("seed"),
        deal=dealt.get("deal"),
        first=dealt.get("first", 0),
        ages=tuple(dealt.get("ages", ())),
    )


def first_position(match: Match) -> Any:
    """The position as dealt."""
    return _deal(match, seed(match))


def _deal(match: Match, match_seed: str) -> Any:
    ask_rules_of(match.pk)
    if match.dealt_by is not None:
        return begin(imported_record(match)).state
    return plies.deal(match.rules, match.seat_count, options(match), match_seed)


def position(match: Match) -> Any:
    """The present position, read from the cache."""
    ask_rules_of(match.pk)
    return codec.load(match.rules.state_type, match.position)


def moves(match: Match) -> QuerySet[Move]:
    """The live moves in order, including those that lie face down."""
    return match.moves.filter(voided_at=None).order_by("ply")


_live_moves = Prepared(lambda: Move.objects.filter(match=Param("match"), voided_at=None).order_by("ply"))


_live_texts = Prepared(
    lambda: (
        Move.objects.filter(match=Param("match"), voided_at=None, ply__lte=Param("ply"))
        .order_by("ply")
        .values_list("ply", "seat", "text")
    )
)


def steps(match: Match) -> Iterator[tuple[Move | None, Step[Any]]]:
    """Recompute every step, beginning with the deal (move None). Raises GameError at an impossible move."""
    moves = _live_moves(match=match.pk)
    for move in moves:
        move.match = match
    played = _play(match, seed(match), [(move.ply, move.seat, move.text) for move in moves])
    yield from zip([None, *moves], played, strict=True)


def _play(match: Match, match_seed: str, moves: Iterable[tuple[int, int, str]]) -> Iterator[Step[Any]]:
    """The deal, and the step of each move, which is given as ply, seat and text."""
    step: Step[Any] = Step(_deal(match, match_seed))
    yield step
    for ply, seat, text in moves:
        if text == RESIGN:  # changes the players, not the position
            step = Step(step.state)
        else:
            _, step = plies.play_text(match.rules, step.state, seat, text, match_seed, ply)
        yield step


def position_at(match: Match, ply: int, match_seed: str | None = None) -> Any:
    """The position after `ply` moves, recomputed from the deal; `match_seed` if the caller knows it already."""
    moves = _live_texts(match=match.pk, ply=ply)
    *_, reached = _play(match, match_seed or seed(match), moves)
    return reached.state
