"""How long a call of a game may take: a server stops the match of one that takes longer."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from games.contract import LONGEST_CALL


class NoAnswer(AssertionError):
    """A call of a game takes longer than a server waits."""


@contextmanager
def expect_an_answer(what: str) -> Iterator[None]:
    """Raise NoAnswer if what runs inside takes longer than `LONGEST_CALL`; `what` names the function.

    Where the system has no timers (Windows), what never comes back is not interrupted.
    """
    said = (
        f"`{what}` takes longer than {LONGEST_CALL:g} seconds: a server stops the match of a game that does"
    )

    def interrupt(number: int, frame: object) -> None:
        raise NoAnswer(said)

    can_interrupt = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    began = time.monotonic()
    if can_interrupt:
        former = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, LONGEST_CALL)
    try:
        yield
    finally:
        if can_interrupt:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, former)
    if time.monotonic() - began > LONGEST_CALL:
        raise NoAnswer(said)
