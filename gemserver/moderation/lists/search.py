"""Searches of lists that go by index, among a hundred million rows as among a thousand.

Django's own search joins tables and asks for any of their columns, for which PostgreSQL reads them all. Here what is
searched for is first looked up where it is named (accounts, matches), and then rows are asked for by columns of their
own table, each of which has an index (`operating.search_indexes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import Model, Q
from django.utils.text import smart_split, unescape_string_literal

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from gemserver.moderation.lists.bounds import MOST_LISTED

MOST_PEOPLE = 100
"""Accounts that one word stands for: those with the first names."""
SHORTEST_PART = 3
"""Letters of a word that is looked for within others; trigrams find no shorter one. A shorter one is a whole name."""


def split_words(text: str) -> list[str]:
    """The words of a search; those in quotes are one."""
    return [
        unescape_string_literal(word) if word[0] in "\"'" and word[-1] == word[0] and len(word) > 1 else word
        for word in smart_split(text)
    ]


def condition(model: type[Model], fields: Iterable[str], among: Mapping[str, Q], word: str) -> Q:
    """The rows of this model that a word finds in these fields, written as in `ReadOnlyAdmin.search_fields`."""
    found = Q(pk__in=[])
    for field in fields:
        match field[0]:
            case "=":
                found |= Q(**{f"{field[1:]}__in": sorted({word, word.lower(), word.upper()})})
            case "@":
                found |= _refers(model, field[1:], people(word))
            case "#":
                found |= _refers(model, field[1:], _matches(word))
            case _:
                found |= Q(contains(field, word), among.get(field, Q()))
    return found


def contains(field: str, word: str) -> Q:
    return Q(**{f"{field}__icontains" if len(word) >= SHORTEST_PART else f"{field}__iexact": word})


def people(word: str) -> list[int]:
    """The accounts with this in their name or in an address of theirs."""
    named = User.objects.filter(contains("username", word)).order_by("username")
    found = list(named.values_list("pk", flat=True)[:MOST_PEOPLE])
    written = EmailAddress.objects.filter(contains("email", word)).order_by("email")
    return sorted({*found, *written.values_list("user", flat=True)[:MOST_PEOPLE]})


def _matches(word: str) -> list[int]:
    return list(Match.objects.filter(code__in={word, word.upper()}).values_list("pk", flat=True))


def _refers(model: type[Model], path: str, keys: list[int]) -> Q:
    """Rows that refer to one of these; by way of another table, the newest `MOST_LISTED` of them."""
    if not keys:
        return Q(pk__in=[])
    refers: dict[str, Any] = {f"{path}__in": keys}
    if "__" not in path:
        return Q(**refers)
    rows = model._default_manager.filter(**refers).order_by("-pk").values_list("pk", flat=True)
    return Q(pk__in=list(rows[:MOST_LISTED]))
