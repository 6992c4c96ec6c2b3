"""The only door to a match: every move of web, mail, bot, clock, plan or moderator goes through `submit`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Any, Literal, TypeVar

from django.db import transaction
from django.db.models import CharField, Model

from games.contract import GameError
from games.course import Course, Plan
from games.orders import (
    Line,
    Orders,
    UnreadableOrder,
    check_order,
    find_legal,
    has_alternatives,
    read_orders,
    spell_out,
)
from gemserver.accounts.models import User
from gemserver.lib.database.prepared import MostlyEmpty, Param, Prepared
from gemserver.matches import replay, sitters
from gemserver.matches.broken_games import GameFailed, require_sound, stop_broken
from gemserver.matches.locking import lock_match_called
from gemserver.matches.models import Match, Move, SealedOrder, Seat, StoredPlan
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.playing import Origin, Playing
from gemserver.matches.privacy import may_see, no_such_match
from gemserver.matches.refusal import Refused
from gemserver.matches.request_names import name_request
from gemserver.matches.seating import not_seated

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Actor:
    """The mover: a user, in the seat they hold or sit in for its player; or the bot or the clock of one seat."""

    kind: Literal["player", "bot", "clock"]
    user: User | None = None
    seat: int = -1

    @classmethod
    def player(cls, user: User) -> Actor:
        return cls("player", user=user)

    @classmethod
    def bot(cls, seat: int) -> Actor:
        return cls("bot", seat=seat)

    @classmethod
    def clock(cls, seat: int) -> Actor:
        return cls("clock", seat=seat)


@dataclass(frozen=True, slots=True)
class Request:
    """One move to be played.

    `prompt_ply`: the prompt it answers (None: the current one). `request_id` identifies the request among those of the
    same actor and source: a second submit with the same one changes nothing and returns the first one's result, while
    another actor's with the same one is another request. `seen_ply`: the ply up to which its writer had seen the match,
    for a `MOVE else MOVE` that is meant for later.
    """

    match_code: str
    actor: Actor
    text: str
    source: Move.Source
    request_id: str
    prompt_ply: int | None = None
    seen_ply: int | None = None

    def name(self, seat: int) -> str | None:
        """The name under which its rows are stored when it comes from this seat."""
        return name_request(self.source, self.actor.user, seat, self.request_id)


@dataclass(frozen=True, slots=True)
class Accepted:
    """The outcome of a request.

    `moves`: its own move first, then the moves that followed by themselves; after a sealed order or a plan, the moves
    it set off, perhaps none yet.
    """

    moves: tuple[Move, ...]
    order: SealedOrder | None = None
    """The sealed order or sealed pick that was accepted."""
    plan: StoredPlan | None = None
    is_repeat: bool = False
    seat: int = -1
    """The seat that it was for."""
    seats: tuple[Seat, ...] = ()
    """All seats of the match, where moves were made."""


def submit(
    request: Request,
    *,
    now: datetime,
    asked_at: datetime | None = None,
    claim: Callable[[], object] | None = None,
) -> Accepted:
    """Play a move with all its consequences, and queue the mails about them, in one transaction.

    `now` is when the request reached us (for a mail, its receipt) and stops the mover's clock. The clocks of the
    players who are asked next start at `asked_at` (`now` by default), so that nobody pays for a mail that waited to be
    read. `claim` comes first in the transaction, and what it raises ends it. Locks the match row.
    Raises Refused; nothing has changed then, but a game that fails stops its match and is refused as game-failed.
    """
    try:
        return _submit(request, now, asked_at, claim)
    except BrokenGame as error:
        stop_broken(error)
        raise GameFailed(error, request.match_code) from error


def _submit(
    request: Request, now: datetime, asked_at: datetime | None, claim: Callable[[], object] | None
) -> Accepted:
    with transaction.atomic():
        if claim:
            claim()
        match = lock_match_called(request.match_code)
        seats = match.read_seats()
        seat = find_seat(match, request.actor, now, seats)
        name = request.name(seat.index)
        if earlier := _earlier_result(match, name):
            return replace(earlier, seat=seat.index, seats=tuple(seats))
        require_running(match)
        require_sound(match)
        playing = Playing.load(match, now, seats)
        origin = Origin(request.source, request.actor.user, name)
        try:
            accepted = _accept(playing, seat, request, origin)
        except (UnreadableOrder, GameError) as error:
            raise Refused.by_game(error) from error
        playing.run()
        playing.ask_next(answered={seat.index}, asked_at=asked_at)
        return replace(accepted, moves=tuple(playing.moves), seat=seat.index, seats=tuple(seats))


def _accept(playing: Playing, seat: Seat, request: Request, origin: Origin) -> Accepted:
    """Lay the sealed order, store the one-line plan, or play the move."""
    course, text = playing.course, request.text
    if course.contest:
        require_chooser(playing, seat, request.prompt_ply)
        orders = Orders(())
        if text or request.actor.kind != "clock":
            typed = spell_out(course.game, course.state, seat.index, text)
            orders = read_orders(course.game, course.state, seat.index, typed, is_sealed=True)
            check_order(course.game, course.state, seat.index, orders)
        return Accepted((), order=playing.order(seat.index, orders, origin))
    is_change = not seat.is_waiting and _may_change_its_mind(playing.match, seat)
    if has_alternatives(text) and not is_change:
        if request.actor.user and request.actor.user.pk != seat.user_id:
            raise Refused(
                "not-for-sitters", "You play this seat for somebody else: write one move, without “else”."
            )
        plan = read_plan(playing, seat, text, request.seen_ply)
        return Accepted((), plan=playing.keep_plan(seat.index, plan, origin))
    require_current_prompt(playing.match, seat, request.prompt_ply)
    if has_alternatives(text):  # replaces a pick that lies face down
        line = read_typed(course, seat, text).next_line
        move = first_legal(course, course.state, seat.index, line)
    else:
        typed = spell_out(course.game, course.state, seat.index, text)
        move = course.game.rules.parse(course.state, seat.index, typed)
    playing.play(seat.index, move, origin)
    return Accepted((), order=playing.sealed.get(seat.index))


def read_plan(playing: Playing, seat: Seat, text: str, seen_ply: int | None) -> Plan:
    """Read the plan in this text, for the present contest. Raises Refused(stale), UnreadableOrder.

    `seen_ply`: the ply up to which its writer had seen the match, if known; it must lie in the same contest.
    """
    course = playing.course
    orders = read_typed(course, seat, text)
    context = course.game.rules.context(course.state)
    if seen_ply is not None and not orders.is_always:
        seen = course.game.rules.context(replay.position_at(playing.match, seen_ply))
        if seen != context or (context is None and seen_ply < seat.prompt_ply - 1):
            if not seen_ply:
                raise Refused(
                    "stale",
                    "You wrote this before the first move, and what it was meant for is over; look at the present "
                    "position and write the plan again.",
                )
            raise Refused(
                "stale",
                "You wrote this when the match stood at move {seen}, and what it was meant for is over; look at the "
                "present position and write the plan again.",
                seen=seen_ply,
            )
    return Plan(orders, context)


def read_typed(course: Course, seat: Seat, text: str) -> Orders:
    """Read orders for later as a person types them. Raises UnreadableOrder."""
    typed = spell_out(course.game, course.state, seat.index, text)
    return read_orders(course.game, course.state, seat.index, typed)


def first_legal(course: Course, state: Any, seat: int, line: Line) -> Any:
    """The first legal alternative; if none is legal, raises IllegalMove for the first one."""
    chance = course.chance_of(course.ply + 1)
    move = find_legal(course.game, state, seat, line, chance)
    if move is None:
        move = course.game.rules.parse(state, seat, line[0])
        course.game.rules.apply(state, seat, move, chance)
    return move


def find_seat(match: Match, actor: Actor, now: datetime, seats: Sequence[Seat] | None = None) -> Seat:
    """Find the seat this actor may move for. `seats`: all seats of the match, if the caller has read them already.

    A user moves for the seat they hold, else for the one they sit in at `now` (for a mail, its receipt). Nobody has
    two seats in one match.
    Raises Refused(not-seated), and no-such-match for one of which the user may not know.
    """
    seats = match.read_seats() if seats is None else seats
    found = [seat for seat in seats if _moves_for_own(actor, seat)]
    if not found and actor.user and (sitting := sitters.sitting_of(actor.user, match.code, now)):
        found = [seat for seat in seats if seat.pk == sitting.seat_id]
    if not found:
        raise not_seated(match) if actor.user is None or may_see(match, actor.user) else no_such_match()
    return found[0]


def _moves_for_own(actor: Actor, seat: Seat) -> bool:
    match actor.kind:
        case "player":
            return actor.user is not None and seat.user_id == actor.user.pk
        case "bot":
            return seat.index == actor.seat and bool(seat.bot_level)
        case "clock":
            return seat.index == actor.seat


def require_running(match: Match) -> None:
    """Raise Refused(over, cancelled, not-started) unless the match is running."""
    if match.status == Match.Status.FINISHED:
        raise Refused("over", "{code} is over; its record is on its page.", code=match.code)
    _require_not_cancelled(match)
    if not match.is_running:
        raise _not_started(match)


def require_begun(match: Match) -> None:
    """Raise Refused(cancelled, not-started) for a table, which has no position yet."""
    _require_not_cancelled(match)
    if not match.position:
        raise _not_started(match)


def _require_not_cancelled(match: Match) -> None:
    if match.status == Match.Status.CANCELLED:
        raise Refused("cancelled", "{code} was cancelled; nobody sits there any more.", code=match.code)


def _not_started(match: Match) -> Refused:
    return Refused("not-started", "{code} has not started; wait for the start mail.", code=match.code)


def require_current_prompt(match: Match, seat: Seat, prompt_ply: int | None) -> None:
    """Raise Refused(stale, not-your-turn) unless the seat may answer this prompt of a running match with a move."""
    if prompt_ply is not None and prompt_ply != seat.prompt_ply:
        raise _stale(seat, prompt_ply)
    if not seat.is_waiting and not _may_change_its_mind(match, seat):
        raise _not_your_turn(match)


def require_chooser(playing: Playing, seat: Seat, prompt_ply: int | None) -> None:
    """Like `require_current_prompt`, for sealed orders, which may be replaced until all are in."""
    if prompt_ply is not None and prompt_ply != seat.prompt_ply:
        raise _stale(seat, prompt_ply)
    if seat.index not in playing.course.choosers:
        raise _not_your_turn(playing.match)


def _stale(seat: Seat, prompt_ply: int) -> Refused:
    """The refusal of an answer to another prompt; a seat that nothing was asked yet has the prompt 0."""
    if not seat.prompt_ply:
        return Refused("stale", "You have not been asked anything yet; answer when it is your turn.")
    if not prompt_ply:
        return Refused(
            "stale",
            "This answers nothing that you were asked, and you are now at turn {current}; "
            "look at the present position and answer it.",
            current=seat.prompt_ply,
        )
    return Refused(
        "stale",
        "This answers turn {answered}, and you are now at turn {current}; "
        "look at the present position and answer it.",
        answered=prompt_ply,
        current=seat.prompt_ply,
    )


def _not_your_turn(match: Match) -> Refused:
    return Refused(
        "not-your-turn", "It is not your turn in {code}; you will get a mail when it is.", code=match.code
    )


def _may_change_its_mind(match: Match, seat: Seat) -> bool:
    return next(match.rules.legal_moves(replay.position(match), seat.index), None) is not None


def find_known(seat: Seat, user: User, source: Move.Source, request_id: str) -> Accepted | None:
    """The result of the user's request for this seat if it was carried out before, else None."""
    return _earlier_result(seat.match, name_request(source, user, seat.index, request_id))


