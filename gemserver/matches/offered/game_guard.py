"""Keeps what is wrong with the game of somebody else inside that game.

A host wraps a game with `protect`. An exception that is no `GameError`, a call that does not come back, and a view that
depends on what its reader cannot know become `BrokenGame`, so that the host can stop the one match and go on. Only
Python code is interrupted; what hangs in C, such as a regular expression, is not. What a person has typed is another
matter: text that the game stumbles over is refused, or anybody could stop a match with it.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from typing import Any, cast

from msgspec import DecodeError

from games.chance import Chance
from games.contract import LONGEST_CALL, MOST_POINTS, Game, GameError, InvalidMove, Layout

READS_TEXT = frozenset({"parse", "steps", "read", "read_later", "spell_out"})
"""The functions that are handed what somebody has typed."""


class BrokenGame(Exception):
    """A game has failed in a way that is no player's doing; `what` says how, for its author."""

    def __init__(self, slug: str, what: str) -> None:
        self.slug = slug
        self.what = what
        super().__init__(slug, what)

    def __str__(self) -> str:
        return f"the game {self.slug} has failed: {self.what}"


UNPLAYABLE = (BrokenGame, GameError, DecodeError)
"""Raised for a match whose game fails or is not offered any more, whose moves do not replay, or whose position is
damaged."""


class TooLong(BaseException):
    """Raised in a thread whose call has taken too long; no `except Exception` of the game's swallows it."""


class _Watchdog:
    """A thread that interrupts calls after their time; one for each process, from its first call on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: dict[int, float] = {}
        self._interrupted: set[int] = set()
        self._process = 0

    def begin(self, seconds: float) -> None:
        if self._process != os.getpid():  # a process that was forked has the rows, but not the thread
            self._lock = threading.Lock()
            self._due, self._interrupted, self._process = {}, set(), os.getpid()
            threading.Thread(target=self._look, name="games", daemon=True).start()
        with self._lock:
            self._due[threading.get_ident()] = time.monotonic() + seconds

    def end(self) -> None:
        """The call of this thread is over; an interruption that has not arrived yet arrives here.

        To take it back would leave CPython 3.11 waiting for it: it hangs as soon as the thread is profiled.
        """
        with self._lock:
            thread = threading.get_ident()
            self._due.pop(thread, None)
            was_interrupted = thread in self._interrupted
            self._interrupted.discard(thread)
        if was_interrupted:
            with suppress(TooLong):
                for _ in range(1000):
                    pass

    def _look(self) -> None:
        while True:
            time.sleep(0.1)
            now = time.monotonic()
            with self._lock:
                for thread, due in list(self._due.items()):
                    if now > due:
                        self._due[thread] = now + 1  # again, for a game that catches everything
                        self._interrupted.add(thread)
                        _interrupt(thread)


def _interrupt(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TooLong))


_watchdog = _Watchdog()


def protect(game: Game, longest: float = LONGEST_CALL) -> Game:
    """Wrap a game so that it can fail only by `GameError` and `BrokenGame`."""
    slug = game.rules.meta.slug
    values = {field.name: getattr(game, field.name) for field in fields(Game)}
    for name, value in values.items():
        if name == "rules":
            values[name] = _GuardedRules(value, slug, longest)
        elif name == "words":
            values[name] = _Guarded(value, slug, longest)
        elif name == "sealed_pace" and value is not None:
            own = {field.name: getattr(value, field.name) for field in fields(value)}
            values[name] = type(value)(
                **{key: _guard(each, slug, key, longest) if each else None for key, each in own.items()}
            )
        elif callable(value):
            values[name] = _guard(value, slug, name, longest)
    return _Protected(**values, longest=longest)


class _Guarded:
    """Stands for rules, words or a layout: every function of it is called under guard."""

    def __init__(self, target: Any, slug: str, longest: float) -> None:
        self._target, self._slug, self._longest = target, slug, longest

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if callable(value) and not isinstance(value, type):
            value = _guard(value, self._slug, name, self._longest)
        self.__dict__[name] = value  # found without this function from now on
        return value


class _GuardedRules(_Guarded):
    """Rules whose views are held against what their reader can know, and whose scores can be kept."""

    @cached_property
    def view(self) -> Callable[[Any, Any], Any]:
        rules, slug = self._target, self._slug

        def view(state: Any, seat: Any) -> Any:
            shown = rules.view(state, seat)
            if rules.meta.has_hidden:
                redrawn = rules.resample(state, seat, Chance("guard", "view"))
                if rules.view(redrawn, seat) != shown:
                    raise BrokenGame(slug, f"the view of {seat} depends on what it cannot know")
            return shown

        return _guard(view, slug, "view", self._longest)

    @cached_property
    def standing(self) -> Callable[[Any], Any]:
        rules, slug = self._target, self._slug

        def standing(state: Any) -> Any:
            scores = rules.standing(state)
            for score in scores:
                if type(score) is not int or abs(score) > MOST_POINTS:
                    raise BrokenGame(
                        slug, f"the score {score!r:.40} is no whole number of at most {MOST_POINTS}"
                    )
            return scores

        return _guard(standing, slug, "standing", self._longest)


@dataclass(frozen=True, slots=True)
class _Protected(Game):
    longest: float = LONGEST_CALL

    @property
    def layout(self) -> Layout:
        slug = self.rules.meta.slug
        found = _guard(lambda: Game.layout.fget(self), slug, "layout", self.longest)()  # type: ignore[attr-defined]
        return cast(Layout, _Guarded(found, slug, self.longest))


def _guard(function: Callable[..., Any], slug: str, name: str, longest: float) -> Callable[..., Any]:
    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        result = _call(slug, name, longest, function, *arguments, **named)
        return _guard_each(result, slug, name, longest) if isinstance(result, Iterator) else result

    return call


def _guard_each(found: Iterator[Any], slug: str, name: str, longest: float) -> Iterator[Any]:
    end = object()
    while (item := _call(slug, name, longest, next, found, end)) is not end:
        yield item


def _call(
    slug: str, name: str, longest: float, function: Callable[..., Any], *arguments: Any, **named: Any
) -> Any:
    try:
        _watchdog.begin(longest)
        try:
            return function(*arguments, **named)
        finally:
            _watchdog.end()
    except (GameError, BrokenGame):
        raise
    except TooLong:
        _watchdog.end()  # it may have been interrupted itself
        what = f"{name} takes longer than {longest:g} seconds"
        cause: BaseException | None = None
    except (Exception, SystemExit) as error:  # `sys.exit` would end the process for all others
        what = f"{name} raises {type(error).__name__}"
        cause = error
    if name in READS_TEXT:
        raise InvalidMove(
            "unreadable", "This game cannot read that. Write one of the moves that are listed."
        ) from cause
    raise BrokenGame(slug, what) from cause
