"""Computer players: legal, repeatable, without knowledge they cannot have, and better than chance."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from games import bots, playouts, plies
from games.bench import measure_speed
from games.chance import Chance
from games.contract import Game, Seat
from games.orders import check_order, list_choosers
from games.registry import GAMES, OWN
from tests.games.playing import CASES, Case, deal, play_match
from tests.quick import first

FEW = 6
"""Simulations for one move: enough to run every line, cheap enough for every game."""


@pytest.mark.slow
@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("slug", OWN)
def test_the_same_chance_gives_the_same_move(slug: str, level: str) -> None:
    case = next(case for case in CASES if case.slug == slug)
    state = deal(case)
    seat = min(case.rules.waiting_on(state))
    moves = [bots.choose(level, case.game, state, seat, Chance("s", "bot"), FEW) for _ in range(2)]
    assert moves[0] == moves[1]


MATCHES_OF_A_POLICY = """
from games.chance import Chance
from games.match import Match
from games.registry import GAMES

game = GAMES[{slug!r}]
for number in range(20):
    match = Match.new({slug!r}, seats=game.rules.meta.max_seats, seed=f"p{{number}}")
    while not match.is_over:
        seat = match.waiting[0]
        match.play_move(seat, game.policy(match.state, seat, Chance("policy", str(match.ply))))
    print(match.record())
"""


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_a_policy_plays_alike_in_every_process(slug: str) -> None:
    """Each process lists a set of words in an order of its own, and a sum of fractions depends on their order."""
    told = {
        subprocess.run(
            [sys.executable, "-c", MATCHES_OF_A_POLICY.format(slug=slug)],
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.curdir},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "3")
    }
    assert len(told) == 1
    assert all(told)


@pytest.mark.slow
@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("slug", OWN)
def test_a_bot_does_not_look_at_what_its_seat_cannot_know(slug: str, level: str) -> None:
    """In two positions that its seat cannot tell apart the same chance gives the same move."""
    case = next(case for case in CASES if case.slug == slug)
    rules = case.rules
    for played in play_match(case)[::9]:
        seat = min(rules.waiting_on(played.before))
        other = rules.resample(played.before, seat, Chance("other", "redraw"))
        moves = [
            bots.choose(level, case.game, state, seat, Chance("s", "bot"), FEW)
            for state in (played.before, other)
        ]
        assert moves[0] == moves[1]


@pytest.mark.slow
@pytest.mark.parametrize("level", bots.LEVELS)
@pytest.mark.parametrize("slug", [slug for slug in OWN if GAMES[slug].sealed_pace])
def test_a_bot_orders_for_every_contest_without_looking_at_what_is_hidden(slug: str, level: str) -> None:
    entry = GAMES[slug]
    case = next(case for case in CASES if case.slug == slug and case.seats == 3)
    contests = [played.before for played in play_match(case) if entry.rules.bidders(played.before)]
    for state in contests[::11]:
        for seat in list_choosers(entry, state):
            other = entry.rules.resample(state, seat, Chance("other", "redraw"))
            orders = [
                bots.choose_order(level, entry, one, seat, Chance("s", "bot"), FEW) for one in (state, other)
            ]
            assert orders[0] == orders[1]
            check_order(entry, state, seat, orders[0])


def test_hard_plays_the_end_of_an_open_match_without_a_mistake() -> None:
    """Where no other end is better for the seat, however both go on, it is reached or a better one."""
    game = GAMES["florentine"]
    rules = game.rules
    tried = 0
    for number in range(40):
        state = plies.deal(rules, 2, {}, f"open {number}")
        chance = Chance(f"open {number}", "moves")
        while state.phase != "black":
            seat = min(rules.waiting_on(state))
            if state.phase == "pool" and len(state.pool) <= 12:
                values = {
                    move: _play_to_the_end(game, rules.apply(state, seat, move, chance).state, seat)
                    for move in rules.legal_moves(state, seat)
                }
                if len(set(values.values())) > 1 and None not in values.values():
                    move = bots.choose("hard", game, state, seat, chance, 200)
                    assert values[move] == max(values.values())
                    tried += 1
            state = rules.apply(state, seat, rules.random_move(state, seat, chance), chance).state
    assert tried >= 3


def _play_to_the_end(game: Game, state: Any, seat: Seat) -> int | None:
    """The lead of the seat when the black cards are laid well; None where more cards can be placed."""
    rules = game.rules
    if state.phase != "black":
        return None
    for reached in plies.follow(
        rules,
        state,
        lambda state, turn: (
            rules.apply(state, turn, rules.default_move(state, turn), Chance("open", "black")).state
        ),
    ):
        state = reached
    scores = rules.standing(state)
    return scores[seat] - scores[1 - seat]


def test_an_unknown_level_is_refused() -> None:
    state = deal(CASES[0])
    with pytest.raises(ValueError, match="no bot plays at level"):
        bots.choose("genius", CASES[0].game, state, min(CASES[0].rules.waiting_on(state)), Chance("s", "bot"))


def test_candidates_are_sampled_where_moves_are_too_many() -> None:
    """Every sampled candidate is legal, the default move is among them, and there are not too many."""
    for case in CASES:
        rules = case.rules
        for played in play_match(case)[::7]:
            candidates = playouts.list_candidates(rules, played.before, played.seat, Chance("s", "bot"))
            assert 1 <= len(candidates) <= playouts.MOST_CANDIDATES
            assert len(set(candidates)) == len(candidates)
            for move in candidates[:5]:
                rules.apply(played.before, played.seat, move, Chance(*played.chance))


@pytest.mark.parametrize("case", [case for case in CASES if case.game.suggest], ids=str)
def test_suggested_moves_are_legal(case: Case) -> None:
    """Every seat that is waited for has one at least, and none comes twice."""
    suggest = case.game.suggest
    assert suggest
    for played in play_match(case)[::5]:
        for seat in case.rules.waiting_on(played.before):
            moves = suggest(played.before, seat)
            assert moves
            assert len(set(moves)) == len(moves)
            for move in moves:
                case.rules.apply(played.before, seat, move, Chance(*played.chance))


@pytest.mark.slow
@pytest.mark.parametrize("slug", first(1, OWN))
def test_speed_is_measured(slug: str) -> None:
    speed = measure_speed(slug, repetitions=1)
    assert speed.least <= speed.median <= speed.most
    assert speed.ratio > 0
