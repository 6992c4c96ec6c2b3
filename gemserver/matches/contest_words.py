"""The contests of a match as people read them; records and proofs keep the names that `Rules.context` gives."""

from __future__ import annotations

import re

from django.utils.translation import gettext, gettext_noop

CONTESTS = (
    gettext_noop("day {} auction {}"),
    gettext_noop("day {} investments"),
    gettext_noop("round {} turn {}"),
    gettext_noop("gem {}"),
)
"""The contexts of all games, their numbers left out."""

_NUMBER = re.compile(r"\d+")


def name_contest(context: str) -> str:
    """`day 2 auction 1` in the active language."""
    return gettext(_NUMBER.sub("{}", context)).format(*_NUMBER.findall(context))
