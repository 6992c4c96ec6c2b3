"""Preview a move: checked as `submit` checks it, without changing anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from typing import Any

from games import registry
from games.chance import Chance
from games.contract import GameError
from games.course import Course
from games.orders import Line, UnreadableOrder, has_alternatives, read_orders, spell_out
from gemserver.matches import replay
from gemserver.matches.actions.play.submit import (
    Actor,
    find_seat,
    first_legal,
    require_chooser,
    require_current_prompt,
    require_running,
)
from gemserver.matches.models import Match
from gemserver.matches.playing import Playing
from gemserver.matches.refusal import Refused
from gemserver.matches.words.moves import find_path

LONGEST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Draft:
    """A move that is being typed or chosen, and the result of trying it out."""

    text: str = ""
    said: str = ""
    """The words that were typed, if the text was read from them."""
    refusal: str = ""
    """Why the move is refused, with what to do next."""
    offered: Sequence[str] = ()
    """Moves that may have been meant by a text that is refused."""
    previewed: Any = None
    """The position after the move, when a preview was asked for and the move is legal."""
    ahead: Any = None
    """The position after the finished steps of a move that is still being built."""


NO_DRAFT = Draft()


def try_out(
    match: Match, actor: Actor, text: str, prompt_ply: int | None, *, is_partial: bool, now: datetime
) -> Draft:
    """Preview the move and put it into notation; if `is_partial`, an unfinished move is kept without a preview.

    Raises Refused as `preview` does.
    """
    if not text:
        return Draft()
    try:
        previewed = preview(match, actor, text, prompt_ply, now=now)
    except Refused as refusal:
        if is_partial and refusal.kind != "refused":
            return Draft(text, ahead=_look_ahead(match, actor, text, prompt_ply, now))
        raise
    seat, position = find_seat(match, actor, now), replay.position(match)
    written = spell_out(registry.game(match.game), position, seat.index, text)
    return Draft(written if len(written) <= LONGEST_TEXT else text, previewed=previewed)


def _look_ahead(match: Match, actor: Actor, text: str, prompt_ply: int | None, now: datetime) -> Any:
    """The position after the finished steps of a move still being built; None before the first is finished."""
    seat = find_seat(match, actor, now)
    path = find_path(match.rules, replay.position(match), seat.index, text)
    finished = [choice.text for choice in path if choice.complete]
    return preview(match, actor, finished[-1], prompt_ply, now=now) if finished else None


def preview(match: Match, actor: Actor, text: str, prompt_ply: int | None = None, *, now: datetime) -> Any:
    """The position after the move alone, without playing it.

    Chance is drawn anew, so that a preview gives nothing away. Raises Refused exactly as `submit` would.
    """
    seats = match.read_seats()
    seat = find_seat(match, actor, now, seats)
    require_running(match)
    playing = Playing.load(match, match.started_at or match.created_at, seats)
    course = playing.course
    state = course.state
    if course.contest and course.game.sealed_pace:
        require_chooser(playing, seat, prompt_ply)
        state = course.game.sealed_pace.at_turn(state, seat.index)
    elif not has_alternatives(text):
        require_current_prompt(match, seat, prompt_ply)
    try:
        typed = spell_out(course.game, course.state, seat.index, text)
        line = read_orders(course.game, state, seat.index, typed, is_sealed=bool(course.contest)).next_line
        return _imagine(course, state, seat.index, line)
    except (UnreadableOrder, GameError) as error:
        raise Refused.by_game(error) from error


def _imagine(course: Course, state: Any, seat: int, line: Line) -> Any:
    rules = course.game.rules
    move = first_legal(course, state, seat, line)
    chance = Chance(token_hex(32), "preview")
    return rules.apply(rules.resample(state, seat, chance), seat, move, chance).state
