"""The deeds that players were told were done: the truth that the server is held against."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deed:
    """A move that was acknowledged: on the web by its page, by mail with 250.

    `key`: the form's request id, or the mail's Message-ID without its brackets.
    """

    way: str
    match_id: int
    seat: int
    user_id: int
    key: str


class Deeds:
    """All of them, from several threads."""

    def __init__(self) -> None:
        self._deeds: list[Deed] = []
        self._complaints: list[str] = []
        self._lock = threading.Lock()
        self.hardships = 0
        """Number of times that a page or a mail server did not take a correct move at once."""

    def add(self, deed: Deed) -> None:
        with self._lock:
            self._deeds.append(deed)

    def complain(self, sentence: str) -> None:
        """Note a sentence that a player should never have been told."""
        with self._lock:
            self._complaints.append(sentence)

    def note_hardship(self) -> None:
        with self._lock:
            self.hardships += 1

    def __len__(self) -> int:
        return len(self._deeds)

    def all(self) -> list[Deed]:
        with self._lock:
            return list(self._deeds)

    def complaints(self) -> list[str]:
        with self._lock:
            return list(self._complaints)
