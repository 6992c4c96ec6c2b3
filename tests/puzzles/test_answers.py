"""Answers to the puzzle of the day: one for each player, counted, and no solution before it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import translation

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.operating import retention
from gemserver.puzzles.answers import KEPT, answer, count_of, measure_streak
from gemserver.puzzles.days import find_posed, is_over, pose_puzzles, posed_puzzles
from gemserver.puzzles.models import Answer, StoredPuzzle
from gemserver.puzzles.posed import Solution
from gemserver.puzzles.subscribing import subscribe
from gemserver.site.account.export import collect
from tests.builders import make_match, make_user, play_to_the_end
from tests.puzzles.puzzles import pose, puzzle_of, right_move, wrong_move

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)


def give(stored: StoredPuzzle, user: User, text: str, now: datetime = NOW) -> Answer:
    return answer(stored, puzzle_of(stored), user, text, now=now)


def why(act: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        act()
    return refused.value.code


def test_the_first_answer_counts(ana: User) -> None:
    stored = pose(now=NOW)
    assert not give(stored, ana, wrong_move(stored)).is_right
    assert why(lambda: give(stored, ana, right_move(stored))) == "already-answered"
    assert [(each.move, each.is_right) for each in ana.puzzle_answers.all()] == [(wrong_move(stored), False)]
    assert give(stored, ana, wrong_move(stored)).pk == ana.puzzle_answers.get().pk, "sent twice, it is one"


def test_a_move_that_is_not_legal_is_no_answer(ana: User) -> None:
    stored = pose(now=NOW)
    assert why(lambda: give(stored, ana, "what is this"))
    assert not Answer.objects.exists()
    assert give(stored, ana, right_move(stored).upper()).is_right


def test_an_answer_does_not_count_once_the_day_is_over_everywhere(ana: User) -> None:
    stored = pose(now=NOW)
    late = datetime(2026, 3, 7, 11, 59, tzinfo=UTC)
    assert give(stored, ana, right_move(stored), late).is_right
    assert (
        why(lambda: give(stored, make_user("ben"), right_move(stored), late + timedelta(minutes=1)))
        == "puzzle-over"
    )


@pytest.mark.parametrize(
    ("language", "day"), [("en", "6 Mar 2026"), ("de", "6. März 2026"), ("fr", "6 mars 2026")]
)
def test_who_answers_too_late_reads_the_day_as_their_language_writes_it(
    ana: User, language: str, day: str
) -> None:
    stored = pose(now=NOW)
    with pytest.raises(Refused) as late, translation.override(language):
        give(stored, ana, right_move(stored), NOW + timedelta(days=3))
    with translation.override(language):
        assert day in late.value.text()


def test_the_solution_is_told_to_who_has_answered_and_after_the_day(ana: User) -> None:
    stored, ben = pose(now=NOW), make_user("ben")
    puzzle = puzzle_of(stored)
    give(stored, ana, wrong_move(stored))
    solution = Solution.find(stored, puzzle, ana, NOW)
    assert solution
    assert solution.judged
    assert solution.best == right_move(stored)
    assert Solution.find(stored, puzzle, ben, NOW) is None
    assert Solution.find(stored, puzzle, AnonymousUser(), NOW) is None
    assert Solution.find(stored, puzzle, ben, NOW + timedelta(days=2))


def test_people_are_counted_and_bots_are_not(ana: User) -> None:
    stored = pose(now=NOW)
    bot = make_user("robot", owner=ana)
    for user, text in (
        (ana, right_move(stored)),
        (make_user("ben"), wrong_move(stored)),
        (bot, right_move(stored)),
    ):
        give(stored, user, text)
    assert (count_of(stored).answered, count_of(stored).found) == (2, 1)


def test_a_streak_is_of_puzzles_on_end(ana: User) -> None:
    days = [pose(which=number, ago=number, now=NOW) for number in range(3)]
    at = {stored.pk: NOW - timedelta(days=number) for number, stored in enumerate(days)}
    assert measure_streak(ana, NOW) == 0
    for stored in days[1:]:
        give(stored, ana, right_move(stored), at[stored.pk])
    assert measure_streak(ana, NOW) == 2, "today's is still to come"
    give(days[0], ana, right_move(days[0]))
    assert measure_streak(ana, NOW) == 3
    assert measure_streak(ana, NOW + timedelta(days=1)) == 3
    Answer.objects.filter(puzzle=days[1]).update(is_right=False)
    assert measure_streak(ana, NOW) == 1


@pytest.fixture
def gone(ana: User, ben: User) -> StoredPuzzle:
    """A puzzle of NOW's day from a match that only its players may see by now."""
    match = play_to_the_end(make_match(players=[ana, ben]))
    stored = StoredPuzzle.objects.create(
        **{
            name: getattr(pose(which=9), name)
            for name in ("game", "seat", "best", "worths", "simulations", "seeds")
        },
        key="own",
        day=NOW.date(),
        match=match,
        ply=5,
    )
    Match.objects.filter(pk=match.pk).update(access=Match.Access.INVITED)
    return StoredPuzzle.objects.get(pk=stored.pk)


