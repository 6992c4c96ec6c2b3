"""Tells a player what was done with a move, a sealed order or a plan."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gemserver.matches import plan_words
from gemserver.matches.actions.play.submit import Accepted
from gemserver.matches.models import SealedOrder


def say_accepted(accepted: Accepted) -> str:
    """Tell it in one or two sentences, in the active language."""
    if accepted.plan:
        played = [move.text for move in accepted.moves if move.seat == accepted.plan.seat]
        if played:
            return _("Your plan has played: %(moves)s.") % {"moves": "; ".join(played)}
        return plan_words.say_kept(accepted.plan)
    first = accepted.moves[0] if accepted.moves else None
    if accepted.order and (first is None or first.is_sealed or not accepted.order.move_id):
        return _say_sealed(accepted, accepted.order)
    assert first is not None, "a move was played"
    if len(accepted.moves) == 1:
        return _("Played: %(move)s.") % {"move": first.text}
    return _("Played: %(move)s. What followed by itself is in the log.") % {"move": first.text}


def _say_sealed(accepted: Accepted, laid: SealedOrder) -> str:
    """Tell of an order or a pick that was laid face down; one that is told again may be open or gone by then."""
    if laid.voided_at:
        return _("Sealed: %(order)s. That was taken back since; see what you are asked now.") % {
            "order": laid.text
        }
    if laid.resolved_ply is not None:
        return _("Sealed: %(order)s. All are open now.") % {"order": laid.text}
    if laid.move_id:
        order = accepted.moves[0].text
    elif accepted.moves:
        return _("Yours was the last one: all are open now.")
    else:
        order = plan_words.show_order(laid)
    return _("Sealed: %(order)s. Until all are in, you may change it.") % {"order": order}
