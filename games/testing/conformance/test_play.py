"""Whole random matches keep to the rules: they end, lose nothing, and can be played again from seed and texts."""

from __future__ import annotations

import re

import msgspec
import pytest

from games.chance import Chance
from games.contract import MOST_POINTS, IllegalMove
from games.testing.answers import expect_answers
from games.testing.cases import Case, deal, list_positions, play_match


def test_random_play_ends_within_max_plies(case: Case) -> None:
    rules = case.rules
    match = play_match(case)
    asked = [played for played in match if played.seat in rules.waiting_on(played.before)]
    most = rules.meta.max_plies
    assert rules.waiting_on(match[-1].after) == frozenset(), (
        f"after {len(match)} plies (max_plies: {most}) no end"
    )
    assert len(asked) <= most, (
        f"a match had {len(asked)} plies, though `max_plies` says that {most} are the most"
    )


def test_whoever_is_waited_for_has_a_legal_move(case: Case) -> None:
    rules = case.rules
    for played in play_match(case):
        for seat in rules.waiting_on(played.before):
            assert next(rules.legal_moves(played.before, seat), None) is not None


def test_no_call_takes_longer_than_a_server_waits(case: Case) -> None:
    for played in play_match(case)[::5]:
        expect_answers(case.game, case.seats, played.before, played.seat, played.chance)


@pytest.mark.claimed("pieces")
def test_every_component_is_accounted_for_at_every_ply(case: Case) -> None:
    list_pieces = case.game.list_pieces
    assert list_pieces is not None
    first = list_pieces(deal(case))
    assert first.total() > 0
    for played in play_match(case):
        now = list_pieces(played.after)
        assert now == first, f"ply {played.ply}: lost {dict(first - now)}, appeared {dict(now - first)}"


def test_seed_and_texts_rebuild_identical_positions(case: Case) -> None:
    rules = case.rules
    state = deal(case)
    for played in play_match(case):
        move = rules.parse(state, played.seat, rules.write(played.move))
        step = rules.apply(state, played.seat, move, Chance(*played.chance))
        assert step.state == played.after, f"ply {played.ply}"
        assert step.events == played.events, f"ply {played.ply}"
        state = step.state


def test_a_position_survives_being_stored(case: Case) -> None:
    for state in list_positions(case):
        try:
            hash(state)
        except TypeError as error:
            raise AssertionError(
                f"a position can be changed ({error}): frozen dataclasses, tuples, frozensets"
            ) from error
        stored = msgspec.json.encode(state)
        assert msgspec.json.decode(stored, type=case.rules.state_type) == state


def test_over_means_over(case: Case) -> None:
    rules = case.rules
    match = play_match(case)
    for played in match:
        assert rules.outcome(played.before) is None
        assert len(rules.standing(played.before)) == len(rules.ranks(played.before)) == case.seats
    over = match[-1].after
    outcome = rules.outcome(over)
    assert outcome is not None
    assert tuple(rules.standing(over)) == outcome.scores, "`standing` and `outcome` give other scores"
    assert tuple(rules.ranks(over)) == outcome.ranks, "`ranks` and `outcome` give other ranks"
    assert min(outcome.ranks) == 1
    for rank in outcome.ranks:
        assert sum(other < rank for other in outcome.ranks) == rank - 1
    assert rules.context(over) is None
    assert rules.bidders(over) == frozenset()
    assert rules.forced_move(over) is None
    for seat in range(case.seats):
        assert list(rules.legal_moves(over, seat)) == []
        assert list(rules.steps(over, seat, "")) == []
        with pytest.raises(IllegalMove):
            rules.apply(over, seat, match[-1].move, Chance(case.seed, "late"))


def test_scores_are_whole_numbers_that_a_server_can_keep(case: Case) -> None:
    for state in list_positions(case):
        for score in case.rules.standing(state):
            is_kept = type(score) is int and abs(score) <= MOST_POINTS
            assert is_kept, f"`standing` gives {score!r}: a score is a whole number of at most {MOST_POINTS}"


def test_a_contest_is_called_by_one_of_its_names(case: Case) -> None:
    """Its name stands in records and subjects, in one line, and is translated by `GameMeta.contests`."""
    rules = case.rules
    names = [re.escape(name.template).replace(r"\{\}", "[0-9]+") for name in rules.meta.contests]
    for state in list_positions(case):
        context = rules.context(state)
        assert context is None or any(re.fullmatch(name, context) for name in names), (
            f"`context` calls a contest {context!r}, which `GameMeta.contests` does not list: Message('round {{}}')"
        )


def test_a_better_score_never_has_a_worse_rank(case: Case) -> None:
    rules = case.rules
    for state in list_positions(case):
        scores, ranks = rules.standing(state), rules.ranks(state)
        for one in range(case.seats):
            for other in range(case.seats):
                assert scores[one] <= scores[other] or ranks[one] < ranks[other]
