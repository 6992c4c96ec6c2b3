"""Tells a player what was done with a move, a sealed order or a plan."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gemserver.matches import plan_words, selectors
from gemserver.matches.actions.play.submit import Accepted
from gemserver.matches.models import Move


def say_accepted(accepted: Accepted) -> str:
    """Tell it in a few sentences, in the active language; moves in the words of the log."""
    if accepted.plan:
        played = [_tell(move) for move in accepted.moves if move.seat == accepted.plan.seat]
        if played:
            return _("Your plan has played: %(moves)s") % {"moves": " ".join(played)}
        return plan_words.say_kept(accepted.plan)
    if accepted.order and not accepted.order.move_id:
        if accepted.moves:
            return _("Yours was the last one: all are open now.")
        order = plan_words.show_order(accepted.order)
        return _("Sealed: %(order)s. Until all are in, you may change it.") % {"order": order}
    first, *others = accepted.moves
    told = _tell(first)
    if first.is_sealed:
        return f"{told} {_('Until all are in, you may change it.')}"
    return f"{told} {_('What followed by itself is in the log.')}" if others else told


def _tell(move: Move) -> str:
    """The move as the log tells it; in notation if the game says nothing of it."""
    return " ".join(selectors.tell_own(move)) or _("Played: %(move)s.") % {"move": move.text}
