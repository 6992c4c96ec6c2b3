"""Results of a mail and of its lines, as rows that the receipt turns into sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from games.contract import Json, Message
from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.matches.models import Seat
from gemserver.matches.words.messages import words_of

Outcome = Literal["done", "shown", "refused", "unread"]


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result of one line: outcome, a stable code, and the sentence with the next step (untranslated)."""

    line: str
    outcome: Outcome
    code: str = ""
    message: Message | None = None
    ply: int | None = None
    """Ply of the move that was played."""
    candidates: tuple[str, ...] = ()
    """Moves that an unread line may have meant."""

    def to_json(self) -> dict[str, Any]:
        """The form in which `InboundEmail.results` keeps it."""
        return {
            "line": self.line,
            "outcome": self.outcome,
            "code": self.code,
            "message": _write_message(self.message) if self.message else None,
            "ply": self.ply,
            "candidates": list(self.candidates),
        }

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> LineResult:
        message = _read_message(*row["message"]) if row["message"] else None
        return cls(
            row["line"], row["outcome"], row["code"], message, row["ply"], tuple(row.get("candidates", ()))
        )

    @property
    def sentence(self) -> str:
        """The reason and the next step, in the active language; empty if there is nothing to add."""
        return words_of(self.message) if self.message else ""


def _write_message(message: Message) -> list[Any]:
    words = {name: _write_message(word) for name, word in message.words.items()}
    return [message.template, dict(message.params), *([words] if words else [])]


def _read_message(
    template: str, params: Mapping[str, Json], words: Mapping[str, list[Any]] | None = None
) -> Message:
    return Message(template, params, {name: _read_message(*word) for name, word in (words or {}).items()})


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a whole mail; `answer` says whether the player is told."""

    state: InboundEmail.State
    code: str = ""
    user: User | None = None
    seat: Seat | None = None
    results: tuple[LineResult, ...] = ()
    answer: bool = False
    quiet_until: datetime | None = None
    """The instant until which more such mails are not answered, as the answer says."""
    erases: bool = False
    """True if the account is erased once the verdict is noted."""
    previewed: str | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    """Secrets that may stand in the answer alone, by name."""
