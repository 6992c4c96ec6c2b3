"""Moves as they are listed, written, built piece by piece, and refused."""

from __future__ import annotations

from string import ascii_lowercase, digits
from typing import Any

import msgspec

from games.chance import Chance
from games.contract import GameError, IllegalMove, InvalidMove, Seat
from games.record import RESIGN
from games.testing.cases import AnyRules, Case, list_moves, may_change, play_match
from games.testing.host_words import HOST_WORDS
from games.testing.readers import TR

SLIPS = 150
"""Moves with one letter or digit changed, that are tried in a match."""


def test_the_written_move_reads_as_the_same_move(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        moves = list_moves(rules, played.before, played.seat) or [played.move]
        texts = [rules.write(move) for move in moves]
        twice = sorted({text for text in texts if texts.count(text) > 1})
        assert not twice, f"ply {played.ply}: these texts are written for several legal moves each: {twice}"
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
            assert step.state != played.before or may_change(rules, step.state, played.seat), (
                f"ply {played.ply}: {rules.write(move)} changes nothing"
            )
            assert msgspec.json.encode(played.before) == stored, (
                f"ply {played.ply}: `apply` of {rules.write(move)} has changed the position that it was given"
            )


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
                    assert_is_refused(case, played.before, seat, move)


def test_a_slip_of_the_pen_plays_nothing_that_is_not_listed(case: Case) -> None:
    """Moves of the match with one sign changed: what can still be read is a legal move, or refused by `apply`."""
    rules, dice = case.rules, Chance(case.seed, "slips")
    match = play_match(case)
    for _ in range(SLIPS):
        played = match[dice.below(len(match))]
        legal = list_moves(rules, played.before, played.seat)
        text = rules.write(played.move)
        place = dice.below(len(text))
        signs = next((signs for signs in (ascii_lowercase, digits) if text[place].lower() in signs), "")
        if legal is None or not signs:
            continue
        slip = text[:place] + signs[dice.below(len(signs))] + text[place + 1 :]
        try:
            move = rules.parse(played.before, played.seat, slip)
        except GameError:
            continue
        if move not in legal:
            assert_is_refused(case, played.before, played.seat, move)


def assert_is_refused(case: Case, state: Any, seat: Seat, move: Any) -> None:
    """`apply` raises IllegalMove for a move that is not listed."""
    try:
        case.rules.apply(state, seat, move, Chance(case.seed, "refused"))
    except IllegalMove:
        return
    raise AssertionError(f"`apply` plays {case.rules.write(move)}, which `legal_moves` does not list")


def test_a_written_move_means_the_same_in_every_position(case: Case) -> None:
    """Records, plans and sealed orders keep its text, a plan also for later."""
    rules = case.rules
    read = case.game.read_later or rules.parse
    match = play_match(case)
    some = match[:: max(1, len(match) // 12)]
    for played in some:
        text = rules.write(played.move)
        for other in some:
            try:
                move = read(other.before, played.seat, text)
            except IllegalMove as refusal:
                raise AssertionError(
                    f"reading {text!r} raises {refusal}: only `apply` knows what is legal"
                ) from refusal
            except InvalidMove as refusal:
                if not rules.meta.contests:  # no plan holds more than the next move
                    continue
                raise AssertionError(
                    f"{text!r}, a legal move at ply {played.ply}, cannot be read at ply {other.ply} ({refusal}): "
                    "a plan may hold moves of every phase"
                ) from refusal
            assert move == played.move, (
                f"{text!r} is {played.move} at ply {played.ply}, at ply {other.ply} it is {move}"
            )


def test_no_move_begins_with_a_word_of_the_host(case: Case) -> None:
    """By mail that line would be a command."""
    for played in play_match(case):
        word = case.rules.write(played.move).split()[0].lower()
        assert word not in HOST_WORDS | {RESIGN}, (
            f"a mail that begins with “{word}” is a command: take another verb"
        )


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
            built = collect_steps(rules, played.before, seat)
            listed = {rules.write(move) for move in legal}
            assert built == listed, (
                f"ply {played.ply}: `steps` do not reach {sorted(listed - built)[:5]}, "
                f"but {sorted(built - listed)[:5]}, which `legal_moves` does not list"
            )


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
