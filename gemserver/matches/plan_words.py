"""Tells a plan's player which parts of it cannot be played as things stand, and how it ended."""

from __future__ import annotations

from django.utils import translation
from django.utils.translation import gettext as _

from games import registry
from games.course import Plan
from games.foresight import Doubt
from games.foresight import find_doubts as foresee_doubts
from games.orders import write_line, write_orders
from gemserver.matches import replay
from gemserver.matches.models import SealedOrder, StoredPlan


def find_doubts(plan: StoredPlan) -> list[Doubt]:
    """The alternatives of a standing plan that have become impossible, in the order of the plan."""
    if plan.end or not plan.match.is_running:
        return []
    position = replay.position(plan.match)
    return foresee_doubts(registry.game(plan.match.game), position, plan.seat, plan.plan)


def explain_doubts(plan: StoredPlan) -> list[tuple[str, str]]:
    """Like `find_doubts`, each with its reason, in the active language."""
    return _explain(find_doubts(plan))


def explain_order_doubts(order: SealedOrder) -> list[tuple[str, str]]:
    """Like `explain_doubts`, for a sealed order."""
    laid = Plan(order.orders, order.context)
    position = replay.position(order.match)
    return _explain(foresee_doubts(registry.game(order.match.game), position, order.seat, laid))


def _explain(doubts: list[Doubt]) -> list[tuple[str, str]]:
    return [(doubt.text, doubt.error.message.text(translation)) for doubt in doubts]


def say_kept(plan: StoredPlan) -> str:
    """Confirm that a plan was stored, and name the parts that cannot be played."""
    params = {
        "plan": write_orders(plan.orders),
        "doubts": ", ".join(doubt.text for doubt in find_doubts(plan)),
    }
    if not params["doubts"]:
        return _("Your plan is kept: %(plan)s") % params
    return (
        _("Your plan is kept: %(plan)s. As things stand, this part of it cannot be played: %(doubts)s")
        % params
    )


def say_ended(plan: StoredPlan) -> str:
    """Explain why an ended plan had no answer to the prompt; empty when there is nothing to say."""
    line = write_line(plan.orders.next_line)
    if plan.end == StoredPlan.End.DROPPED:
        return _("Your plan was dropped, because nothing in its next line was possible: %(line)s") % {
            "line": line
        }
    if plan.end == StoredPlan.End.USED and plan.orders.is_used_up:
        return _("Your plan is used up, and you decide what follows. Its last line was: %(line)s") % {
            "line": line
        }
    return ""
