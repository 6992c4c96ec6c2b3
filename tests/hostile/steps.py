"""Counts the steps of a regular expression: a backtracking matcher over the tree that `re` itself compiles.

The steps of `re` in C cannot be counted, and its time depends on the machine. This follows the same order of attempts
without its short cuts, so that whatever is linear here is linear there. Only growth is measured, not results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

Nodes = Sequence[tuple[Any, Any]]
SINGLE = frozenset({sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN})


class TooMany(Exception):
    """More steps than were allowed."""


class Matcher:
    """One expression; `steps` counts the steps of matching so far."""

    def __init__(self, written: str, flags: int, most: int) -> None:
        tree = _parser.parse(written, flags)
        self.nodes: Nodes = list(tree)
        self.flags = tree.state.flags
        self.most = most
        self.steps = 0
        self.text = ""
        self.groups: dict[int, tuple[int, int]] = {}
        self.singles: dict[int, Callable[[str], bool]] = {}

    def match(self, text: str) -> None:
        """Try once, at the beginning of the text."""
        self.text, self.steps = text, 0
        next(self._run(self.nodes, 0, 0), None)

    def find_all(self, text: str) -> None:
        """Try at every place, and again after each match, as `findall` and `sub` do."""
        self.text, self.steps = text, 0
        at = 0
        while at <= len(text):
            end = next(self._run(self.nodes, 0, at), None)
            at = max(end, at + 1) if end is not None else at + 1

    def _step(self, number: int = 1) -> None:
        self.steps += number
        if self.steps > self.most:
            raise TooMany

    def _run(self, nodes: Nodes, index: int, at: int) -> Iterator[int]:
        """Ends of matches of the nodes from this one on, in the order of the attempts."""
        while index < len(nodes) and nodes[index][0] in SINGLE:
            self._step()
            if at >= len(self.text) or not self._takes(nodes[index], self.text[at]):
                return
            index, at = index + 1, at + 1
        if index == len(nodes):
            yield at
            return
        self._step()
        for end in self._node(nodes[index], at):
            yield from self._run(nodes, index + 1, end)

    def _node(self, node: tuple[Any, Any], at: int) -> Iterator[int]:
        kind, value = node
        if kind is sre.BRANCH:
            for branch in value[1]:
                yield from self._run(list(branch), 0, at)
        elif kind is sre.SUBPATTERN:
            group, _, _, inner = value
            for end in self._run(list(inner), 0, at):
                if group is not None:
                    self.groups[group] = (at, end)
                yield end
        elif kind in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            yield from self._repeat(kind, value, at)
        elif kind is sre.AT:
            if self._is_at(value, at):
                yield at
        elif kind in {sre.ASSERT, sre.ASSERT_NOT}:
            if self._looks(value, at) is (kind is sre.ASSERT):
                yield at
        elif kind is sre.GROUPREF:
            start, end = self.groups.get(value, (0, 0))
            if self.text.startswith(self.text[start:end], at):
                yield at + end - start
        elif kind is sre.ATOMIC_GROUP:
            yield from list(self._run(list(value), 0, at))[:1]
        else:
            raise NotImplementedError(str(kind))

    def _repeat(self, kind: Any, value: tuple[int, int, Any], at: int) -> Iterator[int]:
        least, most, inner = value[0], int(value[1]), list(value[2])
        if len(inner) == 1 and inner[0][0] in SINGLE:
            end = at
            while end - at < most and end < len(self.text) and self._takes(inner[0], self.text[end]):
                self._step()
                end += 1
            ends = range(at + least, end + 1)
            for each in ends if kind is sre.MIN_REPEAT else reversed(ends):
                self._step()
                yield each
                if kind is sre.POSSESSIVE_REPEAT:
                    return
            return
        yield from self._iterate(kind, least, most, inner, at, 0)

    def _iterate(self, kind: Any, least: int, most: int, inner: Nodes, at: int, done: int) -> Iterator[int]:
        self._step()
        if kind is sre.MIN_REPEAT and done >= least:
            yield at
        if done < most:
            for end in self._run(inner, 0, at):
                if end > at:
                    yield from self._iterate(kind, least, most, inner, end, done + 1)
        if kind is not sre.MIN_REPEAT and done >= least:
            yield at

    def _looks(self, value: tuple[int, Any], at: int) -> bool:
        direction, inner = value
        start = at if direction > 0 else at - inner.getwidth()[0]
        if start < 0:
            return False
        return next(self._run(list(inner), 0, start), None) is not None

    def _is_at(self, where: Any, at: int) -> bool:
        text = self.text
        if where in {sre.AT_BEGINNING, sre.AT_BEGINNING_STRING}:
            lines = self.flags & re.MULTILINE and where is sre.AT_BEGINNING
            return at == 0 or bool(lines and text[at - 1] == "\n")
        if where in {sre.AT_END, sre.AT_END_STRING}:
            return at >= len(text) - (where is sre.AT_END and text.endswith("\n"))
        before = at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")
        behind = at < len(text) and (text[at].isalnum() or text[at] == "_")
        return (before != behind) is (where is sre.AT_BOUNDARY)

    def _takes(self, node: tuple[Any, Any], sign: str) -> bool:
        test = self.singles.get(id(node))
        if test is None:
            test = self.singles[id(node)] = single(node, self.flags)
        return test(sign)


def single(node: tuple[Any, Any], flags: int) -> Callable[[str], bool]:
    """Return a test whether one character fits this node; it asks `re` once for each character."""
    built = _parser.SubPattern(_parser.State(), [node])
    built.state.flags = flags
    written = re._compiler.compile(built, flags)  # type: ignore[attr-defined]
    known: dict[str, bool] = {}

    def takes(sign: str) -> bool:
        if sign not in known:
            known[sign] = written.match(sign) is not None
        return known[sign]

    return takes
