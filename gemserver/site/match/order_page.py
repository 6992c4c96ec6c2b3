"""The panel with a player's own plan, and the undo to answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID, uuid4

from django.db.models import Q, QuerySet

from games.contract import Limit
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import prompts, replay
from gemserver.matches.actions.play.propose_undo import may_ask_for_undo, open_undo
from gemserver.matches.log import match_log
from gemserver.matches.log.match_log import LogRows
from gemserver.matches.models import Match, Seat, StoredPlan, Undo
from gemserver.matches.words.plans import ExplainedDoubt, explain_doubts, find_example, say_ended, word_lines
from gemserver.site.match.talk_page import UNTYPED, Typed


@dataclass(frozen=True, slots=True)
class UndoQuestion:
    """A proposal to take moves back, as one player at the table reads it; `moves` names them in words."""

    undo: Undo
    proposer: str
    reader: int
    moves: Sequence[str]

    @property
    def is_mine(self) -> bool:
        return self.undo.seat == self.reader

    @property
    def has_agreed(self) -> bool:
        return self.reader in self.undo.agreed


@dataclass(frozen=True)
class OrderPanel:
    """The panel of plan and undo for the holder of this seat alone; `typed` is a refused plan, with the reason."""

    match: Match
    seat: Seat
    rows: LogRows
    typed: Typed = UNTYPED

    @cached_property
    def _plans(self) -> list[StoredPlan]:
        """The player's standing plan, and those that ended just before the seat was asked."""
        seat = self.seat
        plans = _own_plans(match=self.match.pk, seat=seat.index, user=seat.user_id, ply=seat.prompt_ply - 1)
        for plan in plans:
            plan.match = self.match
        return plans

    @property
    def plan(self) -> StoredPlan | None:
        return next((plan for plan in self._plans if not plan.end), None)

    @cached_property
    def plan_lines(self) -> list[tuple[str, str]]:
        """The unused lines, the next one first, each with its words where these say more."""
        lines = self.plan.orders.ahead.lines if self.plan else ()
        return word_lines(self.match, self.seat.index, lines)

    @cached_property
    def example(self) -> str:
        """A line that could be written."""
        return find_example(self.match, self.seat.index)

    @property
    def field(self) -> str:
        """The text of the input field: the refused plan, else the standing one as it was written."""
        if self.typed.text or not self.plan:
            return self.typed.text
        return "\n".join(
            [*(["always"] if self.plan.is_always else []), *(line for line, _words in self.plan_lines)]
        )

    @property
    def ended(self) -> str:
        """Explains why a plan that has ended had no answer to the open prompt; empty if there is none."""
        ended = [plan for plan in self._plans if plan.end] if self.seat.is_waiting else []
        return say_ended(ended[-1]) if ended else ""

    @cached_property
    def doubts(self) -> list[ExplainedDoubt]:
        """The parts of the plan that cannot become possible as things stand, each with the reason."""
        return explain_doubts(self.plan) if self.plan else []

    @cached_property
    def limit(self) -> Limit | None:
        """Asks for the number that makes a plan for the whole contest; None if none is wanted."""
        return prompts.ask_plan_limit(self.match, replay.position(self.match), self.seat.index)

    @cached_property
    def undo(self) -> UndoQuestion | None:
        """The proposed undo that the table has not settled yet."""
        found = open_undo(self.match)
        if found is None:
            return None
        moves = match_log.tell_moves(self.seat, self.rows, found.first_ply)
        return UndoQuestion(found, self.rows.seats[found.seat].name, self.seat.index, moves)

    @cached_property
    def may_ask_for_undo(self) -> bool:
        """True if nobody has asked yet for a move back, and the player's last one could be taken back now."""
        has_moved = self.rows.last_ply_of(self.seat) > 0
        return has_moved and self.undo is None and may_ask_for_undo(self.match, self.seat)

    @cached_property
    def request_id(self) -> UUID:
        return uuid4()


def _find_own_plans() -> QuerySet[StoredPlan]:
    ended = Q(end__in=StoredPlan.STUCK, ended_ply=Param("ply"))
    own = StoredPlan.objects.filter(match=Param("match"), seat=Param("seat"), user=Param("user"))
    return own.filter(Q(end="") | ended).order_by("pk")


_own_plans = Prepared(_find_own_plans)