def test_a_puzzle_that_can_be_shown_no_more_breaks_no_streak(gone: StoredPuzzle) -> None:
    cy, before = make_user("cy"), pose(which=1, ago=1, now=NOW)
    give(before, cy, right_move(before), NOW - timedelta(days=1))
    assert why(lambda: find_posed(gone.day, cy, NOW)) == "puzzle-gone"
    assert measure_streak(cy, NOW + timedelta(days=1)) == 1


def test_it_makes_room_for_another_unless_somebody_has_answered(gone: StoredPuzzle, ana: User) -> None:
    kept = Answer.objects.create(puzzle=gone, user=ana, move="pass", is_right=True, at=NOW)
    pose_puzzles(NOW)
    assert StoredPuzzle.objects.get(day=gone.day) == gone
    kept.delete()
    pose_puzzles(NOW)
    assert find_posed(gone.day, ana, NOW)[0] != gone


def test_a_guest_has_no_answer_kept() -> None:
    stored = pose(now=NOW)
    guest = make_user("guest", is_guest=True)
    assert why(lambda: give(stored, guest, right_move(stored))) == "guest"


# Days


def test_each_day_has_another_puzzle_and_none_comes_twice() -> None:
    for number in range(8):
        pose_puzzles(NOW + timedelta(days=number))
    posed = StoredPuzzle.objects.exclude(day=None)
    assert posed.count() == posed.values("day").distinct().count() == 9, "tomorrow has begun in the east"
    assert len({stored.key for stored in posed}) == 9
    games = [stored.game for stored in posed.order_by("day")]
    assert all(one != other for one, other in pairwise(games))


def test_a_day_begins_in_its_readers_zone() -> None:
    pose_puzzles(NOW)
    east, west = make_user("east", time_zone="Pacific/Kiritimati"), make_user("west", time_zone="Etc/GMT+12")
    tomorrow = StoredPuzzle.objects.exclude(day=None).order_by("-day")[0]
    assert tomorrow.day
    assert tomorrow.day > NOW.date()
    assert posed_puzzles(east, NOW).first() == tomorrow
    assert posed_puzzles(west, NOW).first() != tomorrow
    assert why(lambda: find_posed(tomorrow.day, west, NOW)) == "no-such-puzzle"
    assert why(lambda: find_posed(tomorrow.day, AnonymousUser(), NOW)) == "no-such-puzzle"
    assert not is_over(tomorrow.day, NOW + timedelta(days=1, hours=23))


# What is kept


def test_answers_are_exported_erased_and_forgotten_after_years(ana: User) -> None:
    stored = pose(now=NOW)
    give(stored, ana, right_move(stored))
    subscribe(ana, now=NOW)
    exported = collect(ana, NOW)
    assert [(row["move"], row["is_right"]) for row in exported["answers to puzzles"]] == [
        (right_move(stored), True)
    ]
    assert len(exported["sent puzzles"]) == 1
    assert retention.count(NOW + KEPT)["answers to puzzles"] == 0
    assert retention.count(NOW + KEPT + timedelta(seconds=1))["answers to puzzles"] == 1
    erase(ana, now=clock.now())
    assert not Answer.objects.exists()
    assert StoredPuzzle.objects.count() == 1
