"""Any game as an environment of PettingZoo, to train players in: `pip install gemgames[pettingzoo]`.

    from games.adapters.pettingzoo import env

    table = env("gem", seats=3)
    table.reset(seed=7)
    for agent in table.agent_iter():
        observation, reward, terminated, truncated, info = table.last()
        over = terminated or truncated
        table.step(None if over else table.action_space(agent).sample(observation["action_mask"]))

*Observation.* Whatever stands in the seat's own view, and nothing else: each fact is counted into one of `features`
numbers, chosen by a hash of its name, so that every game of the contract has a space of one size. Give `encode` to
make an array of the view in your own way; the view itself is `info["view"]`.

*Action.* The number of one of `info["choices"]`, texts of the notation. These are all legal moves; where there are
more than `actions`, the move is built in steps, and the same agent is asked until it is whole; a beginning that is a
move as it stands, and can also go on, stands there twice, first as a whole move. The mask tells how many
choices there are.

*Turns.* Forced moves play themselves. Where several seats decide at once they are asked one after the other, and none
sees in its view what another has chosen. Contests are played at the table: `pace=sealed` is a host's business.

*Reward.* At the end, from 1 for the first to -1 for the last; who shares a place shares its reward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from itertools import islice
from typing import Any
from zlib import crc32

from games.contract import Game, seat_letter
from games.match import Match

try:
    import numpy as np
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(
        f"games.adapters.pettingzoo needs {error.name}; install it with: pip install 'gemgames[pettingzoo]'",
        name=error.name,
    ) from error

ACTIONS, FEATURES = 256, 2048

Encode = Callable[[Any], "np.ndarray[Any, Any]"]
"""Turns a view into an array, of one shape for all views of a match."""


def env(game: str | Game, **given: Any) -> Any:
    """The environment behind the usual wrappers; `given` as for `GameEnv`."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(GameEnv(game, **given)))


def hash_facts(view: Any, features: int = FEATURES) -> np.ndarray[Any, Any]:
    """Count every fact of a view into one of so many numbers, chosen by a hash of its name."""
    found = np.zeros(features, dtype=np.float32)
    for name, number in list_facts(view):
        found[crc32(name.encode()) % features] += number
    return found


def list_facts(part: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Yield each fact of a view as a name and a number: numbers under their place, words as part of the name."""
    if is_dataclass(part):
        for field in fields(part):
            yield from list_facts(getattr(part, field.name), f"{name}.{field.name}")
    elif isinstance(part, Mapping):
        for key in part:
            yield from list_facts(part[key], f"{name}[{key}]")
    elif isinstance(part, set | frozenset):
        for each in sorted(part, key=repr):
            yield f"{name}: {each}", 1.0
    elif isinstance(part, Sequence) and not isinstance(part, str):
        yield f"{name}#", float(len(part))
        for number, each in enumerate(part):
            yield from list_facts(each, f"{name}[{number}]")
    elif isinstance(part, int) and not isinstance(part, bool | Enum):
        yield name, float(part)
    else:
        yield f"{name}= {part}", 1.0


class GameEnv(AECEnv):  # type: ignore[misc]
    """One table of a game; its agents are the seats, called as in the notation."""

    def __init__(
        self,
        game: str | Game,
        *,
        seats: int | None = None,
        options: str | Mapping[str, str] = "",
        actions: int = ACTIONS,
        features: int = FEATURES,
        encode: Encode | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._game, self._options, self.render_mode = game, options, render_mode
        self._encode: Encode = encode or partial(hash_facts, features=features)
        self._actions = actions
        self.match = Match.new(game, seats=seats, options=options, seed="space")
        if self.match.options.get("pace") == "sealed":
            raise ValueError("pace=sealed is settled by a host from orders; leave the option out")
        meta = self.match.game.rules.meta
        self.metadata = {
            "name": f"{meta.slug}_v{meta.version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.possible_agents = [seat_letter(seat) for seat in range(len(self.match.players))]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        facts = self._encode(self.match.view(0))
        self._space = spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, facts.shape, facts.dtype.type),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self._action_space = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._begun = ""
        self._choices: list[tuple[str, bool]] = []

    def observation_space(self, agent: str) -> Any:
        return self._space

    def action_space(self, agent: str) -> Any:
        return self._action_space[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Deal a new match: the same for the same seed, any without one."""
        self.match = Match.new(
            self._game,
            seats=len(self.possible_agents),
            options=self._options,
            seed=None if seed is None else f"seed {seed}",
        )
        self._begun, self.agents = "", list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._ask()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the seat's own view as numbers, and the mask of its choices: empty unless it is asked."""
        mask = np.zeros(self._actions, dtype=np.int8)
        if agent == self.agent_selection and not self.match.is_over:
            mask[: len(self._choices)] = 1
        return {"observation": self._encode(self.match.view(self._seat_of[agent])), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take one of the choices. Raises ValueError for an action that the mask leaves out; nothing changes then."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < len(self._choices):
            raise ValueError(f"{action} is none of the {len(self._choices)} choices; keep to the action mask")
        self._cumulative_rewards[agent] = 0.0
        text, is_whole = self._choices[action]
        if is_whole:
            self.match.play(text, self._seat_of[agent])
            self._begun = ""
        else:
            self._begun = text
        self._ask()
        self._accumulate_rewards()

    def render(self) -> str:
        """The board in words, as a spectator sees it."""
        return self.match.draw()

    def close(self) -> None:
        """There is nothing to close."""

    def _ask(self) -> None:
        """Put the next question, after all that plays itself; or end."""
        while not self._begun and self.match.play_forced():
            pass
        self._clear_rewards()
        if self.match.is_over:
            self._choices = []
            self.rewards.update(zip(self.possible_agents, _rewards(self.match.ranks), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            seat = self.match.waiting[0]
            self.agent_selection = seat_letter(seat)
            self._choices = self._list_choices(seat)
        for agent, seat in self._seat_of.items():
            asked = [text for text, _whole in self._choices] if agent == self.agent_selection else []
            self.infos[agent] = {"choices": asked, "view": self.match.view(seat)}

    def _list_choices(self, seat: int) -> list[tuple[str, bool]]:
        """The texts to choose from, and whether each is a whole move. Raises ValueError where they are too many."""
        match = self.match
        if not self._begun:
            moves = match.legal(seat, self._actions + 1)
            if len(moves) <= self._actions:
                return [(text, True) for text in moves]
        found: list[tuple[str, bool]] = []
        for choice in match.game.rules.steps(match.state, seat, self._begun):
            can_go_on = not choice.complete or self._goes_on(seat, choice.text)
            found += [(choice.text, True)] if choice.complete else []
            found += [(choice.text, False)] if can_go_on else []
        if len(found) > self._actions:
            raise ValueError(
                f"{len(found)} choices are more than the {self._actions} actions; give more `actions`"
            )
        return found

    def _goes_on(self, seat: int, text: str) -> bool:
        return any(islice(self.match.game.rules.steps(self.match.state, seat, text), 1))


def _rewards(ranks: Sequence[int]) -> list[float]:
    """From 1 for the first to -1 for the last; equal places share, and all together get nothing."""
    others = len(ranks) - 1
    return [
        (sum(rank < other for other in ranks) - sum(rank > other for other in ranks)) / others
        for rank in ranks
    ]
