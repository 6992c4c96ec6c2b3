"""A costlier level of the computer players plays differently, and none works for long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from games import bots
from games.chance import Chance
from games.contract import Seat
from games.registry import GAMES, OWN
from tests.games.playing import CASES, Case, play_match
from tests.quick import first

MOST_PLAYED = {"normal": 20_000, "hard": 40_000}
"""Moves that each level may play in its head."""


def positions(slug: str, seats: int, every: int) -> Iterator[tuple[Case, Any, Seat]]:
    """Some positions of a random match in which the seat has a choice."""
    case = next(case for case in CASES if (case.slug, case.seats) == (slug, seats))
    for played in play_match(case)[::every]:
        if not case.rules.forced_move(played.before):
            yield case, played.before, played.seat


@pytest.mark.slow
@pytest.mark.parametrize("slug", first(1, OWN))
def test_normal_does_not_play_as_easy(slug: str) -> None:
    """At its full strength it chooses another move in at least two positions of a match."""
    meta = GAMES[slug].rules.meta
    differing = 0
    for place, (case, state, seat) in enumerate(positions(slug, meta.min_seats, 7)):
        chosen = [
            bots.choose(level, case.game, state, seat, Chance("s", f"{place}"))
            for level in ("easy", "normal")
        ]
        differing += chosen[0] != chosen[1]
        if differing == 2:
            break
    assert differing >= 2


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch, slug: str) -> Iterator[dict[str, int]]:
    """Count the positions judged and the moves played."""
    entry = GAMES[slug]
    work = {"judged": 0, "played": 0}
    evaluate, apply = entry.evaluate, entry.rules.apply

    def judge(state: Any, seat: Seat) -> float:
        work["judged"] += 1
        assert evaluate
        return evaluate(state, seat)

    def play(*arguments: Any) -> Any:
        work["played"] += 1
        return apply(*arguments)

    with monkeypatch.context() as patched:
        patched.setitem(GAMES, slug, replace(entry, evaluate=judge))  # type: ignore[arg-type]
        patched.setattr(type(entry.rules), "apply", lambda rules, *arguments: play(*arguments))
        yield work


@pytest.mark.parametrize("level", first(1, MOST_PLAYED))
@pytest.mark.parametrize("slug", first(1, OWN))
def test_the_work_for_one_move_is_bounded(slug: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: with the most seats, at any stage of a match; twice the simulations are twice the work."""
    meta = GAMES[slug].rules.meta
    few = {"normal": 20, "hard": 40}[level]
    tried = 0
    for case, state, seat in positions(slug, meta.max_seats, 23):
        with counted(monkeypatch, slug) as work:
            bots.choose(level, case.game, state, seat, Chance("s", "work"), few)
        assert work["played"] <= MOST_PLAYED[level]
        tried += 1
        if tried == 2:
            break
    assert tried
