"""Picks lie face down: nobody else is told of one, and step, bidders, context and claim name it a sealed pick."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from games.chance import Chance
from games.contract import Seat, Step
from games.testing.cases import Case, Played, list_moves, play_match
from games.testing.readers import list_readers, name_reader, tell_difference

FEW = 4
"""Other moves of the same seat that are tried at each ply."""


def test_bidders_have_a_contest(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        if bidders := rules.bidders(played.before):
            assert rules.context(played.before), (
                f"`bidders` are {sorted(bidders)}, but `context` names no contest"
            )


def test_a_sealed_move_is_a_pick_of_a_contest(case: Case) -> None:
    """It is kept as the sealed order of its seat, so the game must claim picks, name the contest, and list the seat."""
    rules = case.rules
    for played in play_match(case):
        if played.is_sealed:
            said = f"ply {played.ply}, {rules.write(played.move)}, is a step with `sealed`, but"
            assert rules.meta.has_sealed_picks, f"{said} the GameMeta does not claim `has_sealed_picks`"
            assert played.seat in rules.bidders(played.before), f"{said} `bidders` leave out its seat"
            assert rules.waiting_on(played.after) & rules.bidders(played.after), (
                f"{said} nobody else is to pick in this contest: the last pick shows them all, and is not sealed"
            )
            one, other = rules.context(played.before), rules.context(played.after)
            assert one == other, (
                f"{said} `context` is {other!r} after it and {one!r} before: its picks belong to one contest"
            )


@pytest.mark.claimed("sealed-picks")
def test_picks_that_are_claimed_lie_face_down(case: Case) -> None:
    assert any(played.is_sealed for played in play_match(case)), (
        "the GameMeta claims `has_sealed_picks`, but no step has `sealed`: the moves stand in the log of all"
    )


def test_a_move_that_others_see_nothing_of_is_sealed(case: Case) -> None:
    """If all moves of a seat look alike to the others, the move lies face down, and a log must not show its text."""
    for played, steps in _try_others(case):
        if played.is_sealed or not steps:
            continue
        others = [reader for reader in list_readers(case.seats) if reader != played.seat]
        assert not all(
            _look(case, step, reader) == _look(case, steps[0], reader) for step in steps for reader in others
        ) or not case.rules.waiting_on(played.after), (
            f"ply {played.ply}: nobody else sees what {case.rules.write(played.move)} does, but its step is not "
            "`sealed`, so that all read its text"
        )


def test_nobody_else_can_tell_a_sealed_move_from_another(case: Case) -> None:
    """Neither from the view, nor from the log, nor from what is redrawn for it."""
    rules = case.rules
    for played, steps in _try_others(case):
        for one, other in pairwise(steps if played.is_sealed else []):
            for reader in [reader for reader in list_readers(case.seats) if reader != played.seat]:
                who = f"ply {played.ply}: {name_reader(reader)} can tell sealed moves of another seat apart"
                seen = tell_difference(rules.view(one.state, reader), rules.view(other.state, reader))
                assert not seen, f"{who}, by the view: {seen}"
                told = [[event for event in step.events if event.visible_to(reader)] for step in (one, other)]
                assert told[0] == told[1], (
                    f"{who}, by an event that needs an `audience`: {told[0]} or {told[1]}"
                )
                kept = tell_difference(
                    *(
                        rules.resample(step.state, reader, Chance(case.seed, "redraw"))
                        for step in (one, other)
                    )
                )
                assert not kept, f"{who}: `resample` keeps the pick instead of redrawing it: {kept}"


def _try_others(case: Case) -> Iterator[tuple[Played, list[Step[Any]]]]:
    """Each ply whose seat had a choice, with what its first moves would have led to, its own included."""
    rules = case.rules
    for played in play_match(case):
        legal = list_moves(rules, played.before, played.seat) or []
        moves = [played.move, *[move for move in legal if move != played.move][:FEW]]
        if len(moves) > 1 and not _is_laid(case, played.before, played.seat):
            yield (
                played,
                [rules.apply(played.before, played.seat, move, Chance(*played.chance)) for move in moves],
            )


def _is_laid(case: Case, state: Any, seat: Seat) -> bool:
    """The seat has picked already; to pick the same again may be told in another way than to change it."""
    return seat not in case.rules.waiting_on(state)


def _look(case: Case, step: Step[Any], reader: Seat | None) -> tuple[Any, list[Any]]:
    return case.rules.view(step.state, reader), [event for event in step.events if event.visible_to(reader)]
