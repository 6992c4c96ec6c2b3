"""Writes the course of a locked match as rows while it happens.

`games.course` decides what happens; here it becomes moves, used plans, sealed orders with their hashes, and lines of
the log. An action loads a `Playing`, does one thing, lets it run, and asks the next players.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from secrets import token_hex
from typing import Any, assert_never

from django.db.models import CharField

from games import deal, registry
from games.contract import Game
from games.course import (
    ContestSettled,
    Course,
    Happening,
    OrderedByPlan,
    Plan,
    PlanEnded,
    PlanUsed,
    Played,
    Why,
)
from games.orders import Orders, write_orders
from gemserver.accounts.models import User
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.database.prepared_writes import PreparedInsert
from gemserver.matches import codec, replay, turns
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move, SealedOrder, Seat, StoredPlan
from gemserver.matches.refusal import Refused


@dataclass(frozen=True, slots=True)
class Origin:
    """The cause of a move or an order: source, user and request."""

    source: Move.Source
    user: User | None = None
    request_id: str | None = None


MOST_VERSIONS = 50
"""Versions of one order that a player seals: every one of them stands in the record."""
MOST_PLANS_A_DAY = 300
"""Plans that a player stores in one match: the row of each stays."""

FORCED = Origin(Move.Source.FORCED)


@dataclass
class Playing:
    """The course of a match with the rows behind it; the caller holds the match's lock."""

    match: Match
    seats: list[Seat]
    """All seats in order, with their players; `ask_next` saves their changes."""
    course: Course
    now: datetime
    plans: dict[int, StoredPlan] = field(default_factory=dict)
    sealed: dict[int, SealedOrder] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    """The moves that were played, in order."""
    _unwritten: list[Move] = field(default_factory=list)
    _ordered: list[Move] = field(default_factory=list)
    """The moves of the contest that is being settled."""

    @classmethod
    def begin(cls, match: Match, now: datetime) -> Playing:
        """Begin a match that has just been dealt."""
        seats = match.read_seats()
        return cls(match, seats, _course(match, seats, replay.first_position(match)), now)

    @classmethod
    def load(cls, match: Match, now: datetime, seats: list[Seat] | None = None) -> Playing:
        """Load a running match as it stands. `seats`: all its seats, if the caller has read them under the lock."""
        seats = match.read_seats() if seats is None else seats
        course = _course(match, seats, replay.position(match))
        playing = cls(match, seats, course, now)
        playing.plans = {plan.seat: plan for plan in find_plans(match=match.pk)}
        course.plans.update({seat: row.plan for seat, row in playing.plans.items()})
        contest = course.contest
        if contest:
            for row in match.sealed_orders.filter(context=contest, resolved_ply=None, voided_at=None):
                playing.sealed[row.seat] = row  # the latest version is the last
        if playing.sealed:
            course.collecting = contest
            course.sealed.update({seat: row.sealed for seat, row in playing.sealed.items()})
        return playing

    @property
    def game(self) -> Game:
        return self.course.game

    def play(self, seat: int, move: Any, origin: Origin) -> Move:
        """Play one move; `run` writes its row. Raises GameError; nothing has changed then."""
        contest = self._find_contest()
        return self._write_move(self.course.play(seat, move), origin, contest)

    def order(self, seat: int, orders: Orders, origin: Origin) -> SealedOrder:
        """Lay a sealed order for the open contest, in place of an earlier one.

        Orders without lines mean that the seat's time ran out.
        """
        contest = self.course.contest
        assert contest is not None
        self.course.place(seat, orders)
        return self._write_order(seat, contest, orders, origin)

    def keep_plan(self, seat: int, plan: Plan, origin: Origin) -> StoredPlan:
        """Store the plan in place of an earlier one.

        Raises IllegalMove if it could not answer the open prompt, and Refused(too-many-plans).
        """
        lately = self.match.plans.filter(user=origin.user, stored_at__gt=self.now - timedelta(days=1))
        if lately.count() >= MOST_PLANS_A_DAY:
            raise Refused(
                "too-many-plans",
                "You have stored {most} plans for {code} within a day; the last one stands.",
                most=MOST_PLANS_A_DAY,
                code=self.match.code,
            )
        self.course.store(seat, plan)
        self.end_plan(seat, StoredPlan.End.REPLACED)
        row = StoredPlan.objects.create(
            match=self.match,
            seat=seat,
            user=origin.user,
            lines=[list(line) for line in plan.orders.lines],
            is_always=plan.orders.is_always,
            context=plan.context,
            request_id=origin.request_id,
            source=origin.source,
            stored_at=self.now,
        )
        self.plans[seat] = row
        self.course.plans[seat] = plan
        return row

    def end_plan(self, seat: int, end: StoredPlan.End) -> bool:
        """End the seat's plan; False if it has none."""
        self.course.plans.pop(seat, None)
        row = self.plans.pop(seat, None)
        if row is None:
            return False
        row.end, row.ended_ply = end, self.match.ply
        row.save(update_fields=["end", "ended_ply"])
        return True

    def run(self) -> None:
        """Play and write everything that happens until somebody is asked, or the match is over."""
        contest = self._find_contest()
        for happening in self.course.run():
            self._write(happening, contest)
            contest = self._find_contest()
        self._flush()

    def _find_contest(self) -> str | None:
        """The contest in which sealed orders decide now; None while a seat is asked as usual, inside it or not."""
        rules, state = self.game.rules, self.course.state
        return rules.context(state) if rules.bidders(state) else None

    def ask_next(self, answered: Collection[int], asked_at: datetime | None = None) -> None:
        """Ask the seats that are waited for now; see `turns.ask_next`."""
        turns.ask_next(
            self.match,
            self.seats,
            self.course.state,
            self.course.asked,
            answered=answered,
            now=self.now,
            asked_at=asked_at,
        )

    def _write(self, happening: Happening, decided_in: str | None) -> None:
        match happening:
            case Played():
                move = self._write_move(happening, self._origin_of(happening), decided_in)
                if self.course.collecting is not None:
                    self._ordered.append(move)
            case PlanUsed(seat, orders):
                self.plans[seat].used = orders.used
                self.plans[seat].save(update_fields=["used"])
            case PlanEnded(seat, ending):
                self.end_plan(seat, StoredPlan.End(ending))
            case OrderedByPlan(seat, orders):
                contest = self.course.contest
                assert contest is not None
                self._write_order(seat, contest, orders, self._origin_of_plan(seat))
            case ContestSettled(contest):
                self._tell_bids(contest)
                self._resolve_orders(contest)
                self.sealed, self._ordered = {}, []
            case _:
                assert_never(happening)

    def _origin_of(self, played: Played) -> Origin:
        order = self.sealed.get(played.seat)
        match played.why:
            case Why.PLAN:
                return Origin(Move.Source.PLAN, order.user) if order else self._origin_of_plan(played.seat)
            case Why.ORDER:
                assert order is not None
                return Origin(Move.Source(order.source), order.user)
            case Why.DEFAULT if order and not order.hash:
                return Origin(Move.Source.CLOCK)
            case _:
                return FORCED

    def _origin_of_plan(self, seat: int) -> Origin:
        return Origin(Move.Source.PLAN, self.plans[seat].user)

    def _write_move(self, played: Played, origin: Origin, contest: str | None) -> Move:
        rules = self.game.rules
        row = Move(
            match=self.match,
            ply=played.ply,
            seat=played.seat,
            text=rules.write(played.move),
            source=origin.source,
            actor=origin.user,
            request_id=origin.request_id,
            created_at=self.now,
            is_sealed=played.step.sealed,
            events=codec.dump_events(played.step.events),
            clock_before=self.seats[played.seat].clock_left,
        )
        self.match.ply = played.ply
        self.moves.append(row)
        self._unwritten.append(row)
        if rules.meta.has_sealed_picks and contest and played.why is not Why.FORCED:
            self._flush()
            self._write_order(
                played.seat, contest, Orders(((row.text,),)), Origin(origin.source, origin.user), row
            )
            if not played.step.sealed:
                self._resolve_orders(contest)
        return row

    def _flush(self) -> None:
        """Insert the rows of moves that have not been written yet."""
        _insert_moves(self._unwritten)
        self._unwritten = []

    def _write_order(
        self, seat: int, contest: str, orders: Orders, origin: Origin, pick: Move | None = None
    ) -> SealedOrder:
        """Write the next version of the seat's order, and post its hash in the log."""
        earlier = _earlier_versions(match=self.match.pk, contest=contest, seat=seat)
        if origin.user is not None and len(earlier) >= MOST_VERSIONS:
            raise Refused(
                "too-many-versions",
                "You have changed this order {most} times; it stands as it is now.",
                most=MOST_VERSIONS,
            )
        row = SealedOrder(
            match=self.match,
            seat=seat,
            context=contest,
            version=len(earlier) + 1,
            lines=[list(line) for line in orders.lines],
            text=write_orders(orders),
            user=origin.user,
            source=origin.source,
            request_id=origin.request_id,
            move=pick,
            placed_at=self.now,
            clock_before=self.seats[seat].clock_left,
        )
        if orders.lines:
            row.salt = token_hex(16)
            row.hash = deal.sealed_hash(self.match.code, contest, seat, row.version, row.salt, row.text)
            notices.post(
                self.match,
                "sealed",
                f"sealed:{contest}:{seat}:{row.version}",
                now=self.now,
                player=seat,
                context=contest,
                version=row.version,
                hash=row.hash,
            )
        _insert_orders([row])
        self.sealed[seat] = row
        return row

    def _tell_bids(self, contest: str) -> None:
        """Post what every seat has bid in a contest that is settled, in one line of the log."""
        pace = self.game.sealed_pace
        if pace is None or pace.read_bid is None:
            return
        bids = _find_bids(self._ordered, self.sealed, pace.read_bid)
        if all(amount is None for amount in bids.values()):
            return
        best_first = sorted(
            bids, key=lambda seat: -1 if bids[seat] is None else bids[seat] or 0, reverse=True
        )
        notices.post(
            self.match,
            "settled",
            f"settled:{contest}:{sum(row.version for row in self.sealed.values())}",
            now=self.now,
            from_ply=self._ordered[0].ply,
            bids=[[seat, bids[seat]] for seat in best_first],
            late=[seat for seat, row in self.sealed.items() if not row.lines],
        )

    def _resolve_orders(self, contest: str) -> None:
        laid = self.match.sealed_orders.filter(context=contest, resolved_ply=None, voided_at=None)
        laid.update(resolved_ply=self.match.ply)


