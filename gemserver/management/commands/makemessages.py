"""`manage.py makemessages`: also finds the words on boards, and sentences that travel untranslated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

from games.terminal import messages

KEYWORDS = (
    *messages.KEYWORDS,
    "Refused:2",
    "NotSure:2",
    "UnreadableMail:2",
    "UnreadableRecord:2",
    "UnreadableArchive:2",
    "UnreadableResults:2",
    "UnknownGame:2",
    "NotVerified:2",
    "unreadable:2",
    "_unread:3",
)
"""Callables and which of their arguments is the sentence."""

NO_SENTENCES = ("games/starter/*",)
"""A package to begin another game with: its sentences are not ours."""


class _File(makemessages.BuildFile):
    """Django's own; the tags of a template of Jinja, as every drawing is one, are read as Python."""

    def preprocess(self) -> None:
        if not self.path.endswith((".svg", ".jinja")):
            super().preprocess()
            return
        text = Path(self.path).read_text(encoding="utf-8")
        Path(self.work_path).write_text(messages.read_template(text), encoding="utf-8")


class Command(makemessages.Command):
    """Django's own, with `KEYWORDS`, and with pictures among the templates."""

    build_file_class = _File
    xgettext_options = [*makemessages.Command.xgettext_options, *(f"--keyword={word}" for word in KEYWORDS)]

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(
            *args,
            **{
                **options,
                "extensions": options["extensions"] or ["html", "txt", "svg", "jinja", "py"],
                "ignore_patterns": [*options["ignore_patterns"], *NO_SENTENCES],
            },
        )
