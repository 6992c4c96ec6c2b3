"""An independent reading of plans and sealed pace: it knows the notation, no line of the code under test.

A `Table` is a game in its simplest form: every legal move of the seat to act is listed, by trying everything. The
referee is given a diary, the texts that everybody sent and when, and writes the record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol

Words = tuple[str, ...]


class Table(Protocol):
    """A game of the referee's; moves are the words of their texts, with lists of codes sorted."""

    seats: int

    def context(self) -> str | None: ...
    def is_over(self) -> bool: ...
    def to_act(self) -> int: ...
    def legal(self) -> list[Words]:
        """Every legal move of the seat to act."""

    def default(self) -> Words: ...
    def find(self, text: str) -> Words | None:
        """The legal move of the seat to act that the text means."""

    def play(self, move: Words) -> None: ...
    def is_contest(self) -> bool:
        """Return whether a contest is open that is settled from orders at sealed pace."""

    def may_decide(self, seat: int) -> bool:
        """Return whether this bidder's order could make a difference."""

    def could_be_legal(self, seat: int, text: str) -> bool:
        """Return whether the text could be legal for this bidder, however the others order."""


@dataclass
class StandingPlan:
    lines: list[list[str]]
    is_always: bool
    context: str | None
    used: int = 0

    @property
    def line(self) -> list[str]:
        return self.lines[min(self.used, len(self.lines) - 1)]


@dataclass
class Referee:
    """Takes the texts that everybody sent, and writes the record that follows from them."""

    table: Table
    is_sealed: bool
    record: list[tuple[int, Words]] = field(default_factory=list)
    plans: dict[int, StandingPlan] = field(default_factory=dict)
    orders: dict[int, tuple[list[list[str]], bool]] = field(default_factory=dict)
    """Lines by seat, and whether a plan gave them."""

    def move(self, seat: int, text: str) -> None:
        assert seat == self.table.to_act()
        found = self.table.find(text)
        assert found is not None, text
        self._play(found)
        self._go_on()

    def order(self, seat: int, text: str) -> None:
        self.orders[seat] = (read(text), False)
        self._go_on()

    def expire(self, seat: int) -> None:
        self.orders[seat] = ([], False)
        self._go_on()

    def plan(self, seat: int, text: str) -> None:
        lines = read(text)
        is_always = lines[0] == ["always"]
        plan = StandingPlan(lines[is_always:], is_always, self.table.context())
        if self._collects() and self._has_a_say(seat):
            assert any(self.table.could_be_legal(seat, text) for text in plan.line)
            self.orders.pop(seat, None)
        elif not self._collects() and seat == self.table.to_act():
            assert any(self.table.find(text) for text in plan.line)
        self.plans[seat] = plan
        self._go_on()

    def start(self) -> None:
        self._go_on()

    def _collects(self) -> bool:
        return self.is_sealed and not self.table.is_over() and self.table.is_contest()

    def _has_a_say(self, seat: int) -> bool:
        return self.table.may_decide(seat)

    def _play(self, move: Words) -> None:
        before = self.table.context()
        self.record.append((self.table.to_act(), move))
        self.table.play(move)
        if self.table.context() != before or not self._collects():
            self.orders = {}

    def _go_on(self) -> None:
        while True:
            self._end_plans()
            if self.table.is_over():
                return
            legal = self.table.legal()
            if len(legal) == 1:
                self._play(legal[0])
            elif self._collects():
                asked = [seat for seat in range(self.table.seats) if self._is_asked(seat)]
                for seat in asked:
                    if seat in self.plans:
                        self._order_by_plan(seat)
                if any(self._is_asked(seat) for seat in asked):
                    return
                self._play_order()
            elif self.table.to_act() in self.plans:
                self._play_plan(self.table.to_act())
            else:
                return

    def _is_asked(self, seat: int) -> bool:
        return seat not in self.orders and self._has_a_say(seat)

    def _end_plans(self) -> None:
        for seat, plan in list(self.plans.items()):
            over = not plan.is_always and plan.context not in (None, self.table.context())
            if over or self.table.is_over():
                del self.plans[seat]

    def _order_by_plan(self, seat: int) -> None:
        plan = self.plans[seat]
        if any(self.table.could_be_legal(seat, text) for text in plan.line):
            self.orders[seat] = (plan.lines[min(plan.used, len(plan.lines) - 1) :], True)
        else:
            del self.plans[seat]

    def _play_order(self) -> None:
        seat = self.table.to_act()
        lines, by_plan = self.orders.get(seat, ([], False))
        for text in lines[0] if lines else []:
            found = self.table.find(text)
            if found is not None:
                self.orders[seat] = (lines[1:] or lines[-1:], by_plan)
                self._play(found)
                if by_plan and seat in self.plans:
                    self._use(seat)
                return
        self._play(self.table.default())

    def _play_plan(self, seat: int) -> None:
        for text in self.plans[seat].line:
            found = self.table.find(text)
            if found is not None:
                self._play(found)
                self._use(seat)
                return
        del self.plans[seat]

    def _use(self, seat: int) -> None:
        plan = self.plans[seat]
        if plan.context is None and not plan.is_always:
            del self.plans[seat]
        else:
            plan.used += 1


def read(text: str) -> list[list[str]]:
    """Read lines of alternatives."""
    return [re.split(" else ", line.strip()) for line in re.split("[;\n]", text) if line.strip()]
