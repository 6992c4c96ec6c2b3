"""`Refused`, the exception that actions raise to refuse."""

from __future__ import annotations

from games.contract import ENGLISH, GameError, Json, Message
from games.orders import UnreadableOrder
from gemserver.matches.words.messages import words_of


class Refused(Exception):
    """An action that was not carried out; nothing has changed.

    `code` is stable (`not-your-turn`); `message` says what is wrong and what to do next; `kind` is `refused`, or the
    kind of the game's error: `invalid`, `ambiguous`, `illegal`.
    """

    def __init__(self, code: str, template: str, /, kind: str = "refused", **params: Json) -> None:
        self.code = code
        self.kind = kind
        self.message = Message(template, params)
        super().__init__(code, template, params)

    @classmethod
    def by_game(cls, error: GameError | UnreadableOrder) -> Refused:
        """A refusal that passes a game's error on."""
        if isinstance(error, UnreadableOrder):
            error = error.error
        refusal = cls(error.code, error.message.template, kind=error.kind)
        refusal.message = error.message
        return refusal

    def text(self) -> str:
        """The sentence, in the active language."""
        return words_of(self.message)

    def __str__(self) -> str:
        return f"{self.kind} ({self.code}): {self.message.text(ENGLISH)}"
