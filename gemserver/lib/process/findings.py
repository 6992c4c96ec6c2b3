"""Results of examining a server, one line each, with what to do."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


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


def examine_each(checks: Mapping[str, Callable[[], Iterable[Finding]]]) -> Iterator[Finding]:
    """The findings of all these checks, by their subjects; one that raises is a finding, and the next go on."""
    for subject, check in checks.items():
        try:
            yield from check()
        except Exception as error:  # whatever is wrong with a server, the rest of it is to be looked at
            yield _say_failure(subject, error)


def _say_failure(subject: str, error: Exception) -> Finding:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        advice = "Let whoever examines the server read this, or run it as root."
        return Finding(subject, f"{error.filename}: {error.strerror}", advice)
    # Not its words, which may quote a password.
    place = traceback.extract_tb(error.__traceback__)[-1]
    found = f"the check itself failed: {type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
    return Finding(subject, found, "Report this line. All else was looked at.")
