"""Moves as they are listed, written, built piece by piece, and refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from games.chance import Chance
from games.contract import IllegalMove, Seat
from games.testing.cases import AnyRules, Case, list_moves, may_change, play_match
from games.testing.readers import TR


def test_the_written_move_reads_as_the_same_move(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        moves = list_moves(rules, played.before, played.seat) or [played.move]
        texts = [rules.write(move) for move in moves]
        assert len(set(texts)) == len(texts)
        for move, text in zip(moves, texts, strict=True):
            assert rules.parse(played.before, played.seat, text) == move
            assert rules.parse(played.before, played.seat, f"  {text.upper()}. ".replace(" ", "  ")) == move
            assert text == " ".join(text.split())
            assert ";" not in text


def test_legal_moves_apply_and_leave_the_position_untouched(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        stored = msgspec.json.encode(played.before)
        for move in (list_moves(rules, played.before, played.seat) or [played.move])[:40]:
            step = rules.apply(played.before, played.seat, move, Chance(*played.chance))
            assert step.state != played.before or may_change(rules, step.state, played.seat)
        assert msgspec.json.encode(played.before) == stored


def test_moves_outside_the_legal_list_are_refused(case: Case) -> None:
    """Every move played in this match is tried in other positions, by every seat."""
    rules = case.rules
    match = play_match(case)
    others = list(dict.fromkeys(played.move for played in match))
    for played in match[::5]:
        for seat in range(case.seats):
            legal = list_moves(rules, played.before, seat)
            if legal is None:
                continue
            for move in others[played.ply % 3 :: 3]:
                if move not in legal:
                    with pytest.raises(IllegalMove):
                        rules.apply(played.before, seat, move, Chance(*played.chance))


def test_random_default_and_forced_moves_are_legal(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for seat in rules.waiting_on(played.before):
            default = rules.default_move(played.before, seat)
            rules.apply(played.before, seat, default, Chance(*played.chance))
            legal = list_moves(rules, played.before, seat)
            if legal is not None:
                assert default in legal
                assert rules.random_move(played.before, seat, Chance(case.seed, "any")) in legal
        forced = rules.forced_move(played.before)
        if forced is not None:
            seat, move = forced
            assert seat in rules.waiting_on(played.before)
            assert list(rules.legal_moves(played.before, seat)) == [move]


def test_steps_reach_exactly_the_legal_moves(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for seat in range(case.seats):
            legal = list_moves(rules, played.before, seat)
            if legal is None:
                continue
            assert collect_steps(rules, played.before, seat) == {rules.write(move) for move in legal}


def collect_steps(rules: AnyRules, state: Any, seat: Seat) -> set[str]:
    """The canonical texts of all moves that can be built; no choice may lead nowhere."""
    complete: set[str] = set()
    seen: set[str] = set()
    waiting = [""]
    while waiting:
        partial = waiting.pop()
        for choice in rules.steps(state, seat, partial):
            assert choice.label.text(TR)
            if choice.text in seen:
                continue
            seen.add(choice.text)
            if choice.complete:
                complete.add(rules.write(rules.parse(state, seat, choice.text)))
            else:
                assert rules.steps(state, seat, choice.text), f"{choice.text} leads nowhere"
            waiting.append(choice.text)
    return complete
