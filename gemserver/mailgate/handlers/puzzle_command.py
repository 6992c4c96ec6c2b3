"""The command about the puzzle of the day: it is sent once, each morning or no more, and answered.

A reply to a mail with a puzzle is read as `puzzle DAY MOVE`, which may also be written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from types import MappingProxyType

from django.conf import settings
from django.utils import timezone, translation

from games.contract import Json, Message
from games.puzzle import Puzzle
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler, with_moves_meant
from gemserver.matches.refusal import Refused
from gemserver.matches.said import offer_moves
from gemserver.matches.words.moves import say_move
from gemserver.puzzles.answers import answer
from gemserver.puzzles.days import find_posed
from gemserver.puzzles.models import StoredPuzzle
from gemserver.puzzles.posed import show_hour
from gemserver.puzzles.subscribing import subscribe, unsubscribe

NO_TRY = "no-puzzle-move"
"""The code of a refusal that shows the puzzle again."""
ANSWERED = "already-answered"
"""The code of a refusal that shows the solution again."""
TRIES = frozenset({NO_TRY, ANSWERED, "puzzle-over"})
"""Codes of refusals of a try."""


def _puzzle(request: CommandRequest) -> Message:
    """Begin or end the daily mail, show a puzzle, or answer it; the section of our answer shows the rest."""
    word, _, move = request.argument.partition(" ")
    if word.lower() == "on":
        subscription = subscribe(request.user, now=request.now)
        with timezone.override(request.user.zone):
            at = show_hour(subscription.next_at)
        return Message(
            "You get the puzzle of the day at {at}. To have today's now, write: puzzle · To get no more, write: "
            "puzzle off",
            {"at": at},
        )
    if word.lower() == "off":
        unsubscribe(request.user)
        return Message("You get no more puzzles. To get them again, write: puzzle on")
    if request.seat is not None:
        raise Refused(
            "puzzle-elsewhere",
            "This is the address of {code}, where a line may be a move of the match. Write to {address} instead: "
            "puzzle",
            code=request.seat.match.code,
            address=settings.PLAY_ADDRESS,
        )
    stored, found = find_posed(_read_day(word), request.user, request.now)
    assert stored.day is not None
    params: dict[str, Json] = {"day": stored.day.isoformat(), "title": stored.title}
    if not move:
        return Message("The puzzle of {day}: {title}.", params)
    return _try_move(request, stored, found, move, params)


def _try_move(
    request: CommandRequest, stored: StoredPuzzle, found: Puzzle, move: str, params: dict[str, Json]
) -> Message:
    """Answer the puzzle and tell whether the move is its best; a text that is no move costs no try."""
    try:
        with translation.override(request.user.language):
            kept = answer(stored, found, request.user, move, now=request.now)
    except Refused as refusal:
        if refusal.code == ANSWERED:
            refusal.message = replace(refusal.message, params={**refusal.message.params, **params})
        if refusal.kind == "refused":
            raise
        with translation.override(request.user.language):
            why = refusal.text() if request.user.language else ""
        no_try = Refused(NO_TRY, "Not a move: “{move}”. {why}", "refused", move=move, why=why, **params)
        moves = offer_moves(found.game, found.state, found.seat, move, found.record.players)
        raise with_moves_meant(no_try, moves, ready=f"puzzle {params['day']}") from refusal
    with translation.override(request.user.language):
        for name, text in (("move", kept.move), ("best", found.best)):
            params[name] = say_move(found.game.rules, found.state, found.seat, text)
    if kept.is_right:
        return Message("Right: {move}.", params)
    return Message("Not the best: {move}. Better: {best}.", params)


def _read_day(word: str) -> date | None:
    """The day; None for today. Raises Refused(no-such-puzzle)."""
    if not word:
        return None
    try:
        return date.fromisoformat(word)
    except ValueError:
        raise Refused(
            "no-such-puzzle", "There is no puzzle of that day; look at the list of puzzles."
        ) from None


PUZZLE_COMMANDS: Mapping[str, Handler] = MappingProxyType({"puzzle": _puzzle})
