"""Plays what happens at a table by itself: forced moves, plans, and contests settled from sealed orders.

A host puts a position with its plans and orders into a `Course`, plays a player's move or places an order, lets it
`run`, and stores the happenings that come out of it. Nothing here knows clocks, mails or rows.

>>> from games.match import Match
>>> from games.orders import read_orders
>>> match = Match.new("gem", seats=3, seed="example")
>>> course = Course(match.game, match.state, 0, is_sealed=False, seed=match.seed)
>>> course.store(1, Plan(read_orders(match.game, match.state, 1, "bid 4 else pass"), match.context))
>>> played = course.play(0, match.game.rules.parse(course.state, 0, "bid 3"))
>>> [type(happening).__name__ for happening in course.run()]
['Played', 'PlanUsed']
>>> course.ply, course.asked
(2, frozenset({2}))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, TypeAlias

from games import plies
from games.chance import Chance
from games.contract import Game, IllegalMove, Seat, Step
from games.orders import Line, Orders, check_order, find_legal, list_choosers


@dataclass(frozen=True, slots=True)
class Plan:
    """Standing orders of one seat; without `always` they end with their contest."""

    orders: Orders
    context: str | None
    """The contest for which they were written; None: for the seat's next turn, whatever it is."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A seat's order for the contest that is open; without lines when its time ran out."""

    orders: Orders
    is_by_plan: bool = False


class Why(StrEnum):
    """The reason for which a move was played."""

    OWN = "own"
    FORCED = "forced"
    PLAN = "plan"
    ORDER = "order"
    DEFAULT = "default"
    """A sealed order had no legal alternative left."""


class Ending(StrEnum):
    """The reason for which a plan ended."""

    OVER = "over"
    """Its contest is over."""
    USED = "used"
    """All its lines were played, and the last one is not legal again; or it was for one turn, which was played."""
    DROPPED = "dropped"
    """No alternative of its next line was legal; the seat is asked as usual."""


@dataclass(frozen=True, slots=True)
class Played:
    """A move was played, as number `ply`."""

    ply: int
    seat: Seat
    move: Any
    why: Why
    step: Step[Any]


@dataclass(frozen=True, slots=True)
class PlanUsed:
    """A line of the seat's plan was played, or its order's; the plan counts from `orders.used` on."""

    seat: Seat
    orders: Orders


@dataclass(frozen=True, slots=True)
class PlanEnded:
    seat: Seat
    ending: Ending


@dataclass(frozen=True, slots=True)
class OrderedByPlan:
    """The seat's plan has answered for it in the contest that is open."""

    seat: Seat
    orders: Orders


@dataclass(frozen=True, slots=True)
class ContestSettled:
    """The sealed orders of this contest are used up."""

    context: str


Happening: TypeAlias = Played | PlanUsed | PlanEnded | OrderedByPlan | ContestSettled


