"""The requests that are kept at this moment, and the limits on them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import TypeVar

from django.conf import settings

from gemserver.lib.web.waits import Subject, Wait

Key = TypeVar("Key")

REMEMBERED = 30
"""Seconds for which news are remembered: longer than any answer takes to be made."""


class TooMany(Exception):
    """Of this asker, from this address or in this process as many requests are kept as may be."""


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
    """All requests that are kept, by what they wait for. Everything happens in one event loop."""

    def __init__(self) -> None:
        self.is_closing = False
        self.heard_from = inf
        """The time of the loop from which all news has been heard of; none is while Redis is away."""
        self._kept: dict[Subject, set[Kept]] = {}
        self._by_asker: Counter[str] = Counter()
        self._by_address: Counter[str] = Counter()
        self._news: dict[Subject, float] = {}

    def __len__(self) -> int:
        return self._by_address.total()

    def keys(self, kind: str) -> set[int]:
        """The primary keys of all users, or of all matches, of which somebody waits for news."""
        return {key for of, key in self._kept if of == kind}

    @contextmanager
    def keep(self, wait: Wait, address: str, since: float) -> Iterator[Kept]:
        """Keep a request that was answered after `since`: what has become known from then on wakes it at once.

        Strangers, who need no account, fill half of the room at most.
        Raises TooMany.
        """
        if (
            len(self) >= settings.WAITING_MOST
            or (wait.asker and self._by_asker[wait.asker] >= settings.WAITING_PER_TOKEN)
            or (not wait.asker and len(self) - self._by_asker.total() >= settings.WAITING_MOST // 2)
            or self._by_address[address] >= settings.WAITING_PER_ADDRESS
        ):
            raise TooMany
        kept = Kept(wait)
        subjects = wait.subjects
        if wait.asker:
            self._by_asker[wait.asker] += 1
        self._by_address[address] += 1
        for subject in subjects:
            self._kept.setdefault(subject, set()).add(kept)
        try:
            if self.is_closing or any(self._news.get(subject, since) > since for subject in subjects):
                kept.wake()
            yield kept
        finally:
            self._leave(kept, subjects, wait.asker, address)

    def _leave(self, kept: Kept, subjects: Collection[Subject], asker: str | None, address: str) -> None:
        if asker:
            _count_down(self._by_asker, asker)
        _count_down(self._by_address, address)
        for subject in subjects:
            others = self._kept[subject]
            others.discard(kept)
            if not others:
                del self._kept[subject]

    def kept_by_tokens(self) -> Collection[Kept]:
        """The requests of programs."""
        return {kept for kept_for in self._kept.values() for kept in kept_for if kept.wait.token is not None}

    def kept_for(self, subject: Subject) -> Collection[Kept]:
        return tuple(self._kept.get(subject, ()))

    def note_news(self, subjects: Collection[Subject], now: float) -> None:
        """Remember that there is news of these, for a request whose first answer is still being made."""
        self._news = {subject: at for subject, at in self._news.items() if at > now - REMEMBERED}
        self._news |= dict.fromkeys(subjects, now)

    def close(self) -> None:
        """Let every request be answered now: the process ends."""
        self.is_closing = True
        for subject in tuple(self._kept):
            for kept in self.kept_for(subject):
                kept.wake()


def _count_down(counted: Counter[Key], key: Key) -> None:
    counted[key] -= 1
    if not counted[key]:
        del counted[key]
