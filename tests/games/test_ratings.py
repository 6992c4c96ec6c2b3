"""The engine of ratings: openskill's own vectors, shared places, absences, and lists of results."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from games import prediction
from games.__main__ import main
from games.ratings import NEWCOMER, Belief, Board, Result, expect, plackett_luce, rate
from games.results import COLUMNS, UnreadableResults, recompute

VECTORS = Path(__file__).resolve().parents[1] / "ratings" / "openskill"


# --- openskill's published vectors (VECTORS/SOURCES.md) ---------------------------------------------

PUBLISHED: dict[str, Any] = json.loads((VECTORS / "plackettluce.json").read_text())
MATCHES: dict[str, tuple[list[int], dict[str, Any]]] = {
    "normal": ([1, 2], {}),
    "ranks": ([1, 2, 1, 2], {"ranks": [2, 1, 4, 3]}),
    "scores": ([1, 2], {"scores": [1, 2]}),
    "limit_sigma": ([1, 2, 3], {"ranks": [2, 1, 3], "limit_sigma": True}),
    "ties": ([1, 2, 3], {"ranks": [1, 2, 1]}),
    "weights": (
        [3, 2, 3, 2],
        {"ranks": [2, 1, 4, 3], "weights": [[2, 0, 0], [1, 2], [0, 0, 1], [0, 1]]},
    ),
}
"""By name in the file: the players of each team, who all begin alike, and what else is said of the match."""


@pytest.mark.parametrize("name", list(MATCHES))
def test_the_installed_library_gives_its_published_figures(name: str) -> None:
    sizes, terms = MATCHES[name]
    plackett_luce.cache_clear()  # `limit_sigma` stays with a model
    model = plackett_luce()
    teams = [[model.rating(**PUBLISHED["model"]) for _ in range(size)] for size in sizes]
    rated = model.rate(teams, **terms)
    plackett_luce.cache_clear()
    for team, expected in zip(rated, PUBLISHED[name].values(), strict=True):
        assert [(player.mu, player.sigma) for player in team] == [
            (pytest.approx(each["mu"]), pytest.approx(each["sigma"])) for each in expected
        ]


@pytest.mark.parametrize("figures", json.loads((VECTORS / "free-for-all.json").read_text()))
def test_matches_of_single_players_give_the_published_figures(figures: list[list[float]]) -> None:
    tau = plackett_luce().tau
    before = Belief(25.0, math.sqrt((25 / 3) ** 2 - tau**2))
    rated = rate([before] * len(figures), range(1, len(figures) + 1))
    assert [[belief.mu, belief.sigma] for belief in rated] == [
        [pytest.approx(mu), pytest.approx(sigma)] for mu, sigma in figures
    ]


# --- The engine -------------------------------------------------------------------------------------


def test_everybody_begins_at_1500_give_or_take_200() -> None:
    assert (NEWCOMER.number, NEWCOMER.margin, NEWCOMER.is_provisional) == (1500, 200, True)


def test_shared_places_are_shared() -> None:
    first, second, third, fourth = rate([NEWCOMER] * 4, [1, 1, 3, 3])
    assert first == second
    assert third == fourth
    assert first.mu > NEWCOMER.mu > third.mu
    assert all(belief.mu == pytest.approx(25) for belief in rate([NEWCOMER] * 3, [1, 1, 1]))


def test_the_order_at_the_table_does_not_matter() -> None:
    one, other, third = Belief(30, 4), Belief(22, 7), Belief(25, 8)
    assert rate([one, other, third], [2, 1, 3]) == rate([third, other, one], [3, 1, 2])[::-1]


def test_an_absence_costs_its_player_once_and_the_others_are_rated_all_the_same() -> None:
    board: Board[str] = Board()
    first = board.add([Result("ana", 2, "in March"), Result("ben", 1)])
    assert first[0].after.mu < first[0].before.mu
    second = board.add([Result("ana", 2, "in March"), Result("cy", 1)])
    assert second[0].is_spared
    assert second[0].after == second[0].before
    assert second[1].after.mu > NEWCOMER.mu
    third = board.add([Result("ana", 2, "in May"), Result("ben", 1)])
    assert not third[0].is_spared
    assert third[0].after.mu < third[0].before.mu


def test_an_absence_that_costs_nothing_is_not_used_up() -> None:
    board: Board[str] = Board()
    won = board.add([Result("ana", 1, "in March"), Result("ben", 2)])
    assert won[0].after.mu > NEWCOMER.mu
    lost = board.add([Result("ana", 2, "in March"), Result("ben", 1)])
    assert lost[0].after.mu < won[0].after.mu


def test_chances_add_up_and_equals_have_even_ones() -> None:
    table = [NEWCOMER, Belief(30, 3), NEWCOMER]
    assert expect(table, 0, 2) == 0.5
    assert expect(table, 0, 1) + expect(table, 1, 0) == pytest.approx(1)
    assert expect(table, 1, 0) > 0.5


# --- If it predicts ---------------------------------------------------------------------------------


def test_where_skill_decides_ratings_predict_better_than_elo_and_than_equality() -> None:
    strengths = prediction.draw_strengths(prediction.WORLDS["much skill"], "test")
    found = prediction.measure_losses(list(prediction.simulate(strengths, 4, 400, "test")))
    assert found.ours < found.elo < found.equal


def test_where_all_are_equal_nothing_is_predicted() -> None:
    found = prediction.measure_losses(list(prediction.simulate([25.0] * 40, 2, 400, "equal")))
    assert found.ours > found.equal


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 8])
def test_a_rating_settles_after_as_many_matches_as_the_documents_say(seats: int) -> None:
    told = {2: 6, 3: 8, 4: 11, 5: 13, 8: 23}
    settled = prediction.find_settled("some skill", seats)
    assert settled.matches == told[seats]
    assert settled.wrong < 0.25


# --- Lists of results -------------------------------------------------------------------------------


def _write(path: Path, matches: list[list[tuple[str, int, str]]]) -> list[str]:
    """Write a list whose figures are right."""
    board: Board[str] = Board()
    lines = [",".join(COLUMNS)]
    for number, match in enumerate(matches, start=1):
        changes = board.add([Result(player, place, absence) for player, place, absence in match])
        for seat, ((player, place, absence), change) in enumerate(zip(match, changes, strict=True)):
            cells = (f"M{number}", "2026-03-06T12:00:00+00:00", "ABCDEFGH"[seat], player, "person", place)
            lines.append(",".join(map(str, (*cells, absence, change.after.mu, change.after.sigma))))
    path.write_text("\n".join(lines) + "\n")
    return lines


MANY = [[("ana", 1 + number % 3 % 2, ""), ("ben", 2 - number % 3 % 2, "")] for number in range(8)]


def test_anybody_computes_the_same_ratings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gem.csv"
    _write(file, [*MANY, [("ana", 2, "a"), ("cy", 1, "")], [("ana", 2, "a"), ("dee", 1, "")]])
    assert main(["ratings", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "1. ana" in printed
    assert "-" in printed
    assert "provisional" in printed
    assert "matches: 10" in printed


def test_a_figure_that_does_not_follow_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gem.csv"
    lines = _write(file, MANY)
    lines[6] = lines[6].replace("person,1", "person,2").replace("person,2,,2", "person,2,,3")
    file.write_text("\n".join(lines))
    assert main(["ratings", str(file)]) == 1
    assert "M3 " in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        ",".join(COLUMNS) + "\nM1,x,A,ana,person,1,,25.0,8.0",
        ",".join(COLUMNS) + "\nM1,x,A,ana,person,first,,25.0,8.0",
        ",".join(COLUMNS) + "\nM1,x,A",
        ",".join(COLUMNS) + f"\nM1,x,A,ana,person,{10**400},,25.0,8.0",
        ",".join(COLUMNS) + "\n" + "M1,x,A,ana,person,1,,25.0,8.0\n" * 2,
        ",".join(COLUMNS) + '\n"M1',
    ],
)
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(UnreadableResults):
        recompute(text.splitlines())


@pytest.mark.parametrize("content", [b"\xff\xfe", b"M1"])
def test_the_command_says_what_is_wrong(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.csv"
    assert main(["ratings", str(file)]) == 2
    file.write_bytes(content)
    assert main(["ratings", str(file)]) == 2
    assert capsys.readouterr().err


def test_the_rules_need_no_library_for_ratings() -> None:
    """Only computing needs it: whoever plays or verifies has the standard library."""
    import subprocess
    import sys

    script = "import sys, games.__main__; assert 'openskill' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=VECTORS.parents[2])