def _find_bids(
    moves: Sequence[Move], sealed: Mapping[int, SealedOrder], read_bid: Callable[[str], int | None]
) -> dict[int, int | None]:
    """The bid of every seat that has moved in a contest; None for a seat that has only passed.

    A seat that could only pass at the table bid what its order named, as far as that is no more than the highest bid;
    what else an order holds stays secret.
    """
    bids: dict[int, int | None] = {}
    for move in moves:
        amount = read_bid(move.text)
        bids[move.seat] = bids.get(move.seat) if amount is None else (bids.get(move.seat) or 0) + amount
    highest = max([amount for amount in bids.values() if amount is not None], default=-1)
    for seat, row in sealed.items():
        if seat in bids and bids[seat] is None:
            named = [read_bid(text) for text in (row.lines[0] if row.lines else ())]
            bids[seat] = max([each for each in named if each is not None and each <= highest], default=None)
    return bids


_insert_moves = PreparedInsert(Move)
_insert_orders = PreparedInsert(SealedOrder)
_earlier_versions = Prepared(
    lambda: SealedOrder.objects.filter(
        match=Param("match"), context=Param("contest", CharField()), seat=Param("seat")
    ).values_list("pk")
)
find_plans = Prepared(lambda: StoredPlan.objects.filter(match=Param("match"), end="").select_related("user"))
"""The standing plans of a match."""


def _course(match: Match, seats: list[Seat], state: Any) -> Course:
    return Course(
        game=registry.game(match.game),
        state=state,
        ply=match.ply,
        is_sealed=match.is_sealed_pace,
        seed=replay.seed(match, seats),
    )
