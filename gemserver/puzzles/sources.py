"""Where puzzles come from: the files of the games, and finished public matches of this server.

A match is asked anew each time whether anybody may look back at it. So no puzzle is of a match that runs, nor of one
whose deal is being played once more.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache

from django.contrib.auth.models import AnonymousUser

from games import registry
from games.contract import GameError
from games.puzzle import Puzzle, read_puzzles
from games.record import Record, read_record
from gemserver.matches import records
from gemserver.matches.models import Match
from gemserver.matches.offered.asked_rules import ask_rules_of, ask_rules_of_no_match
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.refusal import Refused
from gemserver.puzzles.models import StoredPuzzle
from gemserver.study.studied import require_looked_back

log = logging.getLogger(__name__)

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
"""Those who play in puzzles, whoever played in the match."""


def read_stored(stored: StoredPuzzle) -> Puzzle:
    """The puzzle of a row. Raises Refused(puzzle-gone) where it may not be shown, or the rules have changed."""
    try:
        if stored.game not in registry.GAMES:
            raise _gone()
        if stored.match is None:
            ask_rules_of_no_match()
            record = read_record(stored.record)
        else:
            record = read_own_record(stored.match, stored.ply)
        puzzle = Puzzle(
            registry.GAMES[stored.game],
            record,
            stored.seat,
            stored.best,
            tuple((move, float(worth)) for move, worth in stored.worths),
            stored.simulations,
            tuple(stored.seeds),
        )
        puzzle.is_right(puzzle.best)
    except (GameError, BrokenGame) as error:
        log.warning("The puzzle %s cannot be shown: %s", stored, error)
        raise _gone() from error
    return puzzle


def read_own_record(match: Match, ply: int) -> Record:
    """The record of a finished public match up to a position, with other names. Raises Refused(puzzle-gone)."""
    try:
        require_looked_back(match, AnonymousUser())
    except Refused as refusal:
        raise _gone() from refusal
    ask_rules_of(match.pk)
    record = records.make_record(match)
    return replace(
        record,
        players=NAMES[: match.seat_count],
        moves=record.moves[:ply],
        match=None,
        commitment=None,
        server_part=None,
        parts=(),
        result=None,
        ending=None,
        sealed=(),
    )


def _gone() -> Refused:
    return Refused(
        "puzzle-gone", "This puzzle cannot be shown now: its match, or the rules of its game, forbid it."
    )


@cache
def read_brought(slug: str) -> list[Puzzle]:
    """The puzzles that the game brings; none if its files cannot be read."""
    try:
        return read_puzzles(registry.GAMES[slug])
    except (GameError, ValueError, KeyError, TypeError) as error:
        log.warning("The puzzles of %s cannot be read: %s", slug, error)
        return []


def store(puzzle: Puzzle, match: Match | None = None) -> StoredPuzzle:
    """Take the puzzle into stock; one that is known already stays as it is. `match`: of this server, where it arose."""
    stored, _ = StoredPuzzle.objects.get_or_create(
        key=puzzle.key,
        defaults={
            "game": puzzle.game.rules.meta.slug,
            "match": match,
            "ply": puzzle.ply,
            "seat": puzzle.seat,
            "record": "" if match else str(puzzle.record),
            "best": puzzle.best,
            "worths": [list(worth) for worth in puzzle.worths],
            "simulations": puzzle.simulations,
            "seeds": list(puzzle.seeds),
        },
    )
    return stored
