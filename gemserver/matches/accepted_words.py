"""Tells a player what was done with a move, a sealed order or a plan."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gemserver.matches.actions.play.submit import Accepted
from gemserver.matches.log import match_log
from gemserver.matches.models import Move, SealedOrder
from gemserver.matches.words.plans import quote_order, say_kept


def say_accepted(accepted: Accepted) -> str:
    """Tell it in a few sentences, in the active language; moves in the words of the log."""
    if accepted.plan:
        played = [_tell(move, accepted) for move in accepted.moves if move.seat == accepted.plan.seat]
        if played:
            return _("Your plan has played: %(moves)s") % {"moves": " ".join(played)}
        return say_kept(accepted.plan)
    first = accepted.moves[0] if accepted.moves else None
    if accepted.order and (first is None or first.is_sealed or not accepted.order.move_id):
        return _say_sealed(accepted, accepted.order)
    assert first is not None, "a move was played"
    if len(accepted.moves) == 1:
        return _tell(first, accepted)
    followed = _("What followed by itself is in the log.")
    return f"{_tell(first, accepted)} {followed}"


def _say_sealed(accepted: Accepted, laid: SealedOrder) -> str:
    """Tell of an order or a pick that was laid face down; one that is told again may be open or gone by then."""
    if laid.voided_at:
        return _("Sealed: %(order)s. That has been taken back since; see what you are asked now.") % {
            "order": laid.text
        }
    if laid.resolved_ply is not None:
        return _("Sealed: %(order)s. All are open now.") % {"order": laid.text}
    if laid.move_id:
        may_change = _("Until all are in, you may change it.")
        return f"{_tell(accepted.moves[0], accepted)} {may_change}"
    if accepted.moves:
        return _("Yours was the last one: all are open now.")
    return _("Sealed: %(order)s. Until all are in, you may change it.") % {"order": quote_order(laid)}


def _tell(move: Move, accepted: Accepted) -> str:
    """The move as the log tells it; in notation if the game says nothing of it."""
    return " ".join(match_log.tell_own(move, accepted.seats)) or _("Played: %(move)s.") % {"move": move.text}
