"""Results of examining a server, one line each, with what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check; `advice` says what to do, and is empty if all is well."""

    subject: str
    found: str
    advice: str = ""

    @property
    def is_good(self) -> bool:
        return not self.advice

    def write(self, width: int = 8) -> str:
        """A line, and the advice below it."""
        line = f"{'ok  ' if self.is_good else 'TODO'} {self.subject:<{width}} {self.found}"
        return f"{line}\n{'':{width + 6}}{self.advice}" if self.advice else line
