"""Copies of frozen dataclasses with some fields changed, for positions, of which a match makes thousands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    # So that the names and types of fields are checked as everywhere.
    from dataclasses import replace as replace
else:
    T = TypeVar("T")

    def replace(position: T, /, **changes: Any) -> T:
        """Return a copy with these fields changed, as `dataclasses.replace` does. Raises TypeError for other names.

        The standard function looks at every field's definition and calls `__init__`: without that random matches of
        GEM take 21 % less time, and of Jewellers 19 %.

        >>> from games.chance import Chance
        >>> from games.registry import game
        >>> state = game("gem").rules.deal(seats=2, options={}, chance=Chance("example", "deal"))
        >>> replace(state, day=2).day
        2
        """
        kind = type(position)
        copy = kind.__new__(kind)
        for name in kind.__match_args__:
            value = changes.pop(name) if name in changes else getattr(position, name)
            object.__setattr__(copy, name, value)
        if changes:
            raise TypeError(f"{kind.__name__} has no field {', '.join(changes)}")
        return copy
