"""`manage.py makemessages`: also finds the words on boards, and sentences that travel untranslated."""

from __future__ import annotations

from typing import Any

from django.core.management.commands import makemessages

KEYWORDS = (
    "Message:1",
    "InvalidMove:2",
    "AmbiguousMove:2",
    "IllegalMove:2",
    "Refused:2",
    "UnreadableMail:2",
    "_unread:3",
    "Option:3",
)
"""Callables and which of their arguments is the sentence."""


class Command(makemessages.Command):
    """Django's own, with `KEYWORDS`, and with pictures among the templates."""

    xgettext_options = [*makemessages.Command.xgettext_options, *(f"--keyword={word}" for word in KEYWORDS)]

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(
            *args, **{**options, "extensions": options["extensions"] or ["html", "txt", "svg", "py"]}
        )
