"""Moves that somebody has said in words of their own instead of notation: in a mail, or in a field of a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from games import registry
from games.contract import Game, GameError
from games.contract import Seat as SeatNumber
from gemserver.matches import codec, prompts, replay
from gemserver.matches.models import Match, Seat

if TYPE_CHECKING:
    from games.phrases.phrasing import PhraseReader


def in_notation(game: Game, state: Any, seat: SeatNumber, text: str, names: Sequence[str]) -> str:
    """The one legal move that the text says in other words; the text itself if it is notation, or says none."""
    if can_be_read(game, state, seat, text):
        return text
    return _make_reader(game, state, seat).find(text, names) or text


def offer_moves(game: Game, state: Any, seat: SeatNumber, text: str, names: Sequence[str]) -> Sequence[str]:
    """Up to three moves that a text may mean which the game cannot read; for its writer to choose, never played."""
    if can_be_read(game, state, seat, text):
        return ()
    return _make_reader(game, state, seat).offer(text, names)


def can_be_read(game: Game, state: Any, seat: SeatNumber, text: str) -> bool:
    """True if the game can read the text at all, as a greeting is not."""
    try:
        game.rules.parse(state, seat, text)
    except GameError as error:
        return error.kind == "ambiguous"
    return True


def open_reader(match: Match, seat: Seat) -> PhraseReader:
    """The reader of what this seat may say in the present position."""
    is_sealed = prompts.has_open_contest(match, replay.position(match))
    game = registry.game(match.game)
    return _open_reader(game.rules.meta.slug, id(game), match.position, seat.index, is_sealed)


@lru_cache(maxsize=32)
def _open_reader(slug: str, identity: int, position: str, seat: int, is_sealed: bool) -> PhraseReader:
    """Kept from line to line of a mail: it lists the legal moves."""
    game = registry.game(slug)
    return _make_reader(game, codec.load(game.rules.state_type, position), seat, is_sealed)


def _make_reader(game: Game, state: Any, seat: SeatNumber, is_sealed: bool = False) -> PhraseReader:
    # Phrases take a process 8 MB and a tenth of a second; most pages and moves need none.
    from games.phrases.phrasing import PhraseReader

    return PhraseReader(game, state, seat, is_sealed)
