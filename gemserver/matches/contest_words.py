"""The contests of a match as people read them; records and proofs keep the names that `Rules.context` gives."""

from __future__ import annotations

import re

from django.utils.translation import gettext

_NUMBER = re.compile(r"\d+")


def name_contest(context: str) -> str:
    """`day 2 auction 1` in the active language: each game lists its own in `GameMeta.contests`."""
    return gettext(_NUMBER.sub("{}", context)).format(*_NUMBER.findall(context))
