"""Positions and events as JSON text, by codecs generated from their types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from games.contract import Event

_decoders: dict[type[Any], msgspec.json.Decoder[Any]] = {}
_encoder = msgspec.json.Encoder(order="sorted")


def dump(state: object) -> str:
    """The position as JSON text; equal positions give equal text."""
    return _encoder.encode(state).decode()


def to_plain(value: object) -> Any:
    """The value as plain data, as `dump` writes it."""
    return msgspec.json.decode(_encoder.encode(value))


def load(state_type: type[Any], text: str) -> Any:
    """Read a position that `dump` wrote; raises msgspec.ValidationError when the text does not fit the type."""
    if state_type not in _decoders:
        _decoders[state_type] = msgspec.json.Decoder(state_type)
    return _decoders[state_type].decode(text)


def dump_events(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Events as plain data, the same as a JSON column returns."""
    plain: list[dict[str, Any]] = msgspec.json.decode(_encoder.encode(list(events)))
    return plain


def load_events(rows: Iterable[Mapping[str, Any]]) -> list[Event]:
    """Read events that `dump_events` wrote."""
    return [
        Event(
            kind=row["kind"],
            seat=row["seat"],
            data=row["data"],
            audience=None if row["audience"] is None else frozenset(row["audience"]),
        )
        for row in rows
    ]
