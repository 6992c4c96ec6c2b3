"""Tells a player what was done with a move, a sealed order or a plan."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gemserver.matches import plan_words
from gemserver.matches.actions.play.submit import Accepted


def say_accepted(accepted: Accepted) -> str:
    """Tell it in one or two sentences, in the active language."""
    if accepted.plan:
        played = [move.text for move in accepted.moves if move.seat == accepted.plan.seat]
        if played:
            return _("Your plan has played: %(moves)s.") % {"moves": "; ".join(played)}
        return plan_words.say_kept(accepted.plan)
    if accepted.order and not accepted.order.move_id:
        if accepted.moves:
            return _("Yours was the last one: all are open now.")
        order = plan_words.show_order(accepted.order)
        return _("Sealed: %(order)s. Until all are in, you may change it.") % {"order": order}
    first, *others = accepted.moves
    if first.is_sealed:
        return _("Sealed: %(order)s. Until all are in, you may change it.") % {"order": first.text}
    if not others:
        return _("Played: %(move)s.") % {"move": first.text}
    return _("Played: %(move)s. What followed by itself is in the log.") % {"move": first.text}
