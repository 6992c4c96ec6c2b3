"""Programs that wait for their turns, and open pages that wait for news of a match.

Memory and work of the process that keeps them, and how soon news arrive.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from asgiref.sync import sync_to_async
from django.core.management import call_command

from gemserver.accounts.models import PersonalToken, User
from gemserver.accounts.tokens import new_token
from gemserver.lib import clock
from gemserver.lib.signing import token_hash
from gemserver.lib.web.waits import LONGEST
from gemserver.matches.models import Match
from gemserver.waiting.application import LONG, UNASKED
from tests.builders import make_match, make_user, play_until
from tests.load.figures import Figure, Say
from tests.load.processes import memory_of
from tests.load.servers import HOST, ROOT, environment
from tests.services.daemons import Redis
from tests.services.processes import Process, answers, free_port, wait_for

CLIENTS = 5000
AT_A_TIME = 100
"""Clients that begin to wait at the same moment."""
NEWS = 200
"""Turns that arrive one after another while all wait."""
DEAL = "5a" * 32
"""With it the random moves go on for longer than is measured; one deal in two hundred ends after a few turns."""
IDLE = 30
"""Seconds in which the process does what is left of what it was asked."""
REST = 20
"""Seconds in which nothing happens."""


def measure(say: Say, folder: Path) -> list[Figure]:
    """5,000 accounts with a client each, of whom some get turns; the bare process keeps as many and does nothing."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    call_command("migrate", verbosity=0)
    tokens, matches = _make_people()
    redis = Redis(folder)
    redis.start()
    try:
        given = environment(os.environ["DATABASE_URL"], redis.url, WAITING_PER_ADDRESS=str(2 * CLIENTS))
        # The moves are made in this process, which tells Redis like a web process.
        _tell_at(redis.url)
        ours = asyncio.run(_with_server("waiting", ["manage.py", "waiting"], given, folder, tokens, matches))
        bare = asyncio.run(_with_server("bare", ["-m", "tests.load.bare.waiting"], given, folder, tokens, []))
        pages = asyncio.run(_with_pages(given, folder, matches))
    finally:
        redis.stop()
    say(
        f"{CLIENTS} clients wait: {ours.first:.1f} ms of CPU to begin, {ours.idle:.3f} ms in {REST} s of rest, each"
    )
    shared = (pages.first / UNASKED + pages.anew / LONGEST) * REST + pages.idle
    say(
        f"{CLIENTS} pages wait: {pages.first:.1f} ms of CPU to begin, {pages.anew:.2f} ms to begin anew when the time "
        f"is over, {pages.idle:.3f} ms in {REST} s of rest, each"
    )
    say(
        f"a page whose question is kept: {shared:.2f} ms in {REST} s; one that asks then: {pages.plain:.2f} ms"
    )
    say(f"a turn is told after {1000 * statistics.median(ours.late):.0f} ms (median)")
    beside = "a bare ASGI process with as many"
    late = 1000 * statistics.quantiles(ours.late, n=20)[-1]
    return [
        Figure(f"memory, {CLIENTS:,} who wait", ours.megabytes, beside, bare.megabytes, "MB", "at most", 2),
        Figure(
            "from a move to who waits for it, p95",
            late,
            "a look at the rows every 10 s",
            10_000,
            "ms",
            "at most",
            0.1,
        ),
        Figure(
            f"CPU in {REST} s, a page that waits",
            shared,
            f"a page that asks once in {REST} s",
            pages.plain,
            "ms",
            "at most",
            0.05,
        ),
    ]


class Found:
    """The figures of one process."""

    def __init__(self) -> None:
        self.megabytes = self.first = self.idle = self.plain = self.anew = 0.0
        self.late: list[float] = []


def _make_people() -> tuple[list[str], list[Match]]:
    """A token of each account, those of the players first, and the matches in which they are asked by turns."""
    players = [make_user(f"player{number}") for number in range(20)]
    others = User.objects.bulk_create(User(username=f"other{number}") for number in range(CLIENTS - 20))
    texts = [new_token() for _ in range(CLIENTS)]
    PersonalToken.objects.bulk_create(
        PersonalToken(user=user, name="t", scopes="read", token_hash=token_hash(text), created_at=clock.now())
        for user, text in zip([*players, *others], texts, strict=True)
    )
    matches = [
        make_match("gembatan", players[n : n + 2], server_part=DEAL, now=clock.now()) for n in range(0, 20, 2)
    ]
    return texts, matches


def _tell_at(url: str) -> None:
    from django.conf import settings

    settings.WAITING = True
    settings.CELERY_BROKER_URL = url
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 5}


async def _with_pages(given: object, folder: Path, matches: list[Match]) -> Found:
    """Pages of strangers, kept by the waiting process.

    `first` is what asking costs of which the view knows nothing yet, `anew` the same question when the time is over.
    """
    found, port = Found(), free_port()
    environ = {**given, "WAITING_PORT": str(port), "DJANGO_SETTINGS_MODULE": "gemserver.settings"}  # type: ignore[dict-item]
    process = Process(
        "pages", [sys.executable, "manage.py", "waiting"], folder, environment=environ, cwd=ROOT
    )
    process.start()
    try:
        wait_for("pages", lambda: answers(port), seconds=60, watched=[process])
        pages = [Client(port, path=f"/m/{matches[n % len(matches)].code}/progress/") for n in range(CLIENTS)]
        found.plain = await _cost(process, [page.look for page in pages])
        # The server has closed connections on which nothing was asked.
        pages = [page.anew() for page in pages]
        found.first = await _cost(process, [page.begin for page in pages]) - found.plain
        began = _cpu(process.pid)
        await asyncio.sleep(REST)
        found.idle = 1000 * (_cpu(process.pid) - began) / CLIENTS
        if broken := [page for page in pages if page.is_over]:
            raise RuntimeError(f"{len(broken)} pages wait no more")
        pages = [page.anew() for page in pages]
        await _cost(process, [partial(page.begin, LONG) for page in pages], rest=0)
        began = _cpu(process.pid)
        await asyncio.gather(*(page.begin_anew() for page in pages))
        await asyncio.sleep(2)
        found.anew = 1000 * (_cpu(process.pid) - began) / CLIENTS
        return found
    finally:
        process.stop()


