"""Hints in practice: a move, what the computer player expects of it, and what of others.

Only where nobody but the server's own bots plays with whoever asks, and the server has dealt. That is asked anew each
time. The thinker compares the moves by what the seat may know (`games.analysis`), so a hint gives no hidden card away.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from secrets import token_hex
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from games import bots, registry
from games.analysis import advise
from games.chance import Chance
from games.orders import read_orders, write_orders
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import prompts, replay
from gemserver.matches.broken_games import stop_broken
from gemserver.matches.models import Match, Seat
from gemserver.matches.notifications import Addressee, tell_players
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat
from gemserver.matches.words.moves import word_move
from gemserver.matches.words.plans import word_orders
from gemserver.notify.channels import in_use
from gemserver.notify.models import Channel
from gemserver.nudge import nudge
from gemserver.study.limits import PIECE, Counter, count_nothing, lock_family
from gemserver.study.models import Hint

log = logging.getLogger(__name__)

MOST_A_DAY = 60
"""Hints that one person gets within 24 hours, with their bots."""
MOST_WAITING = 3
"""Hints for one person that the thinker has not come to yet."""
SHOWN = 4
"""Moves of a hint."""
KEPT = timedelta(days=2)


def is_practice(match: Match, seats: Sequence[Seat], user: User) -> bool:
    """True if only the server's bots play with this user, in a running match that they began and the server dealt."""
    return match.is_running and _was_practice(match, seats, user)


def lacks_account_for_hints(match: Match, seats: Sequence[Seat], user: User) -> bool:
    """True if this guest would get hints here with an account."""
    return user.is_guest and match.is_running and _is_against_bots(match, seats, user)


def _was_practice(match: Match, seats: Sequence[Seat], user: User) -> bool:
    """Like `is_practice`, for a match that may be over."""
    return not user.is_guest and _is_against_bots(match, seats, user)


def _is_against_bots(match: Match, seats: Sequence[Seat], user: User) -> bool:
    """Like `_was_practice`, for guests too."""
    others = [seat for seat in seats if seat.user_id != user.pk]
    return (
        not match.is_rated
        and match.created_by_id == user.pk
        and match.dealt_by is None
        and match.club_id is None
        and len(others) < len(seats)
        and all(seat.user_id is None and seat.bot and not seat.is_open for seat in others)
    )


def ask_hint(
    match: Match, user: User, *, is_by_mail: bool = False, count: Counter = count_nothing, now: datetime
) -> Hint:
    """Ask for a hint to the question that waits for the user; a second time the same one comes.

    `is_by_mail`: it is to be mailed, too. `count` is called before a new one begins.

    Raises Refused(not-seated, guest, no-hints-here, over, not-asked, too-many-hints, hints-waiting).
    """
    seat = require_asked(match, user)
    hint = Hint.objects.filter(**_question(match, seat)).first() or _begin(match, seat, user, count, now)
    if is_by_mail:
        Hint.objects.filter(pk=hint.pk).update(is_by_mail=True)
        hint.refresh_from_db()
        if hint.is_done:
            _tell(hint, seat, now)
    return hint


def _question(match: Match, seat: Seat) -> dict[str, object]:
    """The fields of a hint that say what it is about."""
    taken_back = match.moves.filter(voided_at__isnull=False).count()
    return {"match": match, "seat": seat.index, "prompt_ply": seat.prompt_ply, "taken_back": taken_back}


def _begin(match: Match, seat: Seat, user: User, count: Counter, now: datetime) -> Hint:
    with transaction.atomic():
        family = lock_family(user)
        _require_few(Hint.objects.filter(family), now)
        count()
        hint, _ = Hint.objects.get_or_create(
            **_question(match, seat), defaults={"user": user, "asked_at": now}
        )
    nudge("gemserver.study.tasks.think")
    return hint


