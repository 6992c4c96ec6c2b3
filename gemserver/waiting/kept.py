"""The requests that are kept at this moment, and the limits on them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from django.conf import settings

from gemserver.lib.waits import Wait

Key = TypeVar("Key")

REMEMBERED = 30
"""Seconds for which news are remembered: longer than any answer takes to be made."""


class TooMany(Exception):
    """This token, address or process keeps as many requests as it may."""


@dataclass(eq=False, slots=True)
class Kept:
    """One request, and its wait for news."""

    wait: Wait
    _woken: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def wake(self) -> None:
        if not self._woken.done():
            self._woken.set_result(None)

    async def sleep(self, until: float) -> bool:
        """Wait until somebody wakes the request, or until this time of the loop; return whether it was woken."""
        loop = asyncio.get_running_loop()
        is_over = False

        def end() -> None:
            nonlocal is_over
            is_over = True
            self.wake()

        timer = loop.call_at(until, end)
        try:
            await self._woken
        finally:
            timer.cancel()
        self._woken = loop.create_future()
        return not is_over


class Room:
    """All requests that are kept, by the user whose turns they wait for. Everything happens in one event loop."""

    def __init__(self) -> None:
        self.is_closing = False
        self._kept: dict[int, set[Kept]] = {}
        self._by_token: Counter[int] = Counter()
        self._by_address: Counter[str] = Counter()
        self._news: dict[int, float] = {}

    def __len__(self) -> int:
        return self._by_token.total()

    @property
    def users(self) -> Collection[int]:
        return self._kept.keys()

    @contextmanager
    def keep(self, wait: Wait, address: str, since: float) -> Iterator[Kept]:
        """Keep a request that was answered after `since`: what has become known from then on wakes it at once.

        Raises TooMany.
        """
        if (
            len(self) >= settings.WAITING_MOST
            or self._by_token[wait.token] >= settings.WAITING_PER_TOKEN
            or self._by_address[address] >= settings.WAITING_PER_ADDRESS
        ):
            raise TooMany
        kept = Kept(wait)
        self._by_token[wait.token] += 1
        self._by_address[address] += 1
        self._kept.setdefault(wait.user, set()).add(kept)
        try:
            if self.is_closing or self._news.get(wait.user, since) > since:
                kept.wake()
            yield kept
        finally:
            self._leave(kept, address)

    def _leave(self, kept: Kept, address: str) -> None:
        _count_down(self._by_token, kept.wait.token)
        _count_down(self._by_address, address)
        others = self._kept[kept.wait.user]
        others.discard(kept)
        if not others:
            del self._kept[kept.wait.user]

    def kept_of(self, user: int) -> Collection[Kept]:
        return tuple(self._kept.get(user, ()))

    def note_news(self, users: Collection[int], now: float) -> None:
        """Remember that there is news for these users, for a request whose first answer is still being made."""
        self._news = {user: at for user, at in self._news.items() if at > now - REMEMBERED}
        self._news |= dict.fromkeys(users, now)

    def close(self) -> None:
        """Let every request be answered now: the process ends."""
        self.is_closing = True
        for user in self.users:
            for kept in self.kept_of(user):
                kept.wake()


def _count_down(counted: Counter[Key], key: Key) -> None:
    counted[key] -= 1
    if not counted[key]:
        del counted[key]
