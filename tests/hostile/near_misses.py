"""Texts that nearly match an expression, derived from the expression itself, so that a new one is covered too."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from tests.hostile.steps import SINGLE, Nodes, single, sre

POOL = "a1 -:@<./=+_('\"x9\t\n,;?&>)|#*~%\u0301\u00e9\u4e00\u2028Mz–[]\\"
"""Characters tried in turn for one that fits; the first ones fit most classes."""

BREAKERS = ("", "\x00", "!", " ", "a", "\n")
"""Endings after which no match is possible."""

MOST_TEXTS = 60


def texts(written: str, flags: int, seed: int = 1) -> Iterator[tuple[str, str, str]]:
    """Before, piece, behind: `before + n * piece + behind` nearly matches for any n."""
    chance = random.Random(seed)
    samples = _Samples(flags)
    tree = list(_parser.parse(written, flags))
    whole = samples.write(tree, 1)
    pieces = list(dict.fromkeys([each for each in samples.pieces(tree) if 0 < len(each) <= 60]))
    found: list[tuple[str, str, str]] = []
    for before, piece in samples.pumps(tree, ""):
        found += [(before, piece, end) for end in BREAKERS[:3]]
        found += [("", before + piece, end) for end in BREAKERS[:2] if len(before) < 60]
    found += [("", piece, end) for piece in pieces for end in BREAKERS[:3]]
    if len(whole) < 80:
        found += [("", whole[:cut], end) for cut in range(1, len(whole) + 1) for end in BREAKERS[:2]]
    for _ in range(MOST_TEXTS):
        joined = "".join(chance.choice(pieces or ["a"]) for _ in range(chance.randint(2, 3)))
        found.append((chance.choice(["", *pieces]), joined[:60], chance.choice(BREAKERS)))
    found = [each for each in dict.fromkeys(found) if each[1]]
    chance.shuffle(found)
    yield from found[:MOST_TEXTS]


class _Samples:
    def __init__(self, flags: int) -> None:
        self.flags = flags

    def write(self, nodes: Nodes, times: int) -> str:
        """A text that the nodes match: repeats are as short as possible, or `times` long if they may be empty."""
        return "".join(self._one(node, times) for node in nodes)

    def _one(self, node: tuple[Any, Any], times: int) -> str:
        kind, value = node
        if kind in SINGLE:
            return self._sign(node)
        if kind is sre.BRANCH:
            return self.write(list(value[1][-1]), times)
        if kind is sre.SUBPATTERN:
            return self.write(list(value[3]), times)
        if kind in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            return self.write(list(value[2]), times) * max(value[0], min(times, int(value[1])))
        if kind is sre.ASSERT and value[0] > 0:
            return self.write(list(value[1]), times)
        return ""

    def _sign(self, node: tuple[Any, Any]) -> str:
        if node[0] is sre.LITERAL:
            return chr(node[1])
        fits = single(node, self.flags)
        return next((sign for sign in POOL if fits(sign)), "a")

    def pieces(self, nodes: Nodes) -> Iterator[str]:
        """Texts that single parts of the expression match, words and classes each on their own."""
        word = ""
        for node in nodes:
            kind, value = node
            if kind is sre.LITERAL:
                word += chr(value)
                continue
            if word:
                yield word
                word = ""
            if kind in SINGLE:
                fits = single(node, self.flags)
                yield from [sign for sign in POOL if fits(sign)][:4]
            for inner in _inside(node):
                yield from list(self.pieces(inner))[:12]
        if word:
            yield word

    def pumps(self, nodes: Nodes, before: str) -> Iterator[tuple[str, str]]:
        """For each repeat of the expression, the text that leads to it and the text it repeats."""
        for node in nodes:
            kind, value = node
            if kind in {sre.MAX_REPEAT, sre.MIN_REPEAT}:
                inner = list(value[2])
                if len(inner) == 1 and inner[0][0] in SINGLE:
                    fits = single(inner[0], self.flags)
                    yield from ((before, sign) for sign in [sign for sign in POOL if fits(sign)][:6])
                else:
                    yield before, self.write(inner, 1)
                    yield from self.pumps(inner, before)
            elif kind is sre.BRANCH:
                for branch in list(value[1])[:6]:
                    yield from self.pumps(list(branch), before)
            else:
                for inner in _inside(node):
                    yield from self.pumps(inner, before)
            before += self._one(node, 1)


def _inside(node: tuple[Any, Any]) -> Sequence[Nodes]:
    kind, value = node
    if kind is sre.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind is sre.SUBPATTERN:
        return [list(value[3])]
    if kind in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
        return [list(value[2])]
    if kind in {sre.ASSERT, sre.ASSERT_NOT}:
        return [list(value[1])]
    return []
