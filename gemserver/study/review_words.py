"""The words of a review about a move."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext

from games.analysis import Judged
from gemserver.matches import replay
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.words.moves import say_move

_CHOSEN = (Move.Source.WEB, Move.Source.MAIL, Move.Source.API, Move.Source.PLAN)


def find_movers(match: Match) -> Mapping[int, str]:
    """The names of those who moved, by ply: a seat's player may be another now than at the time of a move."""
    seats = match.read_seats()
    return {move.ply: _name(move, seats[move.seat]) for move in _moves_of(match)}


def _moves_of(match: Match) -> QuerySet[Move]:
    return match.moves.filter(voided_at=None).select_related("actor").defer("events")


def _name(move: Move, seat: Seat) -> str:
    if move.actor is None:
        is_erased = move.source in _CHOSEN and (seat.user or seat.bot)
        return seat.unknown_name if is_erased else seat.name
    return seat.name if move.actor_id == seat.user_id else move.actor.shown_name


def say_no_slip(judged: Sequence[Judged]) -> str:
    """The sentence where no move mattered; `judged`: all moves that somebody chose."""
    if not judged:
        return gettext("Nobody chose a move in this match, so there is none to judge.")
    return gettext("No move lost more than the bot may have misjudged. Well played.")


def find_questions(match: Match, plies: Collection[int]) -> Mapping[int, Any]:
    """The positions in which these moves were made, by their plies."""
    reached = enumerate(replay.steps(match), start=1)
    return {ply: step.state for ply, (_, step) in reached if ply in plies}


def say_slip(match: Match, question: Any, judged: Judged, name: str) -> str:
    """Name the move of this player beside the better one; `question`: the position in which it was made."""
    played, best = (
        say_move(match.rules, question, judged.seat, text) for text in (judged.played, judged.best)
    )
    return gettext("Move %(ply)s: %(name)s played %(played)s; %(best)s was better, by %(loss)s of 100.") % {
        "ply": judged.ply,
        "name": name,
        "played": played,
        "best": best,
        "loss": round(judged.loss),
    }
