"""Signals by which a command is ended, for commands that must not leave what they have half made."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Let SIGTERM, and the end of the terminal, raise SystemExit where they would end the process at once."""

    def end(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    with _handling({number: end for number in ENDING if signal.getsignal(number) is signal.SIG_DFL}):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore these signals, and the second Ctrl-C of somebody who is impatient, while something is put in order.

    What is said to a terminal that is gone goes nowhere.
    """
    with _handling(dict.fromkeys((*ENDING, signal.SIGINT), signal.SIG_IGN)):
        for stream in (0, 1, 2):
            if _is_gone(stream):
                with open(os.devnull, "r+b") as nowhere:
                    os.dup2(nowhere.fileno(), stream)
        yield


def _is_gone(stream: int) -> bool:
    """True for a terminal that was closed, to which every write fails."""
    try:
        os.tcgetpgrp(stream)
    except OSError as error:
        return error.errno == errno.EIO
    return False


@contextmanager
def _handling(handlers: dict[signal.Signals, object]) -> Iterator[None]:
    former = {number: signal.signal(number, handler) for number, handler in handlers.items()}  # type: ignore[arg-type]
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
