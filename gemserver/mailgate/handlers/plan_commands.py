"""Plans, sealed orders and taking moves back, by mail: the commands, and the words of their receipts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType

from games import registry
from games.contract import GameError, InvalidMove, Message, seat_letter
from games.orders import UnreadableOrder, has_alternatives, read_orders, spell_out, write_orders
from games.reading import echo, split_line
from gemserver.lib import clock
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches import plan_words, prompts, replay
from gemserver.matches.actions.play import ask_consent
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.actions.play.store_plan import clear_plan, plan_of, store_plan
from gemserver.matches.actions.play.submit import Accepted
from gemserver.matches.consent_words import say_consent
from gemserver.matches.models import Match, Move, SealedOrder, Seat, StoredPlan


def _plan(asked: CommandRequest) -> Message:
    seat = asked.require_seat()
    match asked.argument:
        case "show":
            plan = plan_of(seat.match, asked.user)
            return (
                _show(plan) if plan else Message("You have no plan here. To write one: plan, its lines, end")
            )
        case "clear":
            if clear_plan(seat.match_id, asked.user, now=asked.now):
                return Message("Your plan is gone; you are asked as usual.")
            return Message("There was no plan; you are asked as usual.")
    accepted = store_plan(
        seat.match_id,
        asked.user,
        asked.argument,
        source=Move.Source.MAIL,
        request_id=asked.request_id,
        seen_ply=asked.seen_ply,
        now=asked.now,
        asked_at=clock.now(),
    )
    return _say_plan(accepted)


def _show(plan: StoredPlan) -> Message:
    params = {"lines": write_orders(plan.orders.ahead), "context": plan.context or "-"}
    if plan.is_always:
        return Message("Your plan for as long as you leave it, its next line first: {lines}", params)
    if plan.context is None:
        return Message("Your plan for your next turn: {lines}", params)
    return Message("Your plan for {context}, its next line first: {lines}", params)


def _say_plan(accepted: Accepted) -> Message:
    plan = accepted.plan
    assert plan is not None
    played = "; ".join(move.text for move in accepted.moves if move.seat == plan.seat)
    doubts = ", ".join(doubt.text for doubt in plan_words.find_doubts(plan))
    params = {"lines": write_orders(plan.orders), "played": played, "doubts": doubts}
    if played:
        return Message("Your plan has played: {played}. It reads: {lines}", params)
    if doubts:
        return Message(
            "Your plan is kept and nobody else can read it: {lines}. As things stand, this part of it cannot be "
            "played: {doubts}",
            params,
        )
    return Message("Your plan is kept and nobody else can read it: {lines}", params)


def _undo(asked: CommandRequest) -> Message:
    return say_consent(propose_undo(asked.require_seat().match_id, asked.user, now=asked.now))


def _agree(asked: CommandRequest) -> Message:
    return say_consent(ask_consent.agree(asked.require_seat().match_id, asked.user, now=asked.now))


def _refuse(asked: CommandRequest) -> Message:
    ask_consent.refuse(asked.require_seat().match_id, asked.user, now=asked.now)
    return Message("The proposal is off; everything goes on as before.")


ORDER_COMMANDS: Mapping[str, Handler] = MappingProxyType(
    {"plan": _plan, "undo": _undo, "agree": _agree, "refuse": _refuse}
)


def say_accepted(accepted: Accepted) -> tuple[str, Message | None, int | None]:
    """The words of the receipt for a move, a sealed order or a plan: its text, a sentence, the ply."""
    if accepted.plan:
        played = [move.ply for move in accepted.moves if move.seat == accepted.plan.seat]
        return write_orders(accepted.plan.orders), _say_plan(accepted), min(played, default=None)
    if accepted.order:
        ply = accepted.moves[0].ply if accepted.order.move_id else None
        return accepted.order.text, say_sealed(accepted.order), ply
    return accepted.moves[0].text, None, accepted.moves[0].ply


def say_sealed(order: SealedOrder) -> Message:
    """The version of a sealed order, and its hash with everything it covers, so that its owner can check it at once."""
    covered = f"{order.match.code}|{order.context}|{seat_letter(order.seat)}|{order.version}|{order.salt}|{order.text}"
    return Message(
        "Sealed for {context}, version {version}; until all are in, another one replaces it. Its fingerprint in the "
        "log is {hash}, the SHA-256 of: {covered}",
        {"context": order.context, "version": order.version, "hash": order.hash, "covered": covered},
    )


def reading_error(match: Match, seat: Seat, text: str) -> GameError | None:
    """The error if the line is no move, and no `MOVE else MOVE`, of this match; None if it can be read.

    A mail has initials and names below its moves: a line without a number is a move only if its first word is written
    in full, so that `P` or `Pa` is no `pass` and `D S` no `draw small`.
    """
    position = replay.position(match)
    is_sealed = prompts.has_open_contest(match, position)
    game = registry.game(match.game)
    typed = spell_out(game, position, seat.index, text)
    try:
        if has_alternatives(typed):
            read_orders(game, position, seat.index, typed, is_sealed=is_sealed)
            return None
        if is_sealed:
            canonical = write_orders(read_orders(game, position, seat.index, typed, is_sealed=True))
        else:
            canonical = match.rules.write(match.rules.parse(position, seat.index, typed))
    except UnreadableOrder as error:
        return error.error
    except GameError as error:
        return error
    return _shortened_error(text, canonical)


def _shortened_error(text: str, canonical: str) -> InvalidMove | None:
    word, meant = split_line(text)[0], canonical.split()[0]
    if word == meant or any(map(str.isdecimal, text)):
        return None
    return InvalidMove(
        "shortened",
        "“{word}” could be a name. If you mean the move, write its first word in full: {move}",
        word=echo(word),
        move=meant,
    )


def seen_ply(seat: Seat, shown_at: datetime | None, prompt_ply: int | None) -> int | None:
    """The ply after which the writer saw the match, by the answered mail or else the prompt; None if unknown."""
    if shown_at is not None:
        earlier = seat.match.moves.filter(voided_at=None, created_at__lte=shown_at)
        return earlier.order_by("-ply").values_list("ply", flat=True).first() or 0
    return prompt_ply - 1 if prompt_ply else None
