"""Sealed orders of programs that are sent again: nobody is told that an order may be changed which is open or gone."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.tables.leave_table import cancel_table
from gemserver.matches.models import Match
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_match, make_table, make_user

pytestmark = pytest.mark.django_db
ORDERS = ({"text": "bid 1", "prompt_ply": 1}, {"text": "bid 3", "prompt_ply": 1})


@pytest.fixture
def match(ana: User) -> Match:
    return make_match(players=[ana, make_user("ben")], options={"pace": "sealed"}, server_part="1" * 64)


@pytest.fixture
def programs(match: Match) -> list[Program]:
    return [Program.of(seat.user) for seat in match.seats.order_by("index") if seat.user]


def test_the_last_order_sent_again_is_answered_with_the_same_moves(
    match: Match, programs: list[Program]
) -> None:
    path = f"matches/{match.code}/move"
    first, last = (
        each.post(path, order, key="one").json() for each, order in zip(programs, ORDERS, strict=True)
    )
    assert first["said"].endswith("Until all are in, you may change it.")
    assert first["moves"] == []
    assert last["moves"][0]["text"] == "bid 3"
    for program, order, answer in zip(programs, ORDERS, (first, last), strict=True):
        again = program.post(path, order, key="one").json()
        assert again["repeat"]
        assert again["said"] == f"Sealed: {order['text']}. All are open now."
        assert again["moves"][: len(answer["moves"])] == answer["moves"]
    assert programs[0].post(path, ORDERS[0], key="one").json()["moves"], "the move that the order has played"


def test_an_order_that_was_taken_back_is_not_said_to_lie_there(match: Match, programs: list[Program]) -> None:
    path = f"matches/{match.code}/move"
    for program, order in zip(programs, ORDERS, strict=True):
        assert program.post(path, order, key="one").status_code == 200
    void_moves(match.pk, from_ply=1, why="A slip.", now=NOON)
    again = programs[0].post(path, ORDERS[0], key="one").json()
    assert "taken back since" in again["said"]
    assert again["moves"] == []


@pytest.mark.parametrize("verb", ["move", "resign", "undo", "return"])
def test_nobody_waits_for_the_start_of_a_cancelled_table(ana: User, verb: str) -> None:
    table = make_table(seats=3, creator=ana)
    cancel_table(table.pk, by=ana, now=NOON)
    body = ORDERS[0] if verb == "move" else None
    refused = Program.of(ana).post(f"matches/{table.code}/{verb}", body)
    assert (refused.status_code, code_of(refused)) == (409, "cancelled")
