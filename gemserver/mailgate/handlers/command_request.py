"""One command of a mail, ready to be carried out, and the type of its handler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from games.contract import Json, Message
from gemserver.accounts.models import User
from gemserver.events.models import Replacement
from gemserver.matches.models import Holiday, Seat, Sitting, Undo
from gemserver.matches.refusal import Refused


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """A command and its author; `seat` is None if it was sent to the account, and not to one match.

    `now` is the receipt of the mail; `request_id` names the line for good, so that it is carried out once.
    `is_binding`: it may do irreversible things, as it was sent to an address with a token and the mail was not held
    (mail-requirements.md A6, S4).
    """

    user: User
    seat: Seat | None
    argument: str
    now: datetime
    request_id: str = ""
    is_binding: bool = False
    is_proved: Callable[[], bool] = lambda: False
    """True if it comes from the player's registered address, and its sender is proved whatever `MAIL_AUTH` asks for."""
    seen_ply: int | None = None
    """The ply after which its writer saw the match, if known."""
    proposal: Undo | Holiday | Sitting | Replacement | None = None
    """The question that the mail replies to, which is the only one that it can answer then."""
    secrets: dict[str, str] = field(default_factory=dict)
    """Takes secrets for the answer alone, by name."""

    @property
    def is_sitters(self) -> bool:
        """True if it comes from a sitter."""
        return self.seat is not None and self.seat.user_id != self.user.pk

    def require_seat(self) -> Seat:
        """Return the seat. Raises Refused(no-match)."""
        if self.seat is None:
            raise Refused(
                "no-match",
                "This address belongs to your account, not to a match. Answer a mail of the match you mean, or write "
                "the match before the word, like M17: leave",
            )
        return self.seat


class NotSure(Refused):
    """A command that may mean several things, or was misspelt; `candidates` are the lines that may have been meant."""

    def __init__(self, code: str, template: str, /, candidates: Sequence[str], **params: Json) -> None:
        super().__init__(code, template, "refused", **params)
        self.candidates = tuple(candidates)


def with_moves_meant(refusal: Refused, moves: Sequence[str], *, ready: str) -> Refused:
    """The refusal of a try in a lesson or puzzle that is no move; it asks what was meant if that may be these moves.

    `ready`: the words before a move in a reply that is ready to be sent. The refusal's `move` is what was tried.
    """
    if not moves:
        return refusal
    params = {**refusal.message.params, "moves": " · ".join(moves)}
    lines = [f"{ready} {move}" for move in moves]
    return NotSure(refusal.code, "Not understood: “{move}”. Did you mean: {moves}", lines, **params)


Handler: TypeAlias = Callable[[CommandRequest], Message]
"""Carries out a command and returns the answer to it; raises Refused."""
