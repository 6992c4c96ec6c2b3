"""A request that is kept is one request: counted once, one line in the log, answered by the view like any other."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator

from gemserver.accounts.models import RequestCount
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.models import Match
from gemserver.waiting import application as application_module
from gemserver.waiting.application import WaitingApplication
from tests.api.programs import Program, token_of
from tests.builders import make_match, make_user, play

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server's clock stand: requests are counted by the minute, and a test may run across its end."""
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)


async def ask(application: Any, method: str = "GET", path: str = "/api/v1/turns", **headers: str) -> Any:
    """Send one request; return status, headers and body."""
    fields = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"testserver"), *fields],
        "client": ("192.0.2.1", 4711),
        "server": ("testserver", 80),
        "scheme": "http",
    }
    communicator = ApplicationCommunicator(application, scope)
    await communicator.send_input({"type": "http.request", "body": b"", "more_body": False})
    begun = await communicator.receive_output(10)
    body = (await communicator.receive_output(10))["body"]
    return begun["status"], {name.decode(): value.decode() for name, value in begun["headers"]}, body


@pytest.mark.slow
def test_a_kept_request_is_counted_once_and_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    token = token_of(make_user("ana"), "read")
    application = WaitingApplication()

    async def wait() -> Any:
        authorization = f"Bearer {token}"
        _status, headers, _body = await ask(application, authorization=authorization)
        with caplog.at_level(logging.INFO, "gemserver.lib.web.request_log"):
            return await ask(
                application, authorization=authorization, if_none_match=headers["etag"], prefer="wait=1"
            )

    status, headers, body = asyncio.run(wait())
    assert (status, headers["preference-applied"], body) == (304, "wait=1", b"")
    assert RequestCount.objects.get().used == 2, "the first question and the wait"
    assert len([record for record in caplog.records if "/api/v1/" in record.getMessage()]) == 1


@pytest.mark.slow
def test_the_limit_on_requests_holds_for_those_that_would_wait(settings: Any) -> None:
    settings.API_RATE = 2
    token = token_of(make_user("ana"), "read")
    application = WaitingApplication()

    async def wait() -> list[int]:
        authorization = f"Bearer {token}"
        _status, headers, _body = await ask(application, authorization=authorization)
        given = {"authorization": authorization, "if_none_match": headers["etag"], "prefer": "wait=1"}
        return [(await ask(application, **given))[0] for _ in range(2)]

    assert asyncio.run(wait()) == [304, 429]


def wait_twice(
    monkeypatch: pytest.MonkeyPatch, heard_from: float, between: Callable[[Any, Any], None], **second: str
) -> Any:
    """Wait in vain, then send the same question; return how often the token was counted, and the second answer."""
    monkeypatch.setattr(application_module, "LONG", 1)
    ana = make_user("ana")
    match = make_match("gem", [ana, make_user("ben")])
    token = token_of(ana, "read")
    application = WaitingApplication()
    application.room.heard_from = heard_from

    async def wait() -> Any:
        authorization = f"Bearer {token}"
        _status, headers, _body = await ask(application, authorization=authorization)
        given = {"authorization": authorization, "if_none_match": headers["etag"], "prefer": "wait=1"}
        assert (await ask(application, **given))[0] == 304
        await sync_to_async(between)(application, match)
        return await ask(application, **given | second)

    answer = asyncio.run(wait())
    return RequestCount.objects.get().used, answer


@pytest.mark.slow
def test_the_same_question_after_a_long_wait_in_vain_is_kept_without_asking_its_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used, (status, headers, _body) = wait_twice(monkeypatch, 0, lambda application, match: None)
    assert (used, status, headers["preference-applied"]) == (2, 304, "wait=1")


@pytest.mark.slow
def test_news_between_two_waits_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def move(application: Any, match: Match) -> None:
        seat = match.seats.get(is_waiting=True)
        play(
            match,
            seat.index,
            match.rules.write(next(match.rules.legal_moves(replay.position(match), seat.index))),
        )
        now = time.monotonic()
        application.room.note_news(
            [("user", user) for user in match.seats.values_list("user", flat=True)], now
        )

    _used, (status, _headers, body) = wait_twice(monkeypatch, 0, move)
    assert status == 200
    assert json.loads(body)["turns"] is not None


@pytest.mark.slow
def test_who_waits_no_more_is_told_what_is_true_now(monkeypatch: pytest.MonkeyPatch) -> None:
    used, (status, headers, _body) = wait_twice(monkeypatch, 0, lambda application, match: None, prefer="")
    assert (used, status) == (3, 304)
    assert "preference-applied" not in headers


@pytest.mark.slow
def test_while_redis_is_away_the_same_question_is_asked_of_its_view(monkeypatch: pytest.MonkeyPatch) -> None:
    used, (status, _headers, _body) = wait_twice(monkeypatch, inf, lambda application, match: None)
    assert (used, status) == (3, 304)


def test_only_questions_are_taken_here() -> None:
    application = WaitingApplication()

    async def send() -> Any:
        return await ask(application, "POST", "/api/v1/matches/M1/move", prefer="wait=50")

    status, _headers, body = asyncio.run(send())
    assert (status, json.loads(body)["code"]) == (421, "elsewhere")


def test_a_stranger_is_not_kept() -> None:
    application = WaitingApplication()
    status, _headers, _body = asyncio.run(ask(application, if_none_match='"x"', prefer="wait=50"))
    assert status == 401


@pytest.mark.parametrize("path", ["/ratings/gem.csv", "/favicon.ico"])
def test_what_comes_in_pieces_is_sent_whole(path: str) -> None:
    """nginx sends here whatever is asked for with "Prefer: wait", a file and a list too."""
    status, headers, body = asyncio.run(ask(WaitingApplication(), path=path, prefer="wait=50"))
    assert (status, bool(body)) == (200, True)
    assert headers.get("content-length") in {None, str(len(body))}


def test_every_other_process_answers_at_once() -> None:
    user = make_user("ana")
    make_match("gem", [user, make_user("ben")])
    program = Program.of(user)
    known = program.get("turns")["ETag"]
    again = program.get("turns", **{"If-None-Match": known, "Prefer": "wait=300"})
    assert again.status_code == 304
    assert not again.has_header("Preference-Applied")
