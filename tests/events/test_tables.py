"""Tables and their tie-breaks, small enough to be added up by hand."""

from __future__ import annotations

from fractions import Fraction

from gemserver.events import words
from gemserver.events.arithmetic.rounds import Game
from gemserver.events.arithmetic.tables import Result, Swiss, TieBreak, lot, make_table

PLAYERS = ["ana", "ben", "cid", "dan"]


def table(*results: Result, ties: tuple[TieBreak, ...] = (), **more: object) -> list[tuple[int, str]]:
    return [(row.place, str(row.player)) for row in make_table(PLAYERS, results, ties, **more)]  # type: ignore[arg-type]


def test_points_come_first_and_equal_players_share_a_place() -> None:
    one = Result(("ana", "ben", "cid", "dan"), (1, 2, 2, 4))
    assert table(one) == [(1, "ana"), (2, "ben"), (2, "cid"), (4, "dan")]


def test_each_tie_break_is_asked_only_where_those_before_leave_players_equal() -> None:
    # 10 + 1 = 11 for ana and dan; 6 + 3 = 9 for ben and cid. One first place each for ana and dan.
    results = (
        Result(("ana", "ben", "cid", "dan"), (1, 2, 3, 4), scores=(40, 30, 20, 10)),
        Result(("ana", "ben", "cid", "dan"), (4, 3, 2, 1), scores=(10, 20, 20, 50)),
    )
    rows = make_table(PLAYERS, results, [TieBreak.FIRSTS, TieBreak.HEAD_TO_HEAD, TieBreak.SCORE_SHARE])
    assert [(row.place, row.player) for row in rows] == [(1, "dan"), (2, "ana"), (3, "ben"), (4, "cid")]
    dan, ana, ben, cid = (row.values for row in rows)
    assert dan == (1, 0, Fraction(40, 60))
    assert ana == (1, 0, Fraction(30, 60))
    assert ben == (0, 0, Fraction(20, 60) + Fraction(10, 60))
    assert cid == (0, 0, Fraction(10, 60) + Fraction(10, 60))


def test_head_to_head_counts_only_those_who_are_equal() -> None:
    results = (
        Result(("ana", "ben"), (1, 2)),
        Result(("ben", "cid"), (1, 2)),
        Result(("cid", "dan"), (2, 1)),
        Result(("dan", "ana"), (2, 1)),
        Result(("ben", "dan"), (1, 2)),
    )
    # ana 2, ben 2, dan 1, cid 0: ana has beaten ben; ben's win against dan does not count between the two.
    rows = make_table(PLAYERS, results, [TieBreak.HEAD_TO_HEAD])
    assert [(row.place, row.player, row.values[0]) for row in rows[:2]] == [(1, "ana", 1), (2, "ben", -1)]


def test_lots_are_drawn_from_the_secret_and_only_once_it_is_shown() -> None:
    results = (Result(("ana", "ben", "cid", "dan"), (1, 2, 2, 4)),)
    assert table(*results, ties=(TieBreak.LOT,))[1:3] == [(2, "ben"), (2, "cid")]
    drawn = table(*results, ties=(TieBreak.LOT,), secret="5eed")
    assert [place for place, _ in drawn] == [1, 2, 3, 4]
    assert (drawn[1][1] == "ben") == (lot("5eed", "ben") > lot("5eed", "cid"))


def test_who_withdrew_is_listed_last_and_their_results_count_for_the_others() -> None:
    one = Result(("ana", "ben", "cid", "dan"), (1, 2, 3, 4))
    assert table(one, listed_last=["ana"]) == [(1, "ben"), (2, "cid"), (3, "dan"), (4, "ana")]


def test_points_that_an_organiser_corrected_count() -> None:
    one = Result(("ana", "ben", "cid", "dan"), (1, 2, 3, 4))
    assert table(one, corrections={"ana": Fraction(-5), "dan": Fraction(2)})[0] == (1, "ben")


def test_an_adjudicated_fixture_may_give_other_points_and_shares_its_score_evenly() -> None:
    zero = (Fraction(3),) * 4
    one = Result(("ana", "ben", "cid", "dan"), (1, 1, 1, 1), points=zero)
    rows = make_table(PLAYERS, [one], [TieBreak.SCORE_SHARE])
    assert {row.points for row in rows} == {3}
    assert {row.values[0] for row in rows} == {Fraction(1, 4)}


def test_a_swiss_table_counts_byes_and_breaks_ties_by_opponents() -> None:
    numbers = {player: number for number, player in enumerate(PLAYERS[:3], start=1)}
    rounds = [
        [Game(1, 2, Fraction(1)), Game(3, None, Fraction(1))],
        [Game(3, 1, Fraction(0)), Game(2, None, Fraction(1))],
    ]
    rows = make_table(PLAYERS[:3], [], [TieBreak.BUCHHOLZ], swiss_rounds=Swiss(numbers, rounds))
    assert [(row.place, row.player, row.points, row.values[0]) for row in rows] == [
        (1, "ana", 2, 2),
        (2, "ben", 1, 3),
        (2, "cid", 1, 3),
    ]


def test_every_tie_break_has_a_name_and_a_meaning() -> None:
    assert set(words.TIE_BREAKS) == set(TieBreak)
