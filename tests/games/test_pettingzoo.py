"""Every game as an environment of PettingZoo, by PettingZoo's own test and by ours of secrecy."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="an extra: pip install 'gemgames[pettingzoo]'")

import numpy as np
from pettingzoo.test import api_test, seed_test

from games import registry
from games.adapters.pettingzoo import GameEnv, env, hash_facts
from games.chance import Chance
from tests.quick import first

SEATS = [
    (slug, seats)
    for slug in ("florentine", "gem", "gembatan", "gemessengers", "jewellers")
    for seats in (registry.game(slug).rules.meta.min_seats, registry.game(slug).rules.meta.max_seats)
]
FEW = 12
"""Actions after which a table is looked at."""


def _play(table: Any, most: int, seed: int = 5) -> None:
    """Take random choices, so many or to the end."""
    dice = np.random.default_rng(seed)
    for agent in table.agent_iter(most):
        observation, _reward, terminated, _truncated, _info = table.last()
        (legal,) = observation["action_mask"].nonzero()
        assert table.observation_space(agent).contains(observation)
        table.step(None if terminated else int(dice.choice(legal)))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), SEATS)
def test_it_passes_pettingzoos_own_test(game: str, seats: int, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        # Of bounds that it deems odd, and of a game that did not end within its few cycles.
        warnings.simplefilter("ignore", UserWarning)
        api_test(env(game, seats=seats), num_cycles=200)


@pytest.mark.parametrize("game", ["gem", "gemessengers"])
def test_the_same_seed_is_the_same_match(game: str) -> None:
    seed_test(lambda: env(game), num_cycles=20)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), SEATS)
def test_a_whole_match_ends_with_rewards_by_place(game: str, seats: int) -> None:
    table = GameEnv(game, seats=seats)
    table.reset(seed=3)
    told = dict.fromkeys(table.agents, 0.0)
    dice = np.random.default_rng(1)
    for agent in table.agent_iter(20_000):
        observation, reward, terminated, _truncated, _info = table.last()
        told[agent] += reward
        (legal,) = observation["action_mask"].nonzero()
        table.step(None if terminated else int(dice.choice(legal)))
    assert table.match.is_over
    assert table.match.outcome
    ranks = table.match.ranks
    assert sum(told.values()) == pytest.approx(0)
    best = max(told.values())
    assert [told[agent] == best for agent in table.possible_agents] == [rank == 1 for rank in ranks]


@pytest.mark.parametrize(("game", "seats"), SEATS)
def test_an_observation_follows_from_the_seats_view_alone(game: str, seats: int) -> None:
    """Draw anew what the seat cannot know: no number of its observation changes."""
    table = GameEnv(game, seats=seats)
    table.reset(seed=11)
    _play(table, FEW)
    rules, changed = table.match.game.rules, 0
    for agent, seat in table._seat_of.items():
        before = table.observe(agent)["observation"]
        state = table.match.state
        for sample in range(5):
            other = rules.resample(state, seat, Chance("other", f"sample {sample}"))
            changed += other != state
            assert (hash_facts(rules.view(other, seat)) == before).all()
    assert changed or not rules.meta.has_hidden


@pytest.mark.parametrize("game", first(2, ["florentine", "gem", "gembatan", "gemessengers", "jewellers"]))
def test_choices_in_steps_are_the_legal_moves(game: str) -> None:
    """With few actions every move is built in steps; what comes out is legal, and matches end all the same."""
    table = GameEnv(game, seats=2, actions=64)
    table.reset(seed=2)
    _play(table, 400)
    assert table.match.ply > 10


def test_where_all_decide_at_once_nobody_sees_the_others_choice() -> None:
    found = [slug for slug in registry.GAMES if registry.game(slug).rules.meta.has_sealed_picks]
    assert found, "some game has sealed picks"
    table = GameEnv(found[0], seats=2)
    table.reset(seed=4)
    while len(table.match.waiting) < 2:
        _play(table, 1)
    second = table.possible_agents[table.match.waiting[1]]
    before = table.observe(second)["observation"]
    first = table.agent_selection
    while table.agent_selection == first:
        table.step(0)
    assert table.agent_selection == second
    seen = table.observe(second)["observation"]
    other = GameEnv(found[0], seats=2)
    other.reset(seed=4)
    while len(other.match.waiting) < 2:
        _play(other, 1)
    last = int(other.observe(first)["action_mask"].sum()) - 1
    other.step(last)
    if other.agent_selection == second:
        assert (other.observe(second)["observation"] == seen).all()
    assert before.shape == seen.shape


def test_an_action_beside_the_mask_changes_nothing() -> None:
    table = GameEnv("gem", seats=2)
    table.reset(seed=1)
    with pytest.raises(ValueError, match="keep to the action mask"):
        table.step(255)
    assert table.match.ply == 0


def test_sealed_pace_is_refused() -> None:
    with pytest.raises(ValueError, match="leave the option out"):
        GameEnv("gem", seats=2, options="pace=sealed")


def test_too_few_actions_are_named() -> None:
    table = GameEnv("gembatan", seats=2, actions=1)
    with pytest.raises(ValueError, match="give more `actions`"):
        table.reset(seed=1)


def test_an_encoding_of_ones_own() -> None:
    table = GameEnv("gem", seats=2, encode=lambda view: np.array([view.reader or 0], dtype=np.float32))
    table.reset(seed=1)
    assert table.observation_space("A")["observation"].shape == (1,)
    assert table.observe("B")["observation"] == [1.0]


def test_without_pettingzoo_it_says_what_to_install_and_games_need_it_not() -> None:
    code = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pettingzoo", "numpy", "gymnasium"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import games.match, games.adapters
try:
    import games.adapters.pettingzoo
except ImportError as error:
    assert "gemgames[pettingzoo]" in str(error), error
else:
    raise AssertionError("it was imported")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
