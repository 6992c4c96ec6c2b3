"""Contests by the names that people read; records and proofs keep those of `Rules.context`."""

from __future__ import annotations

import re

from django.utils.translation import gettext

_NUMBER = re.compile(r"\d+")


def name_contest(context: str) -> str:
    """Translate a name like `day 2 auction 1`; each game lists its own in `GameMeta.contests`."""
    return gettext(_NUMBER.sub("{}", context)).format(*_NUMBER.findall(context))
