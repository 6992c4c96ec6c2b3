"""Answers to puzzles: the first one of each player counts; how many have found the move, and how long a streak is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Q

from games.contract import GameError
from games.puzzle import Puzzle
from gemserver.accounts.models import User
from gemserver.matches.refusal import Refused
from gemserver.puzzles.days import can_be_read, is_over, today_of
from gemserver.puzzles.models import Answer, StoredPuzzle

LONGEST_TEXT = 500
KEPT = timedelta(days=3 * 365)
"""No streak is longer, and no figure needs more."""
LONGEST_STREAK = KEPT.days


@dataclass(frozen=True, slots=True)
class Judged:
    """A try: the move in notation, whether it is right, and what a bot expects of it."""

    move: str
    is_right: bool
    worth: float | None
    """0 to 100; None if it is not among the moves that come closest to the best."""


@dataclass(frozen=True, slots=True)
class Figures:
    """People who have answered a puzzle, and those of them who have found the move."""

    answered: int
    found: int


def judge(puzzle: Puzzle, text: str) -> Judged:
    """Judge a move that somebody has written.

    Raises Refused(too-long), and with what the game says to a move that is not legal.
    """
    if len(text) > LONGEST_TEXT:
        raise Refused("too-long", "This is too long for a move. Write one move on one line.", kind="invalid")
    try:
        move = puzzle.read(text)
        return Judged(move, puzzle.is_right(move), puzzle.worth_of(move))
    except GameError as error:
        raise Refused.by_game(error) from error


def answer(stored: StoredPuzzle, puzzle: Puzzle, user: User, text: str, *, now: datetime) -> Answer:
    """Keep the user's answer, which is their only one. A move that is not legal is none.

    Raises Refused(guest, puzzle-over, already-answered), and like `judge`.
    """
    if user.is_guest:
        raise Refused("guest", "Answers of guests are not kept; sign up to have yours counted.")
    assert stored.day is not None
    if is_over(stored.day, now):
        raise Refused(
            "puzzle-over",
            "The puzzle of {day} is over, and answers to it count no more. Try today's.",
            day=stored.day.isoformat(),
        )
    judged = judge(puzzle, text)
    kept, is_new = Answer.objects.get_or_create(
        puzzle=stored,
        user=user,
        defaults={"move": judged.move, "is_right": judged.is_right, "at": now},
    )
    if not is_new and kept.move != judged.move:
        raise Refused(
            "already-answered",
            "You have answered this puzzle already, with {move}. Only the first answer counts.",
            move=kept.move,
        )
    return kept


def find_answer(stored: StoredPuzzle, reader: User | AnonymousUser) -> Answer | None:
    """The reader's answer; None before there is one, and for strangers."""
    return stored.answers.filter(user=reader).first() if isinstance(reader, User) else None


def find_answers(puzzles: Iterable[StoredPuzzle], reader: User | AnonymousUser) -> Mapping[int, Answer]:
    """The reader's answers by puzzle (primary key)."""
    if not isinstance(reader, User):
        return {}
    return {each.puzzle_id: each for each in reader.puzzle_answers.filter(puzzle__in=list(puzzles))}


def count_answers(puzzles: Iterable[StoredPuzzle]) -> Mapping[int, Figures]:
    """By puzzle (primary key), how many people have answered; bots are not counted."""
    rows = (
        Answer.objects.filter(puzzle__in=list(puzzles), user__owner=None)
        .values("puzzle")
        .annotate(answered=Count("pk"), found=Count("pk", filter=Q(is_right=True)))
    )
    return {row["puzzle"]: Figures(row["answered"], row["found"]) for row in rows}


def count_of(stored: StoredPuzzle) -> Figures:
    return count_answers([stored]).get(stored.pk, Figures(0, 0))


def measure_streak(user: User, now: datetime) -> int:
    """The puzzles found on end, up to today's or, while that is not answered, to the one before.

    A puzzle that can be shown no more, as when a club turned private, breaks none: nobody could answer it.
    """
    today: date = today_of(user, now)
    days = StoredPuzzle.objects.filter(day__lte=today).select_related("match").order_by("-day")
    found = dict(user.puzzle_answers.values_list("puzzle", "is_right"))
    streak = 0
    for stored in days[:LONGEST_STREAK].iterator(chunk_size=30):
        if found.get(stored.pk):
            streak += 1
        elif stored.pk in found or (stored.day != today and can_be_read(stored)):
            break
    return streak
