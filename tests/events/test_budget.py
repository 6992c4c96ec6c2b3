"""The clock of a season: all budgets fit before its end, and only lengths in which people finish are offered."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from games.registry import GAMES
from gemserver.events.arithmetic.budget import (
    CLOSING,
    SEASON_DAYS,
    bank_for,
    offered_lengths,
)
from gemserver.events.arithmetic.needed_hours import NEEDED_HOURS
from tests.simulation.budgets import WAITS, draw_wait, measure


@pytest.mark.parametrize("days", SEASON_DAYS)
@pytest.mark.parametrize("seats", range(2, 9))
def test_all_budgets_one_after_another_end_before_bots_close_the_season(days: int, seats: int) -> None:
    bank = bank_for(days, seats)
    assert bank * seats + CLOSING < timedelta(days=days)
    assert bank * seats + timedelta(days=2) <= timedelta(days=days), "so much is left for outages"
    assert bank % timedelta(days=1) == timedelta(0), "whole days, as a person would choose"
    assert bank > timedelta(0)


def test_every_game_of_the_house_was_measured_at_each_of_its_tables() -> None:
    asked = {
        (slug, seats, is_sealed)
        for slug, entry in GAMES.items()
        for seats in range(entry.rules.meta.min_seats, entry.rules.meta.max_seats + 1)
        for is_sealed in ([False, True] if entry.sealed_pace else [False])
    }
    assert asked == set(NEEDED_HOURS)
    for game, seats, is_sealed in asked:
        offered = offered_lengths(game, seats, is_sealed=is_sealed)
        assert offered == SEASON_DAYS[-len(offered) :]
        assert all(
            bank_for(days, seats) >= timedelta(hours=NEEDED_HOURS[game, seats, is_sealed]) for days in offered
        )


def test_a_game_that_nobody_measured_has_the_longest_season() -> None:
    assert offered_lengths("new", 4, is_sealed=False) == SEASON_DAYS[-1:]


def test_waits_are_drawn_as_people_were_measured() -> None:
    rng = random.Random(1)
    drawn = sorted(draw_wait(rng) for _ in range(40_000))
    for share, hours in WAITS[1:6]:
        assert drawn[int(share * len(drawn))] == pytest.approx(hours, rel=0.1)


@pytest.mark.slow
def test_the_stored_hours_are_those_that_the_simulation_finds() -> None:
    for game, seats, pace in [("gembatan", 4, "table"), ("gem", 4, "sealed")]:
        measured = measure(game, seats, pace, matches=15, fixtures=3000)
        assert measured.hours == pytest.approx(NEEDED_HOURS[game, seats, pace == "sealed"], rel=0.2)
