"""Worked examples of the API as `curl` commands; a test runs every one of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_noop

from gemserver.lib.web.problems import API_ROOT


@dataclass(frozen=True, slots=True)
class Example:
    """One request; `path` is below the root, `about` the sentence over it, before translation."""

    about: str
    path: str
    body: Mapping[str, Any] | None = None
    key: str = ""
    headers: Mapping[str, str] | None = None

    @property
    def words(self) -> str:
        return gettext(self.about)

    def curl(self, site: str) -> str:
        """The command, for a shell in which `$TOKEN` is the personal token."""
        parts = ['curl -H "Authorization: Bearer $TOKEN"']
        parts += [f"-H '{name}: {value}'" for name, value in (self.headers or {}).items()]
        if self.key:
            parts.append(f"-H 'Idempotency-Key: {self.key}'")
        if self.body is not None:
            parts.append("-H 'Content-Type: application/json'")
            parts.append(f"-d '{json.dumps(self.body)}'")
        elif self.key:
            parts.append("-X POST")
        parts.append(f"'{site}{API_ROOT}{self.path}'")
        return " \\\n  ".join(parts)


EXAMPLES: Sequence[Example] = (
    Example(gettext_noop("Which matches wait for you? The answer has an ETag."), "turns"),
    Example(
        gettext_noop("Ask again with it: 304 says that nothing is new, and has no body."),
        "turns",
        headers={"If-None-Match": '"0123456789abcdef0123456789abcdef"'},
    ),
    Example(
        gettext_noop("Look at one of them: what you see, what you are asked, all legal moves."), "matches/M17"
    ),
    Example(gettext_noop("In games with long moves, build one step by step."), "matches/M17/steps?begun="),
    Example(
        gettext_noop("Try a move out; nothing changes."),
        "matches/M17/preview",
        {"text": "bid 1", "prompt_ply": 1},
    ),
    Example(
        gettext_noop(
            "Play it. Sent again under the same key it does nothing more, so send it until you have an answer."
        ),
        "matches/M17/move",
        {"text": "bid 1", "prompt_ply": 1},
        "my-first-move",
    ),
    Example(
        gettext_noop("Say what you would do next, so that nobody waits for you."),
        "matches/M17/plan",
        {"text": "bid 3 else pass"},
        "my-plan",
    ),
    Example(gettext_noop("What has happened?"), "matches/M17/log?after=0"),
    Example(
        gettext_noop("Follow a match, move by move: ask with its last “next” as “since”; empty, it begins."),
        "matches/M17/log?since=",
    ),
    Example(
        gettext_noop("Say something to the table."),
        "matches/M17/say",
        {"text": "Good luck!"},
        "greeting-in-M17",
    ),
    Example(gettext_noop("Ask the others to take your last move back."), "matches/M17/undo", None, "undo-1"),
    Example(gettext_noop("Find a table with a free seat."), "tables?game=gem"),
    Example(
        gettext_noop("Or open one, with a computer player beside you."),
        "tables",
        {"game": "gem", "seats": 3, "clock": "3d", "bots": ["easy"]},
        "table-of-today",
    ),
    Example(
        gettext_noop("Be away for some days."),
        "account/vacation",
        {"first": "2026-04-01", "last": "2026-04-05"},
        "april",
    ),
    Example(gettext_noop("Read the record of a match."), "matches/M17/record"),
    Example(gettext_noop("How are you rated?"), "ratings"),
)
"""In the order in which they can be tried: M17 is a match of GEM in which you are asked for the first bid."""