async def _cost(
    process: Process, deeds: Sequence[Callable[[], Awaitable[None]]], rest: float = IDLE
) -> float:
    """Milliseconds of the process for each of these, some at a time."""
    began = _cpu(process.pid)
    for start in range(0, len(deeds), AT_A_TIME):
        await asyncio.gather(*(deed() for deed in deeds[start : start + AT_A_TIME]))
    await asyncio.sleep(rest)
    return 1000 * (_cpu(process.pid) - began) / len(deeds)


async def _with_server(
    name: str, command: list[str], given: object, folder: Path, tokens: list[str], matches: list[Match]
) -> Found:
    port, found = free_port(), Found()
    environ = {**given, "WAITING_PORT": str(port), "DJANGO_SETTINGS_MODULE": "gemserver.settings"}  # type: ignore[dict-item]
    process = Process(name, [sys.executable, *command], folder, environment=environ, cwd=ROOT)
    process.start()
    try:
        wait_for(name, lambda: answers(port), seconds=60, watched=[process])
        began = _cpu(process.pid)
        clients = [Client(port, token) for token in tokens]
        for start in range(0, CLIENTS, AT_A_TIME):
            await asyncio.gather(*(client.begin() for client in clients[start : start + AT_A_TIME]))
        await asyncio.sleep(2)
        found.first = 1000 * (_cpu(process.pid) - began) / CLIENTS
        found.megabytes = memory_of(process.pid)
        began = _cpu(process.pid)
        await asyncio.sleep(REST)
        found.idle = 1000 * (_cpu(process.pid) - began) / CLIENTS
        if matches:
            found.late = [await _play(matches[n % len(matches)], clients) for n in range(NEWS)]
        if broken := [client for client in clients if client.is_over]:
            raise RuntimeError(f"{len(broken)} clients wait no more: {broken[0].is_over}")
        return found
    except BaseException:
        print(f"{name} wrote:\n{process.tail()}", file=sys.stderr)
        raise
    finally:
        process.stop()


async def _play(match: Match, clients: list[Client]) -> float:
    """Seconds from the commit of a move until the client of the player who is asked next has heard of it."""
    asked, player = await sync_to_async(_play_on)(match)
    committed = time.perf_counter()
    client = clients[player]
    await client.hear()
    late = time.perf_counter() - committed
    assert asked in client.turns, client.turns
    await client.begin()
    previous = clients[player ^ 1]
    await previous.hear()  # the turn that has gone is news too
    await previous.begin()
    return late


def _play_on(match: Match) -> tuple[str, int]:
    """Play until the other of the two is asked; the match's code and the number of that player."""
    asked = match.seats.get(is_waiting=True).pk
    play_until(match, lambda match: match.seats.get(is_waiting=True).pk != asked, now=clock.now())
    name = match.seats.get(is_waiting=True).user.username
    return match.code, int(name.removeprefix("player"))


class Client:
    """A program, or a stranger's open page, on one connection, which asks and is kept."""

    def __init__(self, port: int, token: str = "", path: str = "/api/v1/turns") -> None:
        self._port, self._path = port, path
        self._authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        self._etag = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.turns: list[str] = []

    def anew(self) -> Client:
        """Open the same page again, on a new connection and without a known answer."""
        return Client(self._port, path=self._path)

    @property
    def is_over(self) -> bool:
        """True if an answer has come that nobody has read."""
        assert self._streams
        return bool(self._streams[0]._buffer) or self._streams[0].at_eof()  # type: ignore[attr-defined]

    async def begin(self, wait: int = LONGEST) -> None:
        """Ask for the turns, and then for others."""
        if not self._etag:
            await self.look()
        await self._send(f"Prefer: wait={wait}\r\nIf-None-Match: {self._etag}\r\n")

    async def begin_anew(self) -> None:
        """Ask the same once more when the time is over."""
        head, _fields = await self._read_head()
        assert head.startswith("HTTP/1.1 304"), head
        await self.begin(LONG)

    async def look(self) -> None:
        """Ask for the present answer."""
        await self._send("")
        await self.hear()

    async def hear(self) -> None:
        """Read the next answer."""
        head, fields = await self._read_head()
        assert head.startswith("HTTP/1.1 200"), head
        assert self._streams
        body = await self._streams[0].readexactly(int(fields["content-length"]))
        self._etag = fields["etag"]
        self.turns = [turn["match"] for turn in json.loads(body)["turns"] or ()]

    async def _read_head(self) -> tuple[str, dict[str, str]]:
        assert self._streams
        head = (await self._streams[0].readuntil(b"\r\n\r\n")).decode()
        lines = (line.partition(": ") for line in head.split("\r\n"))
        return head, {name.lower(): value for name, _, value in lines}

    async def _send(self, more: str) -> None:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        head = f"GET {self._path} HTTP/1.1\r\nHost: {HOST}\r\nX-Forwarded-Proto: https\r\n"
        self._streams[1].write(f"{head}{self._authorization}{more}\r\n".encode())


def _cpu(pid: int) -> float:
    """Seconds of CPU that the process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
