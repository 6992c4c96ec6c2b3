"""Plans, sealed orders, taking moves back and hints, by mail: the commands, and the words of their receipts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.conf import settings
from django.urls import reverse
from django.utils import translation

from games.contract import Message
from games.orders import Orders, write_orders
from gemserver.lib import clock
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.actions.play import answer_proposal
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.actions.play.store_plan import clear_plan, plan_of, store_plan
from gemserver.matches.actions.play.submit import Accepted
from gemserver.matches.models import Holiday, Move, SealedOrder, StoredPlan, Undo
from gemserver.matches.prompts import find_latest_due
from gemserver.matches.words.consents import say_consent
from gemserver.matches.words.moves import say_played
from gemserver.matches.words.plans import quote_doubts, quote_lines


def _plan(request: CommandRequest) -> Message:
    seat = request.require_seat()
    match request.argument:
        case "show":
            plan = plan_of(seat.match, request.user)
            return (
                _show(plan) if plan else Message("You have no plan here. To write one: plan, its lines, end")
            )
        case "clear":
            if clear_plan(seat.match_id, request.user, now=request.now):
                return Message("Your plan is gone; you are asked as usual.")
            return Message("There was no plan; you are asked as usual.")
    accepted = store_plan(
        seat.match_id,
        request.user,
        request.argument,
        source=Move.Source.MAIL,
        request_id=request.request_id,
        seen_ply=request.seen_ply,
        now=request.now,
        asked_at=clock.now(),
    )
    return _say_plan(accepted)


def _show(plan: StoredPlan) -> Message:
    params = {"lines": _quote(plan, plan.orders.ahead), "context": plan.context or "-"}
    if plan.is_always:
        return Message("Your plan for as long as you leave it, its next line first: {lines}", params)
    if plan.context is None:
        return Message("Your plan for your next turn: {lines}", params)
    return Message("Your plan for {context}, its next line first: {lines}", params)


def _say_plan(accepted: Accepted) -> Message:
    plan = accepted.plan
    assert plan is not None
    assert plan.user is not None
    with translation.override(plan.user.language):
        played = "; ".join([say_played(move) for move in accepted.moves if move.seat == plan.seat])
        doubts = quote_doubts(plan)
    params = {"lines": _quote(plan, plan.orders), "played": played, "doubts": doubts}
    if played:
        return Message("Your plan has played: {played}. It reads: {lines}", params)
    if doubts:
        return Message(
            "Your plan is kept and nobody else can read it: {lines}. As things stand, this part of it cannot be "
            "played: {doubts}",
            params,
        )
    return Message("Your plan is kept and nobody else can read it: {lines}", params)


def _quote(plan: StoredPlan, orders: Orders) -> str:
    """The lines of a plan in its player's words and language, with the notation behind them."""
    assert plan.user is not None, "its player is here"
    with translation.override(plan.user.language):
        return quote_lines(plan, orders.lines)


def _undo(request: CommandRequest) -> Message:
    return say_consent(propose_undo(request.require_seat().match_id, request.user, now=request.now))


def _agree(request: CommandRequest) -> Message:
    seat, only = request.require_seat(), _proposal(request)
    return say_consent(answer_proposal.agree(seat.match_id, request.user, now=request.now, only=only))


def _refuse(request: CommandRequest) -> Message:
    seat, only = request.require_seat(), _proposal(request)
    answer_proposal.refuse(seat.match_id, request.user, now=request.now, only=only)
    return Message("The proposal is off; everything goes on as before.")


def _proposal(request: CommandRequest) -> answer_proposal.Proposal | None:
    """The proposal to the table that the mail replies to, if it replies to one."""
    return request.proposal if isinstance(request.proposal, Undo | Holiday) else None


ORDER_COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {"plan": _plan, "undo": _undo, "agree": _agree, "refuse": _refuse}
)


def say_orders(accepted: Accepted) -> tuple[str, Message, int | None]:
    """The words of the receipt for a plan or sealed order: its text, a sentence, the ply if it was played at once."""
    if accepted.plan:
        played = [move.ply for move in accepted.moves if move.seat == accepted.plan.seat]
        return write_orders(accepted.plan.orders), _say_plan(accepted), min(played, default=None)
    order = accepted.order
    assert order is not None
    pick = accepted.moves[0] if order.move_id else None
    if not lies_face_down(accepted):
        return order.text, Message("Yours was the last one: all are open now."), pick.ply if pick else None
    return order.text, _say_sealed(order), pick.ply if pick else None


def lies_face_down(accepted: Accepted) -> bool:
    """True if an order or pick was accepted that is not opened yet."""
    if accepted.order is None:
        return False
    pick = accepted.moves[0] if accepted.order.move_id else None
    return not accepted.moves or bool(pick and pick.is_sealed)


def _say_sealed(order: SealedOrder) -> Message:
    """Confirm an order or pick that lies face down: its number, when it becomes final, and its fingerprint."""
    sealed = Message("Sealed for {context}.", {"context": order.context})
    if order.version > 1:
        sealed = Message(
            "Sealed for {context}. This is your answer number {number}; it replaces the one before.",
            {"context": order.context, "number": order.version},
        )
    final = Message("It becomes final when all are in; until then you may send another one instead.")
    if latest := find_latest_due(order.match.read_seats()):
        final = Message(
            "It becomes final when all are in, as the clocks stand by {latest} at the latest; until then you may "
            "send another one instead.",
            {"latest": latest.isoformat()},
        )
    deal_url = settings.SITE_URL + reverse("match-deal", args=[order.match.code])
    proof = {"hash": order.hash, "url": f"{deal_url}#sealed"}
    return Message(
        "{sealed} {final} Fingerprint of this answer: {hash}; how to check it: {url}",
        proof,
        {"sealed": sealed, "final": final},
    )
