"""Readers, languages and players' names for the tests of words."""

from __future__ import annotations

import gettext
from dataclasses import fields, is_dataclass
from typing import Any

from games.contract import Seat, seat_letter

TR = gettext.NullTranslations()
NAMES = ("Ana", "Benedikt von und zu Hohenfels-Schwarzenberg", "陈", "D’Arcy", "Eve", "Frøydis", "Guy", "Hal")


def list_readers(seats: int) -> list[Seat | None]:
    """A spectator, then every seat."""
    return [None, *range(seats)]


def name_reader(reader: Seat | None) -> str:
    """Name a reader in the message of a test."""
    return "a spectator" if reader is None else f"seat {seat_letter(reader)}"


def tell_difference(one: Any, other: Any) -> str:
    """Name the fields in which two values differ, `View.left: 3 or 4`; empty when they are equal."""
    if one == other:
        return ""
    if type(one) is type(other) and is_dataclass(one):
        names = [
            field.name for field in fields(one) if getattr(one, field.name) != getattr(other, field.name)
        ]
        told = [
            f"{type(one).__name__}.{name}: {getattr(one, name)!r} or {getattr(other, name)!r}"
            for name in names
        ]
        return "; ".join(told) or f"two equal {type(one).__name__} are not equal: make it a dataclass"
    return f"{one!r} or {other!r}"
