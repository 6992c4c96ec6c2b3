"""The panel with a player's own orders: plan, sealed order, and the undo to answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID, uuid4

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from games.contract import seat_letter
from games.orders import write_line
from gemserver.lib.prepared import Param, Prepared
from gemserver.matches import plan_words, prompts, replay
from gemserver.matches.actions.play.propose_undo import open_undo
from gemserver.matches.actions.play.submit import Accepted
from gemserver.matches.models import Match, SealedOrder, Seat, StoredPlan, Undo
from gemserver.matches.selectors import LogRows
from gemserver.site.match.talk_page import UNTYPED, Typed


@dataclass(frozen=True)
class OrderPanel:
    """The panel for the holder of this seat alone; `typed` is a refused plan, with the reason."""

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

    @property
    def plan_lines(self) -> list[str]:
        """The unused lines, the next one first."""
        return [write_line(line) for line in self.plan.orders.ahead.lines] if self.plan else []

    @property
    def field(self) -> str:
        """The text of the input field: the refused plan, else the standing one as it was written."""
        if self.typed.text or not self.plan:
            return self.typed.text
        return "\n".join([*(["always"] if self.plan.is_always else []), *self.plan_lines])

    @property
    def ended(self) -> str:
        """Explains why a plan that has ended had no answer to the open prompt; empty if there is none."""
        ended = [plan for plan in self._plans if plan.end] if self.seat.is_waiting else []
        return plan_words.say_ended(ended[-1]) if ended else ""

    @cached_property
    def doubts(self) -> list[tuple[str, str]]:
        """The parts of the plan that cannot become possible as things stand, each with the reason."""
        return plan_words.explain_doubts(self.plan) if self.plan else []

    @cached_property
    def orders(self) -> list[SealedOrder]:
        """The player's own orders that may still be replaced, the latest version last."""
        if not (self.match.is_sealed_pace or self.match.rules.meta.has_sealed_picks):
            return []
        lying = self.match.sealed_orders.filter(resolved_ply=None, voided_at=None, seat=self.seat.index)
        return list(lying.filter(user=self.seat.user).exclude(hash=""))

    @property
    def order(self) -> SealedOrder | None:
        """The version that counts."""
        return self.orders[-1] if self.orders else None

    @cached_property
    def order_doubts(self) -> list[tuple[str, str]]:
        """The parts of that version that cannot become possible as things stand, each with the reason."""
        return plan_words.explain_order_doubts(self.order) if self.order else []

    @property
    def covered(self) -> str:
        """The text that the hash of that version covers."""
        return cover(self.order) if self.order else ""

    @cached_property
    def is_collecting(self) -> bool:
        return prompts.has_open_contest(self.match, replay.position(self.match))

    @cached_property
    def undo(self) -> Undo | None:
        """The proposed undo that the table has not settled yet."""
        return open_undo(self.match)

    @property
    def proposer(self) -> str:
        return self.rows.seats[self.undo.seat].name if self.undo else ""

    @property
    def may_ask_for_undo(self) -> bool:
        """True if the player has a move; whether it may be taken back is checked when they ask for it."""
        return self.undo is None and self.rows.last_ply_of(self.seat) > 0

    @cached_property
    def request_id(self) -> UUID:
        return uuid4()


def _find_own_plans() -> QuerySet[StoredPlan]:
    ended = Q(end__in=StoredPlan.STUCK, ended_ply=Param("ply"))
    own = StoredPlan.objects.filter(match=Param("match"), seat=Param("seat"), user=Param("user"))
    return own.filter(Q(end="") | ended).order_by("pk")


_own_plans = Prepared(_find_own_plans)


def cover(order: SealedOrder) -> str:
    """The text whose SHA-256 is the hash of a sealed order."""
    return f"{order.match.code}|{order.context}|{seat_letter(order.seat)}|{order.version}|{order.salt}|{order.text}"


def say_accepted(accepted: Accepted) -> str:
    """Tell the player what was done with a move, a sealed order or a plan, in one or two sentences."""
    if accepted.plan:
        played = [move.text for move in accepted.moves if move.seat == accepted.plan.seat]
        if played:
            return _("Your plan has played: %(moves)s.") % {"moves": "; ".join(played)}
        return plan_words.say_kept(accepted.plan)
    if accepted.order and not accepted.order.move_id:
        params = {"order": accepted.order.text, "version": accepted.order.version}
        if accepted.moves:
            return (
                _("Sealed: %(order)s, version %(version)d. It was the last one, and the contest is settled.")
                % params
            )
        return (
            _("Sealed: %(order)s, version %(version)d. Until all are in, another one replaces it.") % params
        )
    first, *others = accepted.moves
    if not others:
        return _("Played: %(move)s.") % {"move": first.text}
    return _("Played: %(move)s. What followed by itself is in the log.") % {"move": first.text}
