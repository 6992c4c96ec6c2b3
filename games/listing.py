"""Lists of moves in mails and on pages where not all are listed: which are, and how many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from games.contract import GameError, Rules, Seat, Translator

T = TypeVar("T")

MOST_COUNTED = 40
"""More moves are not counted: in some positions there are thousands, and every mail and page counts anew."""


def say_unlisted(
    rules: Rules[Any, Any, Any],
    state: Any,
    seat: Seat,
    texts: Iterable[str],
    tr: Translator,
    count: int | None = None,
) -> str:
    """Say how many moves the seat has if these texts are not all of them; empty if they are.

    Texts that mean the same move count once, and what is no move of this position (an order) not at all. `count`: the
    number of moves, where it is known already; one above `MOST_COUNTED` stands for any that is.
    """
    if count is None:
        count = sum(1 for _ in islice(rules.legal_moves(state, seat), MOST_COUNTED + 1))
    listed = len(set(_rewrite(rules, state, seat, texts)))
    if count <= listed:
        return ""
    sentence = (
        tr.gettext("Listed here: {listed} of more than {count} ways; the others are written the same way.")
        if count > MOST_COUNTED
        else tr.gettext("Listed here: {listed} of {count} ways; the others are written the same way.")
    )
    return sentence.format(listed=listed, count=min(count, MOST_COUNTED))


def _rewrite(rules: Rules[Any, Any, Any], state: Any, seat: Seat, texts: Iterable[str]) -> Iterable[str]:
    for text in texts:
        with suppress(GameError):
            yield rules.write(rules.parse(state, seat, text))


def pick_examples(items: Sequence[T], number: int, traits: Callable[[T], Iterable[str]]) -> list[T]:
    """Pick some of the items, in their order, each with as many traits as it can have that none of the others has.

    >>> pick_examples(["a1", "a2", "b1", "b2"], 2, list)
    ['a1', 'b2']
    """
    if len(items) <= number:
        return list(items)
    first: dict[tuple[str, ...], int] = {}
    for place, item in enumerate(items):
        first.setdefault(tuple(traits(item)), place)
    times: Counter[str] = Counter()
    picked: list[int] = []
    while first and len(picked) < number:
        best = min(first, key=lambda combined: _rate([times[trait] for trait in combined]))
        picked.append(first.pop(best))
        times.update(best)
    picked += [place for place in range(len(items)) if place not in picked][: number - len(picked)]
    return [items[place] for place in sorted(picked)]


def _rate(times: Sequence[int]) -> tuple[int, int]:
    """The lowest is best: the most traits that are new, then the fewest repetitions."""
    return -times.count(0), sum(times)
