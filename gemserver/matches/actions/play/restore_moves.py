"""Put moves back that a moderator has taken back, as long as nobody has answered since.

They are played anew, as new rows: the void ones stay where they are in the log, and whoever follows it is told of both.
The same plies have the same chance, so all that they bring about is as it was, and nobody sees more than they did.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from games.contract import GameError
from games.record import RESIGN
from gemserver.accounts.models import User
from gemserver.matches import turns
from gemserver.matches.actions.play.submit import require_running
from gemserver.matches.actions.play.void_moves import MICROSECOND, void_from
from gemserver.matches.broken_games import require_sound
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move, Notice, SealedOrder, Seat, Undo
from gemserver.matches.playing import Origin, Playing
from gemserver.matches.refusal import Refused

_BY_ITSELF = frozenset({Move.Source.FORCED, Move.Source.BOT})
"""Moves after the taking back that stop nothing: they are taken back in their turn."""


def can_restore(match: Match) -> bool:
    """True if the last that happened in the match is that a moderator has taken moves back."""
    taken_back = _find_taking_back(match) if match.is_running else None
    return taken_back is not None and not _is_answered(match, taken_back)


def restore_moves(match_id: int, *, why: str, now: datetime) -> list[Move]:
    """Play the moves again that a moderator took back last; `why` is shown to the table.

    Clocks stand as they did before the moves were taken back, and whoever is asked has their whole time anew. Plans
    that had played some of the moves stay ended. Raises Refused(no-such-match, over, not-started, nothing-to-restore,
    played-since, cannot-restore).
    """
    with transaction.atomic():
        match = lock_match(match_id)
        require_running(match)
        require_sound(match)
        taken_back = _find_taking_back(match)
        if taken_back is None:
            raise Refused(
                "nothing-to-restore",
                "Nothing was taken back in {code} that could be put back now; look at its log.",
                code=match.code,
            )
        if _is_answered(match, taken_back):
            raise Refused(
                "played-since",
                "Somebody has answered in {code} since the moves were taken back; they cannot be put back any more.",
                code=match.code,
            )
        moves = _find_moves(match, taken_back)
        if any(move.text == RESIGN for move in moves):
            raise _cannot(match)
        orders = list(match.sealed_orders.filter(voided_at=taken_back.created_at, move=None).order_by("pk"))
        _take_back_what_came_by_itself(match, moves[0].ply, why, now)
        notices.post(match, "restored", f"restored:{taken_back.pk}", now=now, to_ply=moves[-1].ply, why=why)
        Undo.objects.filter(match=match, outcome=Undo.Outcome.OPEN).update(
            outcome=Undo.Outcome.LAPSED, closed_at=now
        )
        playing = Playing.load(match, now)
        _play_again(playing, moves, orders)
        _set_clocks(playing.seats, taken_back)
        playing.ask_next(answered=())
        _tell_others(playing, taken_back, why)
    return playing.moves


def _find_taking_back(match: Match) -> Notice | None:
    """The notice of the taking back that may be undone; None if moves were taken back or put back otherwise since."""
    kinds = ("voided", "undo-agreed", "restored")
    last = match.notices.filter(kind__in=kinds).order_by("-pk").first()
    return last if last and last.kind == "voided" else None


def _find_moves(match: Match, taken_back: Notice) -> list[Move]:
    first = int(taken_back.key.partition(":")[2])
    void = match.moves.filter(
        voided_at=taken_back.created_at, ply__gte=taken_back.data["from_ply"], pk__gte=first
    )
    return list(void.select_related("actor").order_by("ply"))


def _is_answered(match: Match, taken_back: Notice) -> bool:
    """True if a player, a plan or a clock has answered since; a move that lies face down is an answer too."""
    moves = match.moves.filter(voided_at=None, ply__gte=taken_back.data["from_ply"])
    laid = match.sealed_orders.filter(
        voided_at=None, move=None, resolved_ply=None, placed_at__gte=taken_back.created_at
    )
    sources = {*moves.values_list("source", flat=True), *laid.values_list("source", flat=True)}
    return not sources <= _BY_ITSELF


def _take_back_what_came_by_itself(match: Match, from_ply: int, why: str, now: datetime) -> None:
    """Take back what the server has played since, so that the moves find the position for which they were meant."""
    if match.ply < from_ply:
        return
    again = void_from(match, from_ply, now)
    key = f"voided:{again[0].pk}"
    notices.post(match, "voided", key, now=now, from_ply=from_ply, to_ply=again[-1].ply, why=why)


def _play_again(playing: Playing, moves: Sequence[Move], orders: Iterable[SealedOrder]) -> None:
    """Play the moves, and lay the orders from which they came. Raises Refused(cannot-restore) if others come of it."""
    by_ply = {move.ply: move for move in moves}
    left = list(orders)
    try:
        while True:
            playing.run()
            if contest := playing.course.contest:
                latest = {row.seat: row for row in left if row.context == contest}
                left = [row for row in left if row.context != contest]
                if not latest:
                    break
                for row in latest.values():
                    _set_clock(playing, row)
                    playing.order(row.seat, row.orders, _origin(row.source, row.user))
            elif (move := by_ply.get(playing.match.ply + 1)) is not None:
                _set_clock(playing, move)
                rules, state = playing.game.rules, playing.course.state
                played = rules.parse(state, move.seat, move.text)
                playing.play(move.seat, played, _origin(move.source, move.actor))
            else:
                break
    except GameError as error:
        raise _cannot(playing.match) from error
    if [_told(move) for move in playing.moves] != [_told(move) for move in moves]:
        raise _cannot(playing.match)


def _told(move: Move) -> tuple[int, int, str]:
    return move.ply, move.seat, move.text


def _cannot(match: Match) -> Refused:
    return Refused(
        "cannot-restore",
        "What was taken back in {code} cannot be played again as it was; let the players send their moves anew.",
        code=match.code,
    )


def _origin(source: str, user: User | None) -> Origin:
    return Origin(Move.Source(source), user)


def _set_clock(playing: Playing, row: Move | SealedOrder) -> None:
    """Let the new row tell the bank that the old one told, should it be taken back again."""
    if row.clock_before is not None:
        playing.seats[row.seat].clock_left = row.clock_before


def _set_clocks(seats: Sequence[Seat], taken_back: Notice) -> None:
    """Give each seat its bank and its misses of before; whoever was asked since the moves were taken back is not."""
    before = taken_back.data.get("clocks") or []  # none in rows of before it was noted
    for seat, (left, misses) in zip(seats, before, strict=False):
        seat.clock_left, seat.misses = left * MICROSECOND, misses
    for seat in seats:
        was_asked_before = seat.prompted_at is not None and seat.prompted_at < taken_back.created_at
        seat.is_waiting = seat.is_waiting and was_asked_before
    Seat.objects.bulk_update(seats, ["clock_left", "misses", "is_waiting"])


def _tell_others(playing: Playing, taken_back: Notice, why: str) -> None:
    """Mail those who are not asked now, among them whoever was asked since; the others get a mail about their turn."""
    others = [seat for seat in playing.seats if seat.user and not seat.asks_player]
    match = playing.match
    turns.tell_seats(
        match, others, "restored", turn=match.ply, number=taken_back.pk, now=playing.now, why=why
    )
