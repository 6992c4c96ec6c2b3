"""A program that follows a match by the log's `next` is told of everything once, whatever was taken back meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.matches.actions.play.propose_undo import agree_to_undo, propose_undo
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.log import log_order
from gemserver.matches.models import Match, Notice
from tests.api.programs import Program, code_of
from tests.api.test_every_game import TABLES
from tests.builders import NOON, asked, make_match, make_user, play, play_until
from tests.quick import first

pytestmark = pytest.mark.django_db

DOCUMENT = Path(__file__).resolve().parents[2] / "docs/api.md"


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part="1" * 64)


@dataclass
class Follower:
    """A spectator's program: it drops what is undone, and knows the moves that stand."""

    match: Match
    program: Program = field(default_factory=lambda: Program.of(make_user("dee")))
    next: str = ""
    told: list[dict[str, Any]] = field(default_factory=list)
    moves: dict[int, str] = field(default_factory=dict)

    def ask(self) -> list[dict[str, Any]]:
        answer = self.program.get(f"matches/{self.match.code}/log?since={self.next}").json()
        self.next = answer["next"]
        self.told += answer["lines"]
        for line in answer["lines"]:
            if line["undone_from"]:
                self.moves = {ply: text for ply, text in self.moves.items() if ply < line["undone_from"]}
            if line["seat"] and not line["taken_back"]:
                self.moves[line["ply"]] = line["text"]
        return list(answer["lines"])


def bid(match: Match, *texts: str) -> None:
    for text in texts:
        play(match, asked(match).index, text)


def texts_of(lines: Sequence[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in lines]


def test_what_was_taken_back_and_replayed_between_two_questions_is_told(match: Match) -> None:
    follower, before = Follower(match), Follower(match, Program.of(make_user("eli")))
    bid(match, "bid 1", "bid 2")
    before.ask()
    void_moves(match.pk, from_ply=1, why="A slip.", now=NOON)
    bid(match, "bid 3", "bid 4")
    added = before.ask()
    assert [line["undone_from"] for line in added] == [1, None, None]
    assert [line["ply"] for line in added] == [0, 1, 2]
    follower.ask()
    assert before.moves == follower.moves
    assert [text.split()[-1] for text in follower.moves.values()] == ["3.", "4."]
    assert before.ask() == []


def test_a_move_that_was_made_and_taken_back_meanwhile_is_told_as_such(match: Match) -> None:
    follower = Follower(match)
    bid(match, "bid 1")
    follower.ask()
    holder = asked(match).user
    assert holder
    bid(match, "bid 2")
    propose_undo(match.pk, holder, now=NOON)
    for seat in match.seats.exclude(user=holder):
        assert seat.user
        agree_to_undo(match.pk, seat.user, now=NOON)
    bid(match, "bid 5")
    added = follower.ask()
    assert [(line["ply"], line["taken_back"]) for line in added if line["seat"]] == [(2, True), (2, False)]
    assert [line["undone_from"] for line in added if line["undone_from"]] == [2]
    assert follower.moves[2].endswith("5.")


@pytest.mark.parametrize(("game", "options"), first(1, TABLES))
def test_every_line_of_every_game_is_told_once(
    players: list[User], game: str, options: dict[str, str]
) -> None:
    """Asking after each move and asking once at the end give the same lines, also for picks that lay face down."""
    match = make_match(game, players=players, options=options, server_part="1" * 64)
    often, late = Follower(match), Follower(match, Program.of(make_user("eli")))
    for number in range(30):
        play_until(match, moves_made(1))
        often.ask()
        if number == 17:
            void_moves(match.pk, from_ply=Match.objects.get(pk=match.pk).ply - 2, why="A slip.", now=NOON)
            often.ask()
    late.ask()
    assert texts_of(often.told) == texts_of(late.told) != []
    assert often.moves == late.moves


def moves_made(number: int) -> Callable[[Match], bool]:
    """A predicate for `play_until`: so many moves or orders were sent."""
    asked_so_often = count()
    return lambda match: next(asked_so_often) == number


def test_the_loop_of_the_document_keeps_the_moves_that_stand(match: Match) -> None:
    [loop] = re.findall(r"```python\n(moves, since = .*?)```", DOCUMENT.read_text(), re.DOTALL)
    program = Program.of(make_user("dee"))
    meanwhile = iter(
        [
            lambda: bid(match, "bid 1", "bid 2"),
            lambda: void_moves(match.pk, from_ply=1, why="A slip.", now=NOON),
            lambda: bid(match, "bid 3", "bid 4"),
        ]
    )
    found: dict[str, Any] = {
        "call": lambda path: program.get(path.replace("M17", match.code)).json(),
        "time": SimpleNamespace(sleep=lambda seconds: next(meanwhile)()),
    }
    with pytest.raises(StopIteration):
        exec(loop, found)
    assert [text.split()[-1] for text in found["moves"].values()] == ["3.", "4."]


def test_nothing_new_keeps_its_tag(match: Match) -> None:
    follower = Follower(match)
    bid(match, "bid 1")
    follower.ask()
    path = f"matches/{match.code}/log?since={follower.next}"
    known = follower.program.get(path)
    assert known.json()["lines"] == []
    assert known.json()["next"] == follower.next
    assert follower.program.get(path, **{"If-None-Match": known["ETag"]}).status_code == 304


def test_what_is_committed_while_the_log_is_read_is_told_next_time(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower, in_order = Follower(match), log_order.in_order

    def put_in_order(*rows: Any) -> list[log_order.Row]:
        monkeypatch.setattr(log_order, "in_order", in_order)
        bid(match, "bid 1")
        return in_order(*rows)

    monkeypatch.setattr(log_order, "in_order", put_in_order)
    assert [line["ply"] for line in follower.ask() if line["seat"]] == []
    assert [line["ply"] for line in follower.ask() if line["seat"]] == [1]


def test_a_cursor_is_good_for_its_match_alone_and_not_beyond_the_end(match: Match) -> None:
    other, follower = make_match(players=[make_user("fay"), make_user("gus")]), Follower(match)
    bid(match, "bid 1")
    follower.ask()
    wrong = [
        follower.program.get(f"matches/{other.code}/log?since={follower.next}"),
        follower.program.get(f"matches/{match.code}/log?since=xyz"),
    ]
    match.moves.all().delete()  # as in a backup from before
    wrong.append(follower.program.get(f"matches/{match.code}/log?since={follower.next}"))
    assert [(answer.status_code, code_of(answer)) for answer in wrong] == [(422, "bad-cursor")] * 3


def test_a_cursor_does_not_count_what_the_log_does_not_tell(match: Match) -> None:
    """The proofs of sealed orders say who has decided already."""
    follower = Follower(match)
    follower.ask()
    before = follower.next
    Notice.objects.create(match=match, ply=0, kind="sealed", key="s", created_at=NOON)
    follower.ask()
    assert follower.next == before
