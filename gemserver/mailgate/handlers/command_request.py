"""One command of a mail, ready to be carried out, and what carries it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.matches.models import Seat
from gemserver.matches.refusal import Refused


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """Who asks for what: `seat` is None for what was sent to the account, and not for one match.

    `now` is the receipt of the mail; `request_id` names the line for good, so that it is carried out once.
    `is_binding`: whether it may do what cannot be undone: sent to an address with a token, and not a mail that was
    held (mail-requirements.md A6, S4).
    """

    user: User
    seat: Seat | None
    argument: str
    now: datetime
    request_id: str = ""
    is_binding: bool = False
    seen_ply: int | None = None
    """After which ply of the match its writer saw it, when that is known."""
    secrets: dict[str, str] = field(default_factory=dict)
    """Takes what only the answer to the mail may hold, by name."""

    @property
    def is_sitters(self) -> bool:
        """Whether it comes from who sits in the seat for its player."""
        return self.seat is not None and self.seat.user_id != self.user.pk

    def require_seat(self) -> Seat:
        """Raises Refused(no-match)."""
        if self.seat is None:
            raise Refused(
                "no-match",
                "This address belongs to your account, not to a match. Answer a mail of the match you mean, or write "
                "the match before the word, like M17: leave",
            )
        return self.seat


Handler: TypeAlias = Callable[[CommandRequest], Message]
"""A command's work and what to say of it; raises Refused."""
