"""A program that waits for its turn hears of it at once, and so does an open page of what happens in its match.

That holds whatever happens to Redis, to the token or to the process.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from redis import Redis

from gemserver.management.commands.waiting import LAST_ANSWERS
from gemserver.nudge import CHANNEL
from gemserver.waiting.news import SWEEP_SECONDS
from tests.services.conftest import Services
from tests.services.processes import Process, answers, free_port, wait_for
from tests.services.site import HOST, ROOT

pytestmark = pytest.mark.slow

PATIENCE = 60
LISTENING = "python -m tests.services.listening"
"""Looks at no rows, so that it can only have heard what it tells at once."""
SEAT_TWO = """
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import make_token
from tests.builders import make_match
from tests.services.table import make_player

users = [make_player(name) for name in {names!r}]
match = make_match("gembatan", users, now=clock.now())
seats = match.seats.order_by("-is_waiting")
print(match.code, seats[0].user.username)
print(*(make_token(seat.user, "t", ("read",), days=None, now=clock.now())[1] for seat in seats))
"""
HEAR = """
from django.conf import settings
from redis import Redis
from gemserver.nudge import CHANNEL
from gemserver.waiting.news import SWEEP_SECONDS

heard = Redis.from_url(settings.CELERY_BROKER_URL).pubsub()
heard.subscribe(CHANNEL)
assert heard.get_message(timeout=30)
{what}
assert heard.get_message(timeout=30)  # from the thread that tells Redis, which ends with the process
"""
PLAY_ON = """
from gemserver.lib import clock
from gemserver.matches.models import Match
from tests.builders import play_until

match = Match.objects.get(code={code!r})
asked = match.seats.get(is_waiting=True).pk
play_until(match, lambda match: match.seats.get(is_waiting=True).pk != asked, now=clock.now())
"""
SIGN_IN = """
from django.conf import settings
from django.test import Client
from gemserver.accounts.models import User

client = Client()
client.force_login(User.objects.get(username={name!r}))
print(settings.SESSION_COOKIE_NAME, client.cookies[settings.SESSION_COOKIE_NAME].value)
"""
SAY = """
from gemserver.lib import clock
from gemserver.matches.actions.talk.say import say
from gemserver.accounts.models import User
from gemserver.matches.models import Match

say(Match.objects.get(code={code!r}).pk, User.objects.get(username={name!r}), "hello", "1", now=clock.now())
"""
REVOKE = """
from gemserver.accounts.models import PersonalToken

PersonalToken.objects.all().delete()
"""
EXPIRE = """
from gemserver.accounts.models import PersonalToken
from gemserver.lib import clock

PersonalToken.objects.update(expires_at=clock.now())
"""
SHUT = """
from gemserver.accounts.models import User

