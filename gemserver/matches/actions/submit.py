"""The only door to a match: every move of web, mail, bot, clock, plan or moderator goes through `submit`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Any, Literal

from django.db import transaction

from games.chance import Chance
from games.contract import GameError
from gemserver.accounts.models import User
from gemserver.matches import codec, replay, sitters, turns
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused


@dataclass(frozen=True, slots=True)
class Actor:
    """Who moves: a user in the seat they hold or sit in for its player, or the bot or the clock of one seat."""

    kind: Literal["player", "sitter", "bot", "clock"]
    user: User | None = None
    seat: int = -1
    at: datetime | None = None
    """The instant at which a sitter must have been one: the receipt of a mail."""

    @classmethod
    def player(cls, user: User) -> Actor:
        return cls("player", user=user)

    @classmethod
    def sitter(cls, user: User, seat: int, at: datetime) -> Actor:
        return cls("sitter", user=user, seat=seat, at=at)

    @classmethod
    def in_seat(cls, user: User, seat: Seat, at: datetime) -> Actor:
        """The user as the holder of this seat, or as the one who sits there."""
        return cls.player(user) if seat.user_id == user.pk else cls.sitter(user, seat.index, at)

    @classmethod
    def bot(cls, seat: int) -> Actor:
        return cls("bot", seat=seat)

    @classmethod
    def clock(cls, seat: int) -> Actor:
        return cls("clock", seat=seat)


@dataclass(frozen=True, slots=True)
class Request:
    """One move to be played.

    `prompt_ply` is the prompt it answers (None: whatever is asked now); `request_id` names this request for good:
    a second submit with the same one changes nothing and returns the first one's result.
    """

    match_id: int
    actor: Actor
    text: str
    source: Move.Source
    request_id: str
    prompt_ply: int | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a request caused: its own move first, then the forced ones that followed."""

    moves: tuple[Move, ...]
    is_repeat: bool = False


def submit(request: Request, *, now: datetime, asked_at: datetime | None = None) -> Accepted:
    """Play a move, all of its consequences, and queue the mails about them, in one transaction.

    `now` is the instant at which the request reached us (for a mail its receipt); it stops the mover's clock. The
    clocks of those who are asked next start at `asked_at` (`now` if not given), so that nobody pays for a mail that
    waited to be read. Locks the match row.
    Raises Refused; then nothing has changed.
    """
    with transaction.atomic():
        match = lock_match(request.match_id)
        if earlier := _earlier_result(match, request.request_id):
            return earlier
        seat = find_seat(match, request.actor)
        require_current_prompt(match, seat, request.prompt_ply)
        state = replay.position(match)
        try:
            parsed = match.rules.parse(state, seat.index, request.text)
            state, first = _record(
                match,
                state,
                seat.index,
                parsed,
                source=request.source,
                now=now,
                actor=request.actor.user,
                request_id=request.request_id,
            )
        except GameError as error:
            raise Refused.by_game(error) from error
        state, forced = play_forced(match, state, now)
        turns.settle(match, state, answered={seat.index}, now=now, asked_at=asked_at)
        return Accepted((first, *forced))


def preview(match: Match, actor: Actor, text: str, prompt_ply: int | None = None) -> Any:
    """The position after the move, without playing it or anything that follows by chance.

    Raises Refused exactly as `submit` would. What chance would bring is drawn anew, so that a preview tells nothing.
    """
    seat = find_seat(match, actor)
    require_current_prompt(match, seat, prompt_ply)
    state = replay.position(match)
    try:
        parsed = match.rules.parse(state, seat.index, text)
        match.rules.apply(state, seat.index, parsed, replay.chance(match, match.ply + 1))
        chance = Chance(token_hex(32), "preview")
        imagined = match.rules.resample(state, seat.index, chance)
        return match.rules.apply(imagined, seat.index, parsed, chance).state
    except GameError as error:
        raise Refused.by_game(error) from error


def play_forced(match: Match, state: Any, now: datetime) -> tuple[Any, list[Move]]:
    """Play whatever can only happen one way; the position reached and the moves, in order."""
    played = []
    while forced := match.rules.forced_move(state):
        seat, move = forced
        state, row = _record(match, state, seat, move, source=Move.Source.FORCED, now=now)
        played.append(row)
    return state, played


def find_seat(match: Match, actor: Actor) -> Seat:
    """The seat this actor may move for; raises Refused(not-seated)."""
    seats = match.seats.select_related("user")
    match actor.kind:
        case "player":
            seat = seats.filter(user=actor.user).first()
        case "sitter":
            assert actor.at is not None
            sittings = sitters.acting(actor.at).filter(sitter=actor.user)
            seat = seats.filter(index=actor.seat, sittings__in=sittings).first()
        case "bot":
            seat = seats.filter(index=actor.seat).exclude(bot="").first()
        case "clock":
            seat = seats.filter(index=actor.seat).first()
    if seat is None:
        raise Refused("not-seated", "You do not sit at {code}; you can only watch.", code=match.code)
    return seat


def require_current_prompt(match: Match, seat: Seat, prompt_ply: int | None) -> None:
    """Raises Refused (not-started, over, stale, not-your-turn) unless the seat may answer this prompt now."""
    if match.status == Match.Status.FINISHED:
        raise Refused("over", "{code} is over; its record is on its page.", code=match.code)
    if not match.is_running:
        raise Refused("not-started", "{code} has not started; wait for the start mail.", code=match.code)
    if prompt_ply is not None and prompt_ply != seat.prompt_ply:
        raise Refused(
            "stale",
            "This answers turn {answered}, and you are now at turn {current}; "
            "look at the present position and answer it.",
            answered=prompt_ply,
            current=seat.prompt_ply,
        )
    if not seat.is_waiting and not _may_change_its_mind(match, seat):
        raise Refused(
            "not-your-turn", "It is not your turn in {code}; you will get a mail when it is.", code=match.code
        )


def _may_change_its_mind(match: Match, seat: Seat) -> bool:
    return next(match.rules.legal_moves(replay.position(match), seat.index), None) is not None


def _earlier_result(match: Match, request_id: str) -> Accepted | None:
    first = match.moves.filter(request_id=request_id).first()
    if first is None:
        return None
    moves = [first]
    for later in match.moves.filter(ply__gt=first.ply, voided_at=None).order_by("ply"):
        if later.source != Move.Source.FORCED:
            break
        moves.append(later)
    return Accepted(tuple(moves), is_repeat=True)


def _record(
    match: Match,
    state: Any,
    seat: int,
    move: Any,
    *,
    source: Move.Source,
    now: datetime,
    actor: User | None = None,
    request_id: str | None = None,
) -> tuple[Any, Move]:
    ply = match.ply + 1
    step = match.rules.apply(state, seat, move, replay.chance(match, ply))
    row = Move.objects.create(
        match=match,
        ply=ply,
        seat=seat,
        text=match.rules.write(move),
        source=source,
        actor=actor,
        request_id=request_id,
        created_at=now,
        is_sealed=step.sealed,
        events=codec.dump_events(step.events),
    )
    match.ply = ply
    return step.state, row
