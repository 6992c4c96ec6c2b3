"""Limits on how long the database waits for a lock, works on a statement, and keeps an idle transaction.

Each kind of process has its own: whoever serves people must answer soon, while a command that somebody runs by hand may
take its time. PostgreSQL enforces all three; SQLite only waits for its one lock, by `timeout`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds; 0 is for ever."""

    lock: float = 0
    statement: float = 0
    idle: float = 0
    """For a transaction in which nothing happens: its locks hold up others."""

    @property
    def options(self) -> str:
        """The options that libpq sends to the server when it connects."""
        given = {
            "lock_timeout": self.lock,
            "statement_timeout": self.statement,
            "idle_in_transaction_session_timeout": self.idle,
        }
        return " ".join(f"-c {name}={round(1000 * seconds)}" for name, seconds in given.items() if seconds)


WEB, MAIL, TASKS, COMMANDS = "web", "mail", "tasks", "commands"
PATIENCE: Mapping[str, Patience] = MappingProxyType(
    {
        # All threads may be waiting for one row: a probe must not lose its patience meanwhile.
        WEB: Patience(lock=2, statement=15, idle=30),
        # A sending mail server waits for minutes, and comes again after 451.
        MAIL: Patience(lock=5, statement=15, idle=30),
        # A locked row is left to a later sweep, so that the other rows come first.
        TASKS: Patience(lock=2, statement=60, idle=60),
        COMMANDS: Patience(),
    }
)
_kind = COMMANDS


def serve_as(kind: str) -> None:
    """Say what kind of process this is, before it connects to the database; the default is a command run by hand."""
    global _kind
    _kind = kind


def patience() -> Patience:
    return PATIENCE[_kind]
