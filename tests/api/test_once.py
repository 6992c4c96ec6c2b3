"""Requests that come at the same time under one key act once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import KeyedRequest, Match
from gemserver.operating import retention
from tests.api.programs import Program, token_of
from tests.builders import make_match

AT_ONCE = 5


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_five_at_once_open_one_table_and_play_one_move(players: list[User]) -> None:
    match = make_match(players=players, server_part="7" * 64)
    seat = match.seats.get(is_waiting=True)
    assert seat.user
    token = token_of(seat.user)

    def send(path: str, body: Any) -> tuple[int, Any]:
        try:
            answer = Program(token).post(path, body, key="the same")
            return answer.status_code, answer.json()
        finally:
            connection.close()

    move = {"text": "bid 1", "prompt_ply": seat.prompt_ply}
    for path, body in (("tables", {"game": "gem"}), (f"matches/{match.code}/move", move)):
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = [done.result() for done in [pool.submit(send, path, body) for _ in range(AT_ONCE)]]
        carried_out = [answer for status, answer in answers if status == 200]
        assert {status for status, _ in answers} <= {200, 503}, "the database may be too busy for some"
        assert [answer["repeat"] for answer in carried_out].count(False) == 1
    assert Match.objects.filter(created_by=seat.user).count() == 1
    assert match.moves.count() == 1


@pytest.mark.django_db
def test_keys_are_forgotten_after_a_month(ana: User) -> None:
    program = Program.of(ana)
    program.post("tables", {"game": "gem"}, key="k")
    assert retention.forget(clock.now() + retention.KEY_KEPT / 2)["keys of programs"] == 0
    assert KeyedRequest.objects.count() == 1
    assert retention.forget(clock.now() + 2 * retention.KEY_KEPT)["keys of programs"] == 1
