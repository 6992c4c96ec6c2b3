"""Pairings and tie-breaks of two-seat Swiss events against published files (`data/SOURCES.md`)."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest
from py4swiss.trf import ParsedTrf, TrfParser
from py4swiss.trf.results import ColorToken

from gemserver.events.arithmetic.fide_tie_breaks import buchholz, sonneborn_berger
from gemserver.events.arithmetic.rounds import Game, find_game
from gemserver.events.arithmetic.swiss import CannotPair, pair_round

DATA = Path(__file__).parent / "data"
POINTS = {
    "1": 1,
    "+": 1,
    "W": 1,
    "U": 1,
    "F": 1,
    "=": Fraction(1, 2),
    "D": Fraction(1, 2),
    "H": Fraction(1, 2),
}


def rounds_of(trf: ParsedTrf) -> list[list[Game]]:
    """The rounds of a tournament file in our terms: what an event's rows would say."""
    count = min(len(section.results) for section in trf.player_sections)
    rounds: list[list[Game]] = []
    for number in range(count):
        games = []
        for section in trf.player_sections:
            result = section.results[number]
            points = Fraction(POINTS.get(result.result.value, 0))
            if result.result.is_bye() and points:
                games.append(Game(section.starting_number, None, points))
            elif result.color is ColorToken.WHITE:
                games.append(Game(section.starting_number, result.id, points, result.result.is_played()))
        rounds.append(games)
    return rounds


def pair_file(name: str) -> list[tuple[int, int | None]]:
    trf = TrfParser.parse(DATA / name)
    rounds = rounds_of(trf)
    # A file names who sits out by results beyond the last full round, or in a line of their own.
    absent = {one.starting_number for one in trf.player_sections if len(one.results) > len(rounds)}
    return pair_round(
        len(trf.player_sections),
        rounds,
        rounds=trf.x_section.number_of_rounds,
        absent=absent | trf.x_section.zeroed_ids,
        first_is_first=trf.x_section.configuration.first_round_color,
    )


def published(name: str) -> list[tuple[int, int | None]]:
    lines = (DATA / name).read_text().splitlines()[1:]
    return [(int(first), int(second) or None) for first, second in (line.split() for line in lines)]


@pytest.mark.parametrize(
    ("tournament", "pairings"),
    [
        ("dutch_2025_C9.input", "dutch_2025_C9.output.since_2026"),
        ("issue_7.input", "issue_7.output.until_2026"),
    ],
)
def test_pairings_are_the_published_ones(tournament: str, pairings: str) -> None:
    assert pair_file(tournament) == published(pairings)


@pytest.mark.parametrize(
    ("tournament", "pairings"),
    [
        ("dutch_2025_C5.input", "dutch_2025_C5.output.since_2026"),
        ("issue_7.input", "issue_7.output.since_2026"),
    ],
)
def test_what_changed_in_february_2026_is_still_paired_by_the_former_rules(
    tournament: str, pairings: str
) -> None:
    """When this fails the library has moved on: say so where events say by which rules they pair."""
    ours, theirs = pair_file(tournament), published(pairings)
    assert ours != theirs
    assert sorted(seat or 0 for pair in ours for seat in pair) == sorted(
        seat or 0 for pair in theirs for seat in pair
    )


@pytest.mark.parametrize(
    "name",
    [
        "javafo_example.trf",
        "dutch_e2_both_absolute_higher_favored.trf",
        "dutch_e2_both_absolute_lower_favored.trf",
    ],
)
def test_rows_of_ours_say_all_that_a_tournament_file_says(name: str) -> None:
    from py4swiss.engines import DutchEngine

    theirs = DutchEngine.generate_pairings(TrfParser.parse(DATA / name))
    assert pair_file(name) == [(one.white, one.black or None) for one in theirs]


@pytest.mark.parametrize("name", ["no_legal_pairings.trf", "no_legal_pairings_odd.trf"])
def test_a_round_that_cannot_be_paired_is_refused(name: str) -> None:
    with pytest.raises(CannotPair):
        pair_file(name)


@pytest.mark.parametrize("players", [7, 8, 13])
def test_in_a_whole_event_nobody_meets_twice_and_first_places_stay_even(players: int) -> None:
    rng = random.Random(players)
    played: list[list[Game]] = []
    absent: set[int] = set()
    for number in range(5):
        if number == 3:
            absent.add(players)
        pairs = pair_round(players, played, rounds=5, absent=absent)
        assert len({seat for pair in pairs for seat in pair if seat}) == players - len(absent)
        played.append(
            [
                Game(first, second, Fraction(1) if second is None else Fraction(rng.choice([0, 1, 2]), 2))
                for first, second in pairs
            ]
        )
    for player in range(1, players + 1):
        games = [game for one in played if (game := find_game(player, one))]
        opponents = [game.second if game.first == player else game.first for game in games if game.second]
        assert len(opponents) == len(set(opponents))
        firsts = sum(game.first == player for game in games if game.second)
        assert abs(2 * firsts - len(opponents)) <= 2
        assert sum(game.second is None for game in games) <= 1


def exercise() -> list[list[Game]]:
    """FIDE's exercise on tie-breaks: `+W9` is a win against 9 with white, `F` a game that was not played."""
    rounds: list[list[Game]] = [[] for _ in range(5)]
    for line in (DATA / "fide-exercise-2023.csv").read_text().splitlines()[1:]:
        number, *results = line.split(",")
        player = int(number)
        for one, text in zip(rounds, results, strict=True):
            points = {"+": Fraction(1), "=": Fraction(1, 2), "-": Fraction(0)}[text[0]]
            if text[1:] == "BYE":
                one.append(Game(player, None, points))
            elif text[1] == "W":
                one.append(Game(player, int(text[2:]), points))
            elif text[1] == "F" and points:
                one.append(Game(player, int(text[2:]), points, is_played=False))
    return rounds


@pytest.mark.parametrize(
    ("player", "points"),
    [(1, 12.5), (2, 13), (3, 15.5), (4, 15), (5, 8.5), (8, 13.5), (11, 13.5), (16, 12.5)],
)
def test_buchholz_is_what_fides_exercise_says(player: int, points: float) -> None:
    assert buchholz(player, exercise()) == points


@pytest.mark.parametrize(
    ("player", "points"),
    [
        *[(1, 11), (3, 13), (4, 11.5), (5, 7.5), (7, 12.5), (8, 12), (9, 7.5), (11, 12), (12, 9.5)],
        *[(13, 12), (14, 9), (15, 11), (16, 11)],
    ],
)
def test_buchholz_without_the_least_is_what_fides_exercise_says(player: int, points: float) -> None:
    assert buchholz(player, exercise(), cut=1) == points


def test_sonneborn_berger_counts_whom_one_beat_and_half_of_those_one_shared_with() -> None:
    played = [
        [Game(1, 2, Fraction(1)), Game(3, 4, Fraction(1, 2))],
        [Game(1, 3, Fraction(1, 2)), Game(2, 4, Fraction(1))],
        [Game(4, 1, Fraction(0)), Game(2, 3, Fraction(0))],
    ]
    # Points: 1 has 5/2, 3 has 2, 2 has 1, 4 has 1/2.
    assert [sonneborn_berger(player, played) for player in (1, 2, 3, 4)] == [
        1 + 1 + Fraction(1, 2),
        Fraction(1, 2),
        Fraction(1, 4) + Fraction(5, 4) + 1,
        1,
    ]
