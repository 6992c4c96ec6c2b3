"""Computer players are better than chance; `python -m tests.strength` measures by how much, in more matches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from games import plies
from games.chance import Chance
from games.record_headers import read_options
from games.registry import OWN, game
from tests.strength import frozen, results, tables
from tests.strength.matches import play
from tests.strength.pairs import Pair
from tests.strength.sequential import Verdict, judge

LEAST = 0.7
"""The share of easy in a few deals; equals get 0.5."""


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_easy_beats_random_moves(slug: str) -> None:
    """Three deals with the fewest seats, the places changed."""
    seats = game(slug).rules.meta.min_seats
    shares = [
        play(slug, seats, "easy", "random", deal, place).share(place)
        for deal in range(3)
        for place in range(seats)
    ]
    assert sum(shares) / len(shares) >= LEAST


@pytest.mark.slow
def test_normal_beats_the_policy_alone() -> None:
    """In Jewellers two deals show it."""
    shares = [
        play("jewellers", 2, "normal", "policy", deal, place).share(place)
        for deal in range(2)
        for place in range(2)
    ]
    assert sum(shares) >= 3


def test_a_share_is_the_part_of_the_opponents_that_is_beaten() -> None:
    """Two of three beaten and one equal; whatever the number of seats, all shares of a match make half of them."""
    match = play("gem", 4, "random", "random", 1, 0)
    shares = [match.share(seat) for seat in range(4)]
    assert sum(shares) == pytest.approx(2)
    assert shares[match.ranks.index(1)] > 0.5


def test_the_sequential_test_decides_when_it_is_clear() -> None:
    assert judge(0.6, [0.6, 0.7] * 30) is Verdict.MET
    assert judge(0.6, [0.4, 0.6] * 60) is Verdict.MISSED
    assert judge(0.6, [1.0] * 5) is Verdict.OPEN


def test_a_deal_that_was_kept_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And only for its own pair and the same version of the bots."""
    monkeypatch.setattr(results, "FILE", tmp_path / "results.jsonl")
    pair = Pair("gem", 2, "easy", "random", 0.85)
    deal = results.play(pair, 3, "one")
    results.keep(deal)
    assert results.read(pair, "one") == [deal]
    assert results.read(pair, None) == [deal]
    assert results.read(pair, "two") == []
    assert results.read(Pair("gem", 4, "easy", "random", 0.85), "one") == []


def test_deals_count_on_while_the_newest_is_played_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FILE", tmp_path / "results.jsonl")
    pair = Pair("gem", 2, "easy", "random", 0.85)
    for number in range(2):
        results.keep(results.play(pair, number, "one"))
    assert results.carry_over(pair, "two")
    assert len(results.read(pair, "two")) == 2
    results.keep(replace(results.play(pair, 2, "two"), moves=0))
    assert not results.carry_over(pair, "three")
    assert len(results.read(pair, "two")) == 3


def test_what_longer_thinking_gains_is_told_of_the_same_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three deals two were played again with four times the simulations."""
    monkeypatch.setattr(results, "FILE", tmp_path / "results.jsonl")
    pair = Pair("gem", 2, "easy", "random", 0.85)
    deal = results.play(pair, 0, "one")
    for number, share in enumerate((0.5, 0.25, 1.0)):
        results.keep(replace(deal, seed=f"strength {number}", share=share))
    for number, share in ((1, 0.75), (0, 0.75)):
        results.keep(replace(deal, tested="easy*4", seed=f"strength {number}", share=share))
    assert results.list_times(pair) == [4]
    [row] = [
        line
        for line in tables.write_page().splitlines()
        if line.startswith("| gem | 2 | easy | random | 4 |")
    ]
    assert "| 2 | 0.38 | 0.75 | +0.38 |" in row
    assert results.read(pair, None)[-1].share == 1.0  # the bar is judged by the usual player alone


def test_words_and_layout_make_no_other_version_of_bots_but_code_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "ROOT", tmp_path)
    file = tmp_path / "bots.py"

    def version(code: str) -> str:
        file.write_text(code)
        return results.version_of.__wrapped__("gem")

    before = version('def choose(chance):\n    """Any move."""\n    return 1 + 2\n')
    assert version("def choose(chance):\n    # Some move.\n    return (\n        1 + 2\n    )\n") == before
    assert version("def choose(chance):\n    return 1 + 3\n") != before


@pytest.mark.slow
def test_the_page_shows_what_is_kept() -> None:
    """`docs/strength.md` is written from the kept results and was not edited or forgotten."""
    assert tables.PAGE.read_text(encoding="utf-8") == tables.write_page()


def test_the_frozen_players_never_change() -> None:
    """The first move of a known deal, for every game."""
    moves = {}
    for slug, entry in frozen.FROZEN.items():
        state = plies.deal(entry.rules, 2, read_options(entry.rules.meta, "", 2), "frozen")
        seat = min(entry.rules.waiting_on(state))
        moves[slug] = entry.rules.write(frozen.choose("easy", entry, state, seat, Chance("frozen", "bot")))
    assert moves == {
        "florentine": "place rbgb d4 N",
        "gem": "bid 0",
        "gembatan": "trade gems GP GY PO RO tiles RP--",
        "gemessengers": "play amethyst",
        "jewellers": "draw small",
    }
