"""Finds puzzles in finished public matches, a few seconds at a time, in the process of the hard bots."""

from __future__ import annotations

import logging
from datetime import timedelta
from time import monotonic

from django.db import DatabaseError, transaction
from django.db.models import Exists, OuterRef

from games import registry
from games.puzzle import find_puzzle, list_questions
from games.record import MoveLine
from gemserver.lib import clock
from gemserver.matches.broken_games import stop_broken
from gemserver.matches.models import Match
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.privacy import public_matches
from gemserver.matches.refusal import Refused
from gemserver.puzzles.models import Search, StoredPuzzle
from gemserver.puzzles.sources import read_own_record, store

log = logging.getLogger(__name__)

PIECE = 5.0
"""Seconds of work after which hints and reviews have their turn."""
STOCK = 20
"""Puzzles of each game, found here and not put yet, with which the search rests."""
RECENT = timedelta(days=60)
"""Matches that ended longer ago are left alone."""


def find_more() -> None:
    """Look for a puzzle in the latest match that was not looked through, for `PIECE` seconds."""
    match = _choose_match()
    if match is None:
        return
    search, _ = Search.objects.get_or_create(match=match)
    try:
        _look_through(match, search)
    except BrokenGame as error:
        _end(search)
        stop_broken(error)
    except DatabaseError:  # it is gone on with another time
        log.exception("the search for puzzles in %s waits", match.code)
    except Refused:  # its deal is being played once more: no puzzle comes of it, now or later
        _end(search)
    except Exception:  # one match that fails does not hold up the others
        log.exception("the search for puzzles in %s failed", match.code)
        _end(search)


def _choose_match() -> Match | None:
    """The latest match of a game of which there are few puzzles; one that was begun comes before all others."""
    stocked = [
        slug
        for slug in registry.GAMES
        if StoredPuzzle.objects.filter(game=slug, day=None, match__isnull=False).count() >= STOCK
    ]
    done = Search.objects.filter(match=OuterRef("pk"), done_at__isnull=False)
    begun = Search.objects.filter(match=OuterRef("pk"))
    found = (
        public_matches()
        .filter(~Exists(done), finished_at__gt=clock.now() - RECENT)
        .exclude(game__in=stocked)
        .annotate(is_begun=Exists(begun))
    )
    return found.order_by("-is_begun", "-finished_at", "-pk").first()


def _look_through(match: Match, search: Search) -> None:
    """Go on with the match, until a puzzle is found or the time is up. Raises Refused."""
    until = monotonic() + PIECE
    record = read_own_record(match, match.ply)
    for reached in list_questions(record, search.reached):
        if monotonic() >= until:
            search.reached = reached.ply
            search.save(update_fields=["reached"])
            return
        line = record.moves[reached.ply]
        assert isinstance(line, MoveLine)
        puzzle = find_puzzle(reached.game, record, reached, line.seat)
        if puzzle:
            with transaction.atomic():
                store(puzzle, match)
                _end(search)
            return
    _end(search)


def _end(search: Search) -> None:
    search.done_at = clock.now()
    search.save(update_fields=["done_at"])
