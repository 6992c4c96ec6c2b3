"""Puts the words of a line into the order of the notation: German verbs, places before their object, payments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

SIDES = frozenset(("north", "east", "south", "west"))
_SHORT_SIDES = SIDES | {side[0] for side in SIDES}
_CELL = re.compile(r"[a-g][1-9]|-?\d+,-?\d+")
_GEM = 2
"""Letters of the code of a gem; a tile has four."""
_COLOURS = re.compile(r"[a-z]{3,}-[a-z]{3,}")
_ROWS = frozenset(("above", "below", "headstone", "decoration", "base"))


def with_verbs_in_front(spoken: Sequence[str], verbs: frozenset[str]) -> list[str]:
    """German puts the verb behind: `sr take 3 pay` becomes `take sr pay 3`."""
    clauses: list[list[str]] = [[]]
    for word in spoken:
        if word in verbs:
            clauses[-1].insert(0, word)
            clauses.append([])
        else:
            clauses[-1].append(word)
    return [word for clause in clauses for word in clause]


def with_sides_behind(spoken: Sequence[str]) -> list[str]:
    """`gem rg north 0,-1`, said as *on the north side of 0,-1*, becomes `gem rg 0,-1 north`."""
    words = [*spoken]
    for place, (one, other) in enumerate(pairwise(spoken)):
        if one in SIDES and _CELL.fullmatch(other):
            words[place : place + 2] = other, one
    return words


def with_payment_behind(spoken: Sequence[str], verb: str) -> list[str]:
    """`pay 2 pay sr`, said as *pay 2 for SR*, becomes `take sr pay 2`; `invest 2 sr` becomes `invest sr pay 2`."""
    coins = list(takewhile(str.isdecimal, spoken[1:]))
    rest = list(spoken[1 + len(coins) :])
    if spoken[0] == "pay" and rest[:1] == ["pay"]:
        rest = rest[1:]
    elif spoken[0] != verb or "pay" in rest:
        return list(spoken)
    return [verb, *rest, "pay", *coins] if coins and rest else list(spoken)


def turn_round(spoken: Sequence[str], verbs: frozenset[str], *, is_paid: bool) -> Iterator[list[str]]:
    """Yield the words with the verb in front, with the place behind its object too, and with `pay` before the coins.

    >>> orders = turn_round(["d5", "place", "rrgg", "east"], frozenset(["place"]), is_paid=False)
    >>> sorted({" ".join(order) for order in orders})
    ['place rrgg d5 east', 'place rrgg east d5']
    """
    clauses: list[list[str]] = []
    before = list(takewhile(lambda word: word not in verbs, spoken))
    for word in spoken[len(before) :]:
        if word in verbs:
            clauses.append([word])
        else:
            clauses[-1].append(word)
    if not clauses or len(clauses) > 2:
        return
    clauses[0] += before
    for order in (clauses, clauses[::-1]):
        words = [word for clause in order for word in clause]
        yield words
        yield _with_place_behind(words)
        coins = [word for word in words if word.isdecimal()]
        if is_paid and coins and words[0] != "pay":
            if "pay" not in words:  # `take d3 1 3 et`: behind a coin all is paid with
                first = words.index(coins[0])
                yield [*words[:first], "pay", *words[first:]]
            yield [*(word for word in words if not word.isdecimal() and word != "pay"), "pay", *coins]


def _with_place_behind(words: Sequence[str]) -> list[str]:
    """`place d5 e rrgg` becomes `place rrgg d5 e`, `play row 2 ruby` becomes `play ruby row 2`; one place alone."""
    verb, *rest = words
    places, sides, objects = [], [], []
    for number, word in enumerate(rest):
        if _CELL.fullmatch(word) or word in _ROWS or word == "row" or (number and rest[number - 1] == "row"):
            places.append(word)
        elif word.lower() in _SHORT_SIDES:
            sides.append(word)
        else:
            objects.append(word)
    if len(sides) > 1 or len(places) > (2 if "row" in places else 1):
        return [*words]
    return [verb, *objects, *places, *sides]


def with_kinds_named(words: Sequence[str]) -> list[str]:
    """`trade bo bobo`, gems of two letters and tiles of four, becomes `trade gems bo tiles bobo`.

    A kind that was said and is not among them stays where it is, and makes no move: *PO and RP, the tiles*.
    """
    pieces = [word for word in words[1:] if word not in ("gems", "tiles", "gem", "play")]
    gems = [word for word in pieces if len(word) == _GEM or _COLOURS.fullmatch(word)]
    tiles = [word for word in pieces if word not in gems]
    if ("gems" in words and not gems) or ("tiles" in words and not tiles):
        return [*words]
    return [words[0], *(["gems", *gems] if gems else []), *(["tiles", *tiles] if tiles else [])]


def with_step_words(words: Sequence[str]) -> list[str]:
    """The steps of a turn with the words put in that are left out: `gog- 0,1 n go n` is `play gog- 0,1 n gem go n`."""
    if words[0] == "+":
        return [*words]
    steps: list[str] = []
    said = [word for word in words if word != "+"]
    for place, word in enumerate(said):
        above, below = steps[-1] if steps else "", said[place + 1] if place + 1 < len(said) else ""
        is_tile = bool(_CELL.fullmatch(below)) and word not in ("play", "gem") and len(word) > _GEM
        if is_tile and not _COLOURS.fullmatch(word):
            begins, verb = above != "play", "play"
        else:
            begins, verb = (
                len(word) == _GEM and above in (*_SHORT_SIDES, "") and word not in _SHORT_SIDES,
                "gem",
            )
        if begins:
            steps.append(verb)
        steps.append(word)
    joined: list[str] = []
    for place, word in enumerate(steps):
        is_new = word == "play" or (word == "gem" and any(map(_CELL.fullmatch, steps[place + 2 : place + 3])))
        joined += ["+", word] if is_new and place else [word]
    return joined
