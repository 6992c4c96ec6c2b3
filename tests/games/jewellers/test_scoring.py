"""The count of Jewellers: paragraphs 18 to 20 of games/jewellers/RULES.md."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.jewellers.components import COMBINATIONS
from games.jewellers.rules import RULES
from games.jewellers.scoring import rank_seats_now, score_seats_now, tally_seats
from games.jewellers.state import State
from tests.games.jewellers.positions import first_position, play, with_hands, with_sales


def owning(*owned: str, hands: tuple[str, ...] = ()) -> State:
    """A position with these gems by seat, and no cards unless given."""
    state = with_sales(first_position(len(owned)), *owned)
    return with_hands(state, *(hands or ("",) * len(owned)))


def test_gems_count_their_values_and_cards_one_each() -> None:
    """Paragraph 18: a card's number does not matter."""
    assert score_seats_now(owning("Pm Ll", "", hands=("10", "2 3 4"))) == (5 + 7 + 1, 3)


@pytest.mark.parametrize(
    ("gems", "plain", "bonus"),
    [
        ("Es Em", 9, 1),
        ("Ss Sm", 7, 2),
        ("Rm Rl", 11, 3),
        ("Ls Lm Ll", 18, 5),
        ("Rs Es Ps", 12, 6),
        ("Es El", 10, 0),
        ("Em El", 11, 0),
        ("Sm Sl", 9, 0),
        ("Rs Rm", 9, 0),
        ("Lm Ll", 13, 0),
        ("Rs Es", 8, 0),
        ("Rs Es Ps Em", 17, 7),
        ("Rs Rm Rl Es Em El Ps Pm Pl Ss Sm Sl Ls Lm Ll", 75, 17),
    ],
)
def test_combinations(gems: str, plain: int, bonus: int) -> None:
    """Paragraph 19."""
    state = owning(gems, "")
    assert tally_seats(state)[0].plain_points() == plain
    assert score_seats_now(state) == (plain + bonus, 0)


def test_a_combination_must_have_one_owner() -> None:
    """Paragraph 19."""
    for gems, _ in COMBINATIONS:
        first, *rest = gems
        state = owning(first, " ".join(rest))
        assert sum(score_seats_now(state)) == sum(tally.plain_points() for tally in tally_seats(state))


@pytest.mark.parametrize(
    ("silver", "points"),
    [((), (0, 0)), ((0,), (1, 0)), ((0, 1), (1, 2)), ((1, 0, 0), (5, 1)), ((0, 0, 0), (10, 0))],
)
def test_silver(silver: tuple[int, ...], points: tuple[int, int]) -> None:
    """Paragraph 19: 1, 2, 3, and 4 more for all of it."""
    assert score_seats_now(replace(owning("", ""), silver=silver)) == points


def test_cards_in_a_running_auction_count_as_cards_in_hand() -> None:
    """Paragraph 18."""
    state = play(first_position(2), "draw small", "bid 2 3", "bid 9")
    assert list(RULES.standing(state)) == [9, 9]


def test_the_highest_score_wins() -> None:
    """Paragraph 20; equal seats share a rank and the next one is skipped."""
    state = owning("Ll", "Lm", "Rl", "")
    assert score_seats_now(state) == (7, 6, 6, 0)
    assert rank_seats_now(state) == (1, 2, 2, 4)


def test_ties_go_to_more_points_without_bonuses() -> None:
    """Paragraph 20: 10 = 9 + 1 is less than 10 without a bonus, although it is one gem more."""
    state = owning("Es Em", "Sl Ls")
    assert score_seats_now(state) == (10, 10)
    assert rank_seats_now(state) == (2, 1)


def test_silver_is_a_bonus() -> None:
    """Paragraph 20."""
    state = replace(owning("Sl", "Lm"), silver=(0,))
    assert score_seats_now(state) == (6, 6)
    assert rank_seats_now(state) == (2, 1)


def test_then_to_more_gems() -> None:
    """Paragraph 20."""
    state = owning("Ps Rs", "Ll", hands=("", "2"))
    assert score_seats_now(state) == (8, 8)
    assert rank_seats_now(state) == (1, 2)


def test_then_to_more_cards_which_is_the_same_when_everything_before_is_equal() -> None:
    """Paragraph 20: equal points and gems with different cards need gems of different value."""
    state = owning("Ls", "Lm", hands=("2 3", "9"))
    assert score_seats_now(state) == (7, 7)
    assert rank_seats_now(state) == (1, 2)


@pytest.mark.parametrize(
    ("ages", "ranks"), [((), (1, 1, 3)), ((31, 28, 90), (1, 2, 3)), ((20, 20, 1), (1, 1, 3))]
)
def test_then_to_the_older_player_when_ages_are_known(
    ages: tuple[int, ...], ranks: tuple[int, int, int]
) -> None:
    """Paragraph 20."""
    state = replace(owning("Ls", "Rm", "", hands=("2", "9", "5")), ages=ages)
    assert rank_seats_now(state) == ranks


def test_ages_come_with_the_options() -> None:
    """As the host reads them from a record's header."""
    assert first_position(2, options={"ages": "31 28"}).ages == (31, 28)
    assert first_position(2).ages == ()