def _require_few(asked: QuerySet[Hint], now: datetime) -> None:
    if asked.filter(asked_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
        raise Refused(
            "too-many-hints",
            "You have had {most} hints within a day. Play on by yourself; tomorrow there are more.",
            most=MOST_A_DAY,
        )
    if asked.filter(done_at=None).count() >= MOST_WAITING:
        raise Refused(
            "hints-waiting",
            "The bots are still thinking about {most} other questions of yours. Ask again when they are done.",
            most=MOST_WAITING,
        )


def _tell(hint: Hint, seat: Seat, now: datetime, *, by_channel: bool = False) -> None:
    """Queue the news to whoever asked; once for each hint and way."""
    reader = Addressee(hint.user, seat.index)
    tell_players(
        hint.match,
        "hint",
        [reader],
        turn=hint.prompt_ply,
        number=2 * hint.pk + by_channel,
        now=now,
        hint=hint.pk,
        by_channel=by_channel,
    )


def _announce(hint: Hint, seat: Seat, now: datetime) -> None:
    """Let a webhook know that the hint is there; whoever looks at the page sees it there in a moment."""
    if in_use(hint.user).filter(kind=Channel.Kind.WEBHOOK).exists():
        _tell(hint, seat, now, by_channel=True)


def find_hint(match: Match, user: User) -> Hint | None:
    """The hint to the question that waits for the user, done or not. Raises Refused like `ask_hint`."""
    seat = require_asked(match, user)
    return Hint.objects.filter(**_question(match, seat)).first()


def word_moves(match: Match, hint: Hint) -> list[tuple[str, str, float | None]]:
    """The moves of a hint that is done, the best first: each in notation and in words, and its worth.

    In a contest at sealed pace it is an order, without a worth.
    """
    position, seat, moves = replay.position(match), hint.seat, hint.moves or ()
    if prompts.has_open_contest(match, position):
        return [(order, _word_order(match, position, seat, order), worth) for order, worth in moves]
    answered = prompts.position_to_answer(match, position, seat)
    return [(move, word_move(match.rules, answered, seat, move), worth) for move, worth in moves]


def _word_order(match: Match, position: Any, seat: int, text: str) -> str:
    """A sealed order in words; itself where they say no more."""
    orders = read_orders(registry.game(match.game), position, seat, text, is_sealed=True)
    return word_orders(match, seat, orders) or text


def require_asked(match: Match, user: User) -> Seat:
    """The user's seat in a practice match that waits for it.

    Raises Refused(not-seated, guest, no-hints-here, over, not-asked).
    """
    seat = require_held_seat(match, user)
    if user.is_guest:
        raise Refused("guest", "Hints are for players with an account; sign up, and go on with this match.")
    if not _was_practice(match, match.read_seats(), user):
        raise Refused(
            "no-hints-here",
            "There are no hints in {code}: they are for practice against the server's own bots alone.",
            code=match.code,
        )
    if match.is_over:
        raise Refused(
            "over",
            "{code} is over. On its page a bot can look back at it, and you can try other moves.",
            code=match.code,
        )
    if not seat.is_waiting:
        raise Refused("not-asked", "It is not your turn in {code}; ask again when it is.", code=match.code)
    return seat


def think_of_all() -> bool:
    """Answer the hints that wait, the oldest first, and begin none after `PIECE` seconds; True if some are left."""
    began = monotonic()
    while hint := _waiting().first():
        if monotonic() - began > PIECE:
            return True
        try:
            _think(hint)
        except BrokenGame as error:
            hint.delete()
            stop_broken(error)
        except Exception:  # one question that fails does not hold up the others
            log.exception("the hint for %s failed", hint)
            hint.delete()
    return False


def _waiting() -> QuerySet[Hint]:
    return Hint.objects.filter(done_at=None).select_related("match", "user").order_by("asked_at")


def _think(hint: Hint) -> None:
    """Compare the moves; a question that was answered meanwhile needs no hint any more."""
    try:
        seat = require_asked(hint.match, hint.user)
    except Refused:
        hint.delete()
        return
    if any(getattr(hint, name) != value for name, value in _question(hint.match, seat).items()):
        hint.delete()
        return
    hint.moves = _find_moves(hint.match, seat)
    hint.done_at = clock.now()
    with transaction.atomic():
        hint.save(update_fields=["moves", "done_at"])
        # It may have been asked for by mail while the bot was thinking.
        hint.refresh_from_db(fields=["is_by_mail"])
        if hint.is_by_mail:
            _tell(hint, seat, hint.done_at)
        else:
            _announce(hint, seat, hint.done_at)


def _find_moves(match: Match, seat: Seat) -> list[tuple[str, float | None]]:
    """The best moves with their worth; at sealed pace the order that a bot would seal."""
    game, position, chance = registry.game(match.game), replay.position(match), Chance(token_hex(32), "hint")
    if prompts.has_open_contest(match, position):
        return [(write_orders(bots.choose_order("normal", game, position, seat.index, chance)), None)]
    worths = advise(game, position, seat.index, chance)
    return [(game.rules.write(move), round(worth, 1)) for move, worth in list(worths.items())[:SHOWN]]
