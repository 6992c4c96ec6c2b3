"""Lists in pages: a keyset over primary keys, the newest first.

A list is a state, and its pages go down the primary keys, which never change: a row that is in the list from the first
page to the last is in it exactly once, however much is committed meanwhile. Primary keys are not in the order of
commits, so a cursor never means "what came since": no list here is a feed, and a program that asks for the first page
again is told of everything that is there then.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from ninja import Query

from gemserver.api.problems import Problem

Row = TypeVar("Row", bound=Model)

LONGEST = 60
Cursor = Annotated[
    str | None,
    Query(max_length=LONGEST, description="`next` of the page before; none or empty: the first page."),
]


def next_cursor(
    rows: QuerySet[Row], before: int | None, name: str, number: int
) -> tuple[list[Row], str | None]:
    """One page of these rows, those below the primary key `before`, and the cursor of the next page if there is one."""
    below = rows if before is None else rows.filter(pk__lt=before)
    found = list(below.order_by("-pk")[: number + 1])
    if len(found) <= number:
        return found, None
    return found[:number], write_cursor(name, found[number - 1].pk)


def write_cursor(name: str, *numbers: int) -> str:
    """A cursor of the list of this name; programs must not look into it."""
    text = ":".join([name, *map(str, numbers)])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(text: str | None, name: str) -> int | None:
    """The number in a cursor of this list; None without one, or for an empty one. Raises Problem(422)."""
    return read_numbers(text, name, 1)[0] if text else None


def read_numbers(text: str, name: str, length: int) -> list[int]:
    """The numbers in a cursor of this list, which has `length` of them. Raises Problem(422)."""
    try:
        kind, *numbers = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().split(":")
    except (binascii.Error, ValueError):
        raise bad_cursor() from None
    if kind != name or len(numbers) != length or not all(map(_is_number, numbers)):
        raise bad_cursor()
    return [int(number) for number in numbers]


def bad_cursor() -> Problem:
    return Problem(422, "bad-cursor", _("This is no cursor of this list; begin again with the first page."))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