@dataclass
class Course:
    """A position with the plans and sealed orders for it; the chance of every ply comes from `seed`."""

    game: Game
    state: Any
    ply: int
    is_sealed: bool
    """True if the match has the option `pace=sealed`."""
    seed: str
    plans: dict[Seat, Plan] = field(default_factory=dict)
    sealed: dict[Seat, Sealed] = field(default_factory=dict)
    """The orders for the present contest."""
    collecting: str | None = None
    """The contest for which `sealed` are orders."""

    @property
    def contest(self) -> str | None:
        """The contest that collects sealed orders now."""
        if not self.is_sealed or not self.game.rules.bidders(self.state):
            return None
        return self.game.rules.context(self.state)

    @property
    def choosers(self) -> frozenset[Seat]:
        """The seats that may order for the contest that is open, also those that have ordered already."""
        return list_choosers(self.game, self.state) if self.contest else frozenset()

    @property
    def asked(self) -> frozenset[Seat]:
        """The seats for which the table waits, once `run` has come to its end."""
        if self.contest:
            return self.choosers - self.sealed.keys()
        return self.game.rules.waiting_on(self.state)

    def chance_of(self, ply: int) -> Chance:
        """The stream of chance for move number `ply`, from 1."""
        return plies.chance_of(self.seed, ply)

    def play(self, seat: Seat, move: Any, why: Why = Why.OWN) -> Played:
        """Play one move. Raises IllegalMove; then nothing has changed."""
        ply = self.ply + 1
        step = plies.play(self.game.rules, self.state, seat, move, self.seed, ply)
        self.state, self.ply = step.state, ply
        return Played(ply, seat, move, why, step)

    def place(self, seat: Seat, orders: Orders, *, is_by_plan: bool = False) -> None:
        """Store a sealed order for the contest that is open, in place of an earlier one."""
        self.collecting = self.contest
        self.sealed[seat] = Sealed(orders, is_by_plan)

    def store(self, seat: Seat, plan: Plan) -> None:
        """Store the plan in place of an earlier one; in the contest that is open it replaces a sealed order.

        Raises IllegalMove when the seat is asked now and no alternative of the first line could be legal; then nothing
        has changed.
        """
        if seat in self.choosers:
            check_order(self.game, self.state, seat, plan.orders)
            self.sealed.pop(seat, None)
        elif not self.contest and seat in self.game.rules.waiting_on(self.state):
            self._check_now(seat, plan.orders.next_line)
        self.plans[seat] = plan

    def _check_now(self, seat: Seat, line: Line) -> None:
        chance = self.chance_of(self.ply + 1)
        if find_legal(self.game, self.state, seat, line, chance) is None:
            rules = self.game.rules
            rules.apply(self.state, seat, rules.parse(self.state, seat, line[0]), chance)

    def run(self) -> Iterator[Happening]:
        """Play on by itself and yield all that happens, until somebody is asked or the match is over."""
        while True:
            yield from self._end_what_is_over()
            if forced := self.game.rules.forced_move(self.state):
                yield self.play(*forced, Why.FORCED)
            elif self.contest:
                yield from self._order_by_plans()
                if self.asked or not self.contest:
                    return
                yield from self._play_ordered()
            elif (seat := self._planned_seat()) is not None:
                yield from self._play_plan(seat)
            else:
                return

    def _end_what_is_over(self) -> Iterator[Happening]:
        if self.collecting is not None and self.contest != self.collecting:
            yield ContestSettled(self.collecting)
            self.collecting, self.sealed = None, {}
        context = self.game.rules.context(self.state)
        is_over = self.game.rules.outcome(self.state) is not None
        for seat, plan in sorted(self.plans.items()):
            if is_over or (not plan.orders.is_always and plan.context not in (None, context)):
                yield self._end_plan(seat, Ending.OVER)

    def _end_stuck_plan(self, seat: Seat) -> PlanEnded:
        """End a plan whose next line has nothing legal: as used when it is used up, else as dropped."""
        orders = self.plans[seat].orders
        is_done = orders.is_used_up and not orders.is_always
        return self._end_plan(seat, Ending.USED if is_done else Ending.DROPPED)

    def _end_plan(self, seat: Seat, ending: Ending) -> PlanEnded:
        del self.plans[seat]
        return PlanEnded(seat, ending)

    def _order_by_plans(self) -> Iterator[Happening]:
        """Place orders from the plans of bidders that are asked; a plan with nothing legal ends."""
        for seat in sorted(self.asked & self.plans.keys()):
            plan = self.plans[seat]
            orders = plan.orders.ahead
            try:
                check_order(self.game, self.state, seat, orders)
            except IllegalMove:
                yield self._end_stuck_plan(seat)
                continue
            self.place(seat, orders, is_by_plan=True)
            yield OrderedByPlan(seat, orders)

    def _play_ordered(self) -> Iterator[Happening]:
        """Play the next move of a contest for which all orders are in."""
        rules = self.game.rules
        seat = min(rules.waiting_on(self.state))
        laid = self.sealed.get(seat, Sealed(Orders(())))
        move = find_legal(self.game, self.state, seat, laid.orders.next_line, self.chance_of(self.ply + 1))
        if move is None:
            yield self.play(seat, rules.default_move(self.state, seat), Why.DEFAULT)
            return
        self.sealed[seat] = replace(laid, orders=laid.orders.advance())
        yield self.play(seat, move, Why.PLAN if laid.is_by_plan else Why.ORDER)
        if laid.is_by_plan and seat in self.plans:
            yield self._use_line(seat)

    def _planned_seat(self) -> Seat | None:
        return min(self.game.rules.waiting_on(self.state) & self.plans.keys(), default=None)

    def _play_plan(self, seat: Seat) -> Iterator[Happening]:
        line = self.plans[seat].orders.next_line
        move = find_legal(self.game, self.state, seat, line, self.chance_of(self.ply + 1))
        if move is None:
            yield self._end_stuck_plan(seat)
        else:
            yield self.play(seat, move, Why.PLAN)
            yield self._use_line(seat)

    def _use_line(self, seat: Seat) -> Happening:
        plan = self.plans[seat]
        if plan.context is None and not plan.orders.is_always:
            return self._end_plan(seat, Ending.USED)
        self.plans[seat] = replace(plan, orders=plan.orders.advance())
        return PlanUsed(seat, self.plans[seat].orders)
