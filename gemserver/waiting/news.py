"""Finds out who waits in vain no longer: at once when Redis tells of a match, and every few seconds from the rows.

Redis only makes it quicker. While it is away, or a message is lost, the rows are read all the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Mapping
from concurrent.futures import Executor
from math import inf
from typing import Any

from django.conf import settings
from django.db import close_old_connections
from redis.asyncio import Redis
from redis.exceptions import RedisError

from gemserver.accounts.tokens import find_good_tokens
from gemserver.lib import clock
from gemserver.matches.own_matches import Turn, find_all_turns, find_players
from gemserver.matches.selectors import find_plies
from gemserver.nudge import CHANNEL, MOMENT
from gemserver.waiting.kept import Kept, Room

log = logging.getLogger(__name__)

SWEEP_SECONDS = 10
"""Between two looks at the rows of everybody who waits."""
RETRY_SECONDS = 2
SILENCE = 30
"""Seconds after which a silent connection to Redis is asked whether it still lives."""


class News:
    """Wakes the requests in a room whose answer has changed."""

    def __init__(self, room: Room, threads: Executor) -> None:
        self._room = room
        self._threads = threads
        self._matches: set[int] = set()
        self._has_matches = asyncio.Event()

    async def run(self) -> None:
        """Look for news until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._look_at_matches())
            group.create_task(self._look_at_everybody())

    async def _listen(self) -> None:
        """Hear which matches have changed, connecting again whenever Redis has been away."""
        while True:
            try:
                async with self._redis() as redis, redis.pubsub() as heard:
                    await heard.subscribe(CHANNEL)
                    self._room.heard_from = asyncio.get_running_loop().time()
                    async for message in heard.listen():
                        if message["type"] == "message":
                            self._matches |= {int(match) for match in message["data"].split()}
                            self._has_matches.set()
            except (RedisError, OSError, ValueError) as error:
                log.warning("Redis is not heard, the rows are: %r", error)
            self._room.heard_from = inf
            await asyncio.sleep(RETRY_SECONDS)

    def _redis(self) -> Redis:
        secure: dict[str, Any] = settings.CELERY_BROKER_USE_SSL or {}
        return Redis.from_url(
            settings.CELERY_BROKER_URL,
            socket_connect_timeout=settings.CELERY_BROKER_TRANSPORT_OPTIONS.get("socket_connect_timeout"),
            health_check_interval=SILENCE,
            socket_keepalive=True,
            **secure,
        )

    async def _look_at_matches(self) -> None:
        """Wake who waits for news of the matches of which Redis has told, and look at the turns of their players."""
        while True:
            await self._has_matches.wait()
            self._has_matches.clear()
            matches, self._matches = self._matches, set()
            self._note("match", matches)
            for match in matches:
                for kept in self._room.kept_for(("match", match)):
                    kept.wake()
            users = await self._ask(find_players, matches) or set()
            self._note("user", users)
            await self._look_at_turns(users & self._room.keys("user"))
            await asyncio.sleep(MOMENT)

    def _note(self, kind: str, keys: Collection[int]) -> None:
        self._room.note_news([(kind, key) for key in keys], asyncio.get_running_loop().time())

    async def _look_at_everybody(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            await self._look_at_turns(self._room.keys("user"))
            await self._look_at_plies(self._room.keys("match"))
            await self._look_at_tokens(self._room.kept_by_tokens())

    async def _look_at_turns(self, users: Collection[int]) -> None:
        """Wake the requests of these users that know other turns than there are."""
        if not users:
            return
        turns: Mapping[int, frozenset[Turn]] | None = await self._ask(find_all_turns, users, clock.now())
        if turns is None:
            return
        for user in users:
            for kept in self._room.kept_for(("user", user)):
                if kept.wait.turns != turns.get(user, frozenset()):
                    kept.wake()

    async def _look_at_plies(self, matches: Collection[int]) -> None:
        """Wake the requests that know an older position of these matches."""
        if not matches:
            return
        plies: Mapping[int, int] = await self._ask(find_plies, matches) or {}
        for match, ply in plies.items():
            for kept in self._room.kept_for(("match", match)):
                if kept.wait.ply != ply:
                    kept.wake()

    async def _look_at_tokens(self, programs: Collection[Kept]) -> None:
        """Wake the requests whose token is not good any more: they are told so, and not that nothing is new."""
        if not programs:
            return
        tokens = {kept.wait.token for kept in programs}
        good: Collection[int] | None = await self._ask(find_good_tokens, tokens, clock.now())
        if good is None:
            return
        for kept in programs:
            if kept.wait.token not in good:
                kept.wake()

    async def _ask(self, query: Any, *arguments: Any) -> Any:
        """Run a query in a thread; None while the database does not answer, as the next sweep asks again."""
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, _with_connection, query, *arguments
            )
        except Exception as error:  # any fault of the database: waiting goes on
            log.warning("the turns could not be read: %r", error)
            return None


def _with_connection(query: Any, *arguments: Any) -> Any:
    close_old_connections()
    try:
        return query(*arguments)
    finally:
        close_old_connections()
