"""From the truth (parts, options, live moves) to positions, and from the cached position to the rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games import deal
from games.chance import Chance
from games.contract import Event
from games.record import RESIGN
from gemserver.matches import codec
from gemserver.matches.models import Match, Move


def seed(match: Match) -> str:
    """The seed of a started match. Secret while it runs: never to leave the server."""
    return deal.seed(match.server_part, [seat.part for seat in match.seats.order_by("index")])


def options(match: Match) -> dict[str, str]:
    """The match's options by name."""
    return dict(pair.split("=", 1) for pair in match.options.split())


def chance(match: Match, ply: int) -> Chance:
    """The chance that move number `ply` (from 1) causes."""
    return Chance(seed(match), f"ply {ply}")


def first_position(match: Match) -> Any:
    """The position as dealt."""
    return match.rules.deal(
        seats=match.seat_count, options=options(match), chance=Chance(seed(match), "deal")
    )


def position(match: Match) -> Any:
    """The present position, from its cache."""
    return codec.load(match.rules.state_type, match.position)


def positions(match: Match) -> Iterator[tuple[Move | None, Any, tuple[Event, ...]]]:
    """Every position from the deal on, recomputed: the move that led there (None for the deal), state and events."""
    state = first_position(match)
    yield None, state, ()
    match_seed = seed(match)
    for move in match.moves.filter(voided_at=None).order_by("ply"):
        if move.text == RESIGN:  # changes who plays, not how it stands
            yield move, state, ()
            continue
        parsed = match.rules.parse(state, move.seat, move.text)
        step = match.rules.apply(state, move.seat, parsed, Chance(match_seed, f"ply {move.ply}"))
        state = step.state
        yield move, state, step.events


def position_at(match: Match, ply: int) -> Any:
    """The position after `ply` moves, recomputed from the deal."""
    for _, (_, state, _) in zip(range(ply + 1), positions(match), strict=False):
        reached = state
    return reached