def _earlier_result(match: Match, name: str | None) -> Accepted | None:
    """The result of an earlier request of this name: a move, a sealed order or a plan; None if there was none.

    The caller has made sure that the requester may act for the seat in the name.
    """
    if name is None:
        return None
    orders, plans, moves = _named(match=match.pk, request=name)
    for order in orders:
        return Accepted(_played_by(order), order=order, is_repeat=True)
    for plan in plans:
        return Accepted((), plan=plan, is_repeat=True)
    for move in moves:
        pick = SealedOrder.objects.filter(move=move).first()
        return Accepted((move, *_forced_after(match, move)), order=pick, is_repeat=True)
    return None


def _played_by(order: SealedOrder) -> tuple[Move, ...]:
    """The moves of its seat that a sealed order has set off; none while the others may still decide."""
    if order.resolved_ply is None or order.voided_at:
        return ()
    stand = order.match.moves.filter(seat=order.seat, voided_at=None)
    return tuple(stand.filter(ply__lte=order.resolved_ply, created_at__gte=order.placed_at).order_by("ply"))


def _forced_after(match: Match, move: Move) -> Iterable[Move]:
    """The forced moves that followed; none if the move was taken back, for those that stand now follow another."""
    if move.voided_at:
        return ()
    later = match.moves.filter(ply__gt=move.ply, voided_at=None).order_by("ply")
    return takewhile(lambda following: following.source == Move.Source.FORCED, later)


def _by_request(model: type[Row]) -> Prepared[Row]:
    return Prepared(
        lambda: model._default_manager.filter(match=Param("match"), request_id=Param("request", CharField()))
    )


_named = MostlyEmpty(_by_request(SealedOrder), _by_request(StoredPlan), _by_request(Move))
