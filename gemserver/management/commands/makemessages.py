"""`manage.py makemessages`: also finds the sentences that travel untranslated in messages, refusals and errors."""

from __future__ import annotations

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
    xgettext_options = [*makemessages.Command.xgettext_options, *(f"--keyword={word}" for word in KEYWORDS)]
