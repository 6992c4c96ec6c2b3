"""Stops the match of a foreign game that has failed (`gemserver.matches.offered.game_guard`), and nothing else."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_noop

from games.registry import OWN
from gemserver.lib import clock
from gemserver.lib.web import problems
from gemserver.matches import timing
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Stop
from gemserver.matches.offered.asked_rules import find_asked_match
from gemserver.matches.offered.game_guard import UNPLAYABLE, BrokenGame
from gemserver.matches.refusal import Refused

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


_SENTENCE = gettext_noop(
    "The rules of {code} have failed, and the match stands still; wait until the operators have put it right."
)


class GameFailed(Refused):
    """A move was not played because the game has failed; `error` says how, for the log."""

    def __init__(self, error: BrokenGame, code: str) -> None:
        super().__init__("game-failed", _SENTENCE, code=code)
        self.error = error


def is_stopped(match: Match) -> bool:
    """True if its game has failed and no moderator has let it go on since."""
    return match.game not in OWN and match.stops.filter(reason=Stop.Reason.GAME, end=None).exists()


def require_sound(match: Match) -> None:
    """Raises Refused(game-failed)."""
    if is_stopped(match):
        raise Refused("game-failed", _SENTENCE, code=match.code)


def stop_broken(error: BrokenGame) -> bool:
    """Let the match whose rules were asked last stand still, and tell its table; the alarm follows from the stop.

    Returns True if it stands still; one that is not running is in the log alone. Call it outside the transaction in
    which it has failed.
    """
    pk = find_asked_match()
    log.error("match %s: %s", pk, error, exc_info=error)
    if pk is None:
        return False
    now = clock.now()
    with transaction.atomic():
        match = lock_match(pk)
        if not match.is_running or is_stopped(match):
            return is_stopped(match)
        stop = match.stops.filter(end=None).first() or Stop(match=match, start=now, is_told=True)
        stop.reason = Stop.Reason.GAME
        stop.save()
        timing.reset_alarms(match, now)
        notices.post(match, "game-failed", f"game-failed:{stop.pk}:{match.ply}", now=now)
    return True


def refuse_unplayable(error: Exception, code: str) -> Refused:
    """The refusal of what was asked of a match that is `UNPLAYABLE`; that of a game that fails is stopped.

    Call it outside the transaction in which it has failed.
    """
    if isinstance(error, BrokenGame):
        stop_broken(error)
    else:
        log.error("match %s does not replay: %s", code, error, exc_info=error)
    return Refused("game-failed", _SENTENCE, code=code)


def stops_when_broken(act: Callable[P, T]) -> Callable[P, T]:
    """Decorate what asks rules, so that the match of a game that fails is stopped; the error goes on."""

    @wraps(act)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return act(*args, **kwargs)
        except BrokenGame as error:
            stop_broken(error)
            raise

    return call


class BrokenGames:
    """Middleware: a page whose match has failed, or whose moves do not replay any more, says so, with 503."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        stands_still = False
        if isinstance(error, BrokenGame):
            stands_still = stop_broken(error)
        elif isinstance(error, UNPLAYABLE):
            log.error("match %s does not replay: %s", find_asked_match(), error, exc_info=error)
        else:
            return None
        if problems.is_for_program(request):
            return problems.game_failed(stands_still=stands_still)
        return render(request, "matches/broken_game.html", {"stands_still": stands_still}, status=503)
