"""Tells people how long the server keeps what it knows of them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext, gettext_noop

from gemserver.accounts.guests import KEPT as GUESTS_KEPT
from gemserver.matches.words.clocks import span
from gemserver.operating.retention import KEY_KEPT, REPORT_KEPT, TICKET_GRACE, TROUBLE_KEPT, UNCONFIRMED
from gemserver.puzzles.answers import KEPT as ANSWERS_KEPT
from gemserver.study.hints import KEPT as HINTS_KEPT
from gemserver.study.reviews import KEPT as REVIEWS_KEPT
from gemserver.study.what_if import KEPT as WHAT_IFS_KEPT

Kept: TypeAlias = tuple[str, Callable[[], timedelta]]


def list_kept() -> list[tuple[str, str]]:
    """List what the server forgets by itself, each with the time that it is kept, in the active language."""
    kept = [_GUESTS, *OF_RULES.values()]
    if settings.MAIL_KEPT_DAYS and connection.vendor == "postgresql":
        kept.append(_ROWS_OF_MAIL)
    return [(gettext(what), span(after())) for what, after in kept]


def _mail() -> timedelta:
    return timedelta(days=settings.MAIL_RAW_DAYS)


OF_RULES: dict[str, Kept] = {
    "raw mail": (gettext_noop("Mails to this server, as they came"), _mail),
    "words of sent mail": (
        gettext_noop("Hashes of the words of mails to you, by which a reply that quotes them is known"),
        _mail,
    ),
    "mail to clubs": (gettext_noop("What you have written to your clubs by mail"), _mail),
    "reports of delivery": (gettext_noop("Whether mails to you have arrived"), lambda: REPORT_KEPT),
    "codes": (gettext_noop("Codes that you were sent, after they have expired"), lambda: TICKET_GRACE),
    "keys of programs": (
        gettext_noop("Under which keys your programs have asked for something"),
        lambda: KEY_KEPT,
    ),
    "unconfirmed accounts": (
        gettext_noop("Accounts that nobody has confirmed or used"),
        lambda: UNCONFIRMED,
    ),
    "hints": (gettext_noop("Hints that you have asked for"), lambda: HINTS_KEPT),
    "reviews": (gettext_noop("Reviews of matches"), lambda: REVIEWS_KEPT),
    "what-ifs": (gettext_noop("Other moves that you have tried, after the last one"), lambda: WHAT_IFS_KEPT),
    "answers to puzzles": (gettext_noop("Your answers to puzzles"), lambda: ANSWERS_KEPT),
    "reports of people": (
        gettext_noop("What was reported to moderators, after they have dealt with it"),
        lambda: TROUBLE_KEPT,
    ),
}
"""By the name of a rule of `retention`: what it is about, and the time after which it acts."""

_GUESTS: Kept = (gettext_noop("Guests and what they play"), lambda: GUESTS_KEPT)
_ROWS_OF_MAIL: Kept = (
    gettext_noop("That a mail came or went, and what became of its lines, by whole months"),
    lambda: timedelta(days=settings.MAIL_KEPT_DAYS),
)