User.objects.update(is_active=False)
"""


@dataclass(frozen=True)
class Reply:
    status: int
    etag: str
    body: bytes
    waited: float
    applied: str | None

    @property
    def turns(self) -> list[str]:
        """Codes of matches: of turns as programs are told them, or as pages are."""
        turns = json.loads(self.body)["turns"]
        return [turn if isinstance(turn, str) else turn["match"] for turn in turns]


@dataclass(frozen=True)
class Asking:
    """A program that asks for its turns, or an open page that asks for the news of its match."""

    port: int
    token: str = ""
    path: str = "/api/v1/turns"
    cookie: str = ""

    def ask(self, etag: str = "", wait: int = 0) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        headers = {"Host": HOST, "X-Forwarded-Proto": "https"}
        headers |= {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= {"Cookie": self.cookie} if self.cookie else {}
        headers |= {"If-None-Match": etag} if etag else {}
        headers |= {"Prefer": f"wait={wait}"} if wait else {}
        began = time.monotonic()
        connection.request("GET", self.path, headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        applied = answer.headers["Preference-Applied"]
        return Reply(answer.status, answer.headers.get("ETag", ""), body, time.monotonic() - began, applied)


@contextmanager
def waiting(services: Services, command: str = "", **environment: str) -> Iterator[tuple[Process, int]]:
    port = free_port()
    command = command or (ROOT / "Procfile").read_text().partition("waiting: ")[2].partition("\n")[0]
    process = Process(
        "waiting",
        ["sh", "-c", f"exec {command}"],
        services.folder,
        environment={**services.environment, "WAITING_PORT": str(port), **environment},
        cwd=ROOT,
    )
    process.start()
    try:
        wait_for("the waiting process", lambda: answers(port), seconds=PATIENCE, watched=[process])
        yield process, port
    finally:
        process.kill()


@dataclass(frozen=True)
class Duel:
    """Two players of a match, of whom the first is asked."""

    code: str
    begins: str
    asked: Asking
    other: Asking


def seat_two(services: Services, port: int, *names: str) -> Duel:
    code, begins, *tokens = services.run(SEAT_TWO.format(names=names)).split()
    return Duel(code, begins, *(Asking(port, token) for token in tokens))


@contextmanager
def asking(program: Asking, wait: int = 60) -> Iterator[Future[Reply]]:
    """The program waits for other turns than it has, from before the block begins."""
    known = program.ask()
    with ThreadPoolExecutor(1) as threads:
        reply = threads.submit(program.ask, known.etag, wait)
        time.sleep(1)
        assert not reply.done(), reply.result()
        yield reply


def do_aloud(services: Services, what: str) -> None:
    """Run this code, and wait until Redis has told of it."""
    services.run(HEAR.format(what=what))


def is_heard(services: Services) -> bool:
    """True once the waiting process listens to Redis."""
    with Redis.from_url(services.environment["REDIS_URL"]) as redis:
        return redis.pubsub_numsub(CHANNEL)[0][1] > 0


def test_a_turn_is_told_at_once_to_who_waits_for_it(migrated: Services) -> None:
    with waiting(migrated, LISTENING) as (_process, port):
        duel = seat_two(migrated, port, "ada", "bob")
        assert duel.asked.ask().turns == [duel.code]
        assert duel.other.ask(wait=60).turns == [], "who knows nothing yet is answered at once"
        for program in (duel.other, duel.asked, duel.other):
            with asking(program) as reply:
                do_aloud(migrated, PLAY_ON.format(code=duel.code))
                found = reply.result(PATIENCE)
            assert (found.status, found.turns, found.applied) == (200, [duel.code], "wait=60")
        known = duel.other.ask()
        later = duel.other.ask(known.etag, wait=2)
        assert (later.status, later.body) == (304, b"")
        assert later.waited >= 2


def test_a_program_that_follows_a_match_is_told_of_a_move_at_once(migrated: Services) -> None:
    with waiting(migrated, LISTENING) as (_process, port):
        duel = seat_two(migrated, port, "zoe", "zac")
        begun = json.loads(
            Asking(port, duel.other.token, f"/api/v1/matches/{duel.code}/log?since=").ask().body
        )
        follower = Asking(port, duel.other.token, f"/api/v1/matches/{duel.code}/log?since={begun['next']}")
        with asking(follower) as reply:
            do_aloud(migrated, PLAY_ON.format(code=duel.code))
            found = reply.result(PATIENCE)
        assert (found.status, found.applied) == (200, "wait=60")
        assert json.loads(found.body)["lines"][0]["ply"] == 1


def open_page(services: Services, port: int, code: str, name: str = "") -> Asking:
    """The page of a match as this player reads it, or as a stranger does."""
    cookie = "=".join(services.run(SIGN_IN.format(name=name)).split()) if name else ""
    return Asking(port, path=f"/m/{code}/progress/", cookie=cookie)


def test_an_open_page_is_told_at_once_of_a_move_and_its_players_of_what_is_said(migrated: Services) -> None:
    with waiting(migrated, LISTENING) as (_process, port):
        duel = seat_two(migrated, port, "quin", "rita")
        player, stranger = open_page(migrated, port, duel.code, "quin"), open_page(migrated, port, duel.code)
        with asking(player) as heard, asking(stranger) as seen:
            do_aloud(migrated, PLAY_ON.format(code=duel.code))
            replies = [heard.result(PATIENCE), seen.result(PATIENCE)]
        assert [(reply.status, reply.applied) for reply in replies] == [(200, "wait=60")] * 2
        assert replies[0].turns == ([] if duel.begins == "quin" else [duel.code])
        with asking(player) as heard, asking(stranger, wait=5) as seen:
            do_aloud(migrated, SAY.format(code=duel.code, name="rita"))
            assert heard.result(PATIENCE).status == 200
            assert (seen.result(PATIENCE).status, seen.result().body) == (304, b""), "talk is for the table"


def test_a_page_that_waited_in_vain_and_asks_the_same_is_told_at_once_again(migrated: Services) -> None:
    with waiting(migrated, LISTENING) as (_process, port):
        duel = seat_two(migrated, port, "uma", "vic")
        page = open_page(migrated, port, duel.code, "uma")
        assert page.ask(page.ask().etag, wait=2).status == 304
        with asking(page) as heard:
            do_aloud(migrated, SAY.format(code=duel.code, name="vic"))
            assert heard.result(PATIENCE).status == 200


def test_while_redis_is_silent_a_page_sees_a_move_by_the_rows(migrated: Services) -> None:
    with waiting(migrated) as (_process, port):
        duel = seat_two(migrated, port, "sue", "tom")
        os.kill(migrated.redis.process.pid, signal.SIGSTOP)
        try:
            with asking(open_page(migrated, port, duel.code)) as seen:
                migrated.run(PLAY_ON.format(code=duel.code))
                assert seen.result(PATIENCE).status == 200
        finally:
            os.kill(migrated.redis.process.pid, signal.SIGCONT)


def test_while_redis_is_silent_the_rows_tell(migrated: Services) -> None:
    with waiting(migrated) as (_process, port):
        duel = seat_two(migrated, port, "cleo", "dan")
        os.kill(migrated.redis.process.pid, signal.SIGSTOP)
        try:
            with asking(duel.other) as reply:
                migrated.run(PLAY_ON.format(code=duel.code))
                assert reply.result(PATIENCE).turns == [duel.code]
        finally:
            os.kill(migrated.redis.process.pid, signal.SIGCONT)


def test_after_redis_was_restarted_a_turn_is_told_at_once_again(migrated: Services) -> None:
    with waiting(migrated, LISTENING) as (process, port):
        duel = seat_two(migrated, port, "eli", "fay")
        migrated.redis.process.kill()
        wait_for("the warning", lambda: "Redis is not heard" in process.output, seconds=PATIENCE)
        migrated.redis.start()
        wait_for("the waiting process at Redis", lambda: is_heard(migrated), seconds=PATIENCE)
        with asking(duel.other) as reply:
            do_aloud(migrated, PLAY_ON.format(code=duel.code))
            assert reply.result(PATIENCE).turns == [duel.code]


def test_whoever_loses_the_token_while_they_wait_is_told_nothing(migrated: Services) -> None:
    with waiting(migrated) as (_process, port):
        duel = seat_two(migrated, port, "gus", "hal")
        with asking(duel.other) as reply:
            migrated.run(REVOKE)
            migrated.run(PLAY_ON.format(code=duel.code))
            found = reply.result(PATIENCE)
        assert found.status == 401
        assert duel.code.encode() not in found.body


@pytest.mark.parametrize(
    ("names", "what", "status"),
    [(("wes", "wyn"), REVOKE, 401), (("xia", "xan"), EXPIRE, 401), (("yul", "yma"), SHUT, 403)],
)
def test_whoever_loses_the_token_hears_of_it_although_nothing_is_new(
    migrated: Services, names: tuple[str, str], what: str, status: int
) -> None:
    with waiting(migrated) as (_process, port), asking(seat_two(migrated, port, *names).other) as reply:
        migrated.run(what)
        found = reply.result(PATIENCE)
    assert (found.status, found.applied) == (status, "wait=60")
    assert found.waited < 3 * SWEEP_SECONDS


def test_everybody_who_waits_is_answered_when_the_process_ends(migrated: Services) -> None:
    with waiting(migrated) as (process, port):
        duel = seat_two(migrated, port, "ida", "jon")
        with asking(duel.other) as reply:
            began = time.monotonic()
            process.stop()
            assert time.monotonic() - began < LAST_ANSWERS
            assert reply.result(PATIENCE).status == 304


def test_one_token_keeps_only_so_many_requests(migrated: Services) -> None:
    with waiting(migrated, WAITING_PER_TOKEN="1", WAITING_PER_ADDRESS="2") as (_process, port):
        duel = seat_two(migrated, port, "kim", "leo")
        third = seat_two(migrated, port, "mia", "ned").other
        with asking(duel.other, wait=20), asking(duel.asked, wait=20):
            refused = duel.other.ask(duel.other.ask().etag, wait=20)
            assert (refused.status, json.loads(refused.body)["code"]) == (429, "too-many-waiting")
            assert third.ask(third.ask().etag, wait=20).status == 429, "the address keeps two already"
            assert third.ask(wait=20).status == 200, "who does not wait is answered"
            migrated.run(PLAY_ON.format(code=duel.code))
        assert third.ask(third.ask().etag, wait=1).status == 304, (
            "and may wait once others have been answered"
        )


def test_a_move_between_question_and_wait_is_not_missed(migrated: Services) -> None:
    with waiting(migrated) as (_process, port):
        duel = seat_two(migrated, port, "oda", "pit")
        known = duel.other.ask()
        migrated.run(PLAY_ON.format(code=duel.code))
        assert duel.other.ask(known.etag, wait=60).turns == [duel.code]
