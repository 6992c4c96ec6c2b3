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

MOST_JUDGED = 1500
"""Positions that the normal bot may judge for one move, where the game has an evaluation of its own."""
MOST_PLAYED = 8000
"""Moves that it may play in its head."""


def positions(slug: str, seats: int, every: int) -> Iterator[tuple[Case, Any, Seat]]:
    """Some positions of a random match in which the seat has a choice."""
    case = next(case for case in CASES if (case.slug, case.seats) == (slug, seats))
    for played in play_match(case)[::every]:
        if not case.rules.forced_move(played.before):
            yield case, played.before, played.seat


@pytest.mark.parametrize("slug", OWN)
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


@pytest.mark.parametrize("seats", [3, 4])
def test_normal_costs_no_more_than_easy_where_it_is_no_stronger(seats: int) -> None:
    """In Jewellers with more than two seats playouts lose to the easy bot, so both levels play alike."""
    tried = 0
    for place, (case, state, seat) in enumerate(positions("jewellers", seats, 5)):
        easy, normal = (
            bots.choose(level, case.game, state, seat, Chance("s", f"{place}"))
            for level in ("easy", "normal")
        )
        assert easy == normal
        tried += 1
    assert tried > 5


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


@pytest.mark.parametrize("slug", OWN)
def test_the_work_for_one_move_is_bounded(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: with the most seats, at any stage of a match."""
    meta = GAMES[slug].rules.meta
    tried = 0
    for case, state, seat in positions(slug, meta.max_seats, 23):
        with counted(monkeypatch, slug) as work:
            bots.choose("normal", case.game, state, seat, Chance("s", "work"))
        assert work["judged"] <= MOST_JUDGED
        assert work["played"] <= MOST_PLAYED
        tried += 1
        if tried == 4:
            break
    assert tried


def test_a_move_of_gembatan_with_four_players_judges_few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judging one takes some 3 ms there."""
    tried = 0
    for case, state, seat in positions("gembatan", 4, 9):
        with counted(monkeypatch, "gembatan") as work:
            bots.choose("normal", case.game, state, seat, Chance("s", "work"))
        assert work["judged"] <= 40
        tried += 1
        if tried == 6:
            break
    assert tried
