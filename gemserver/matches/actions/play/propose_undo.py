"""Take a move back by consent of all players, unless something hidden has been shown since."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet, Subquery

from games.contract import GameError
from games.hidden import Ply, shows_hidden
from games.plies import chance_of, play_text
from games.record import RESIGN
from gemserver.accounts.models import User
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import replay, selectors, turns
from gemserver.matches.actions.play.submit import require_running
from gemserver.matches.actions.play.void_moves import go_on, void_from
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Move, Seat, Undo
from gemserver.matches.proposals import is_agreed, open_proposal, too_many_proposals
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import require_held_seat

MOST_A_DAY = 10
"""Undos that one seat proposes within a day: each is told to the whole table."""


def propose_undo(match_id: int, user: User, *, now: datetime) -> Undo:
    """Ask the others to take back the user's last move and all after it; done at once if there is nobody to ask.

    Raises Refused(not-seated, over, not-started, open-proposal, too-many-proposals, nothing-to-undo, resigned-since,
    change-it, hidden-shown, nobody-to-ask).
    """
    with transaction.atomic():
        match, seat = _seated(match_id, user)
        if known := match.undos.filter(seat=seat.index, proposed_at=now).first():
            return known
        if open_undo(match):
            raise open_proposal()
        if match.undos.filter(seat=seat.index, proposed_at__gt=now - timedelta(days=1)).count() >= MOST_A_DAY:
            raise too_many_proposals(MOST_A_DAY)
        match.undos.filter(outcome=Undo.Outcome.OPEN).update(outcome=Undo.Outcome.LAPSED, closed_at=now)
        undo = Undo.objects.create(
            match=match,
            seat=seat.index,
            first_ply=_first_ply(match, seat),
            last_ply=match.ply,
            agreed=[seat.index],
            proposed_at=now,
        )
        _post(undo, "undo", seat, now)
        _carry_out_if_all_agree(undo, now)
        if undo.outcome == Undo.Outcome.OPEN:
            for other in match.seats.select_related("user").exclude(pk=seat.pk):
                turns.tell_seat(match, other, "undo", turn=match.ply, number=undo.pk, now=now, undo=undo.pk)
    return undo


def agree_to_undo(match_id: int, user: User, *, now: datetime, only: int | None = None) -> Undo:
    """Consent to the open undo, with `only` to the one of this number alone; agreeing twice changes nothing.

    Raises Refused(not-seated, over, not-started, no-proposal).
    """
    with transaction.atomic():
        match, seat = _seated(match_id, user)
        if known := match.undos.filter(outcome=Undo.Outcome.AGREED, closed_at=now).first():
            return known
        undo = _required(match, only)
        if seat.index not in undo.agreed:
            undo.agreed = [*undo.agreed, seat.index]
            undo.save(update_fields=["agreed"])
        _carry_out_if_all_agree(undo, now)
    return undo


def refuse_undo(match_id: int, user: User, *, now: datetime, only: int | None = None) -> Undo:
    """Turn the open undo down (`only` as in `agree_to_undo`), or withdraw one's own.

    Raises Refused(not-seated, over, not-started, no-proposal).
    """
    with transaction.atomic():
        match, seat = _seated(match_id, user)
        undo = _required(match, only)
        undo.outcome, undo.closed_at = Undo.Outcome.REFUSED, now
        undo.save(update_fields=["outcome", "closed_at"])
        _post(undo, "undo-refused", seat, now)
    return undo


def may_ask_for_undo(match: Match, seat: Seat) -> bool:
    """True if the seat's last move could be taken back now, were the others to agree."""
    if not match.is_running:
        return False
    try:
        _first_ply(match, seat)
    except (Refused, GameError):  # moves that do not replay are not taken back, and their page still opens
        return False
    return True


def open_undo(match: Match) -> Undo | None:
    """The undo that waits for consent; it lapses when the match goes on or ends."""
    if not match.is_running:
        return None
    for undo in _open(match=match.pk, ply=match.ply):
        undo.match = match
        return undo
    return None


_open = Prepared(
    lambda: Undo.objects.filter(
        match=Param("match"), outcome=Undo.Outcome.OPEN, last_ply=Param("ply")
    ).order_by("pk")
)


def _find_moves_since() -> QuerySet[Move]:
    """The live moves from the seat's own last one on."""
    live = Move.objects.filter(match=Param("match"), voided_at=None)
    own = live.filter(seat=Param("seat")).exclude(source=Move.Source.FORCED).order_by("-ply")
    return live.filter(ply__gte=Subquery(own.values("ply")[:1])).order_by("ply")


_moves_since = Prepared(_find_moves_since)


def _seated(match_id: int, user: User) -> tuple[Match, Seat]:
    match = lock_match(match_id)
    seat = require_held_seat(match, user)
    require_running(match)
    return match, seat


def _required(match: Match, only: int | None) -> Undo:
    undo = open_undo(match)
    if undo is None or only not in (None, undo.pk):
        raise Refused(
            "no-proposal",
            "Nothing is proposed at {code}, or the match has gone on since; "
            "if you still want your last move back, ask again.",
            code=match.code,
        )
    return undo


def _first_ply(match: Match, seat: Seat) -> int:
    """The ply of the seat's own last move. Raises Refused unless it may be taken back."""
    since = _moves_since(match=match.pk, seat=seat.index)
    if not since:
        raise Refused(
            "nothing-to-undo", "You have not moved yet in {code}; there is nothing to undo.", code=match.code
        )
    move = since[0]
    move.match = match
    if any(each.text == RESIGN for each in since):
        raise Refused("resigned-since", "A player has resigned since your last move; what was played stands.")
    if not selectors.is_public(move):
        raise Refused("change-it", "Your choice still lies face down; simply send another one.")
    if (match.is_rated or match.play_until) and is_agreed(match, [seat.index]):
        raise Refused(
            "nobody-to-ask",
            "Nobody but you is left to agree, and {code} is rated; what was played stands.",
            code=match.code,
        )
    if _has_shown_hidden(match, since):
        raise Refused(
            "hidden-shown",
            "Something hidden has been shown since your last move, so it cannot be taken back; only a moderator may.",
        )
    return move.ply


def _has_shown_hidden(match: Match, since: Sequence[Move]) -> bool:
    """True if these moves, the last of the match, have shown cards, draws or sealed orders."""
    if match.is_sealed_pace and match.sealed_orders.filter(
        move=None, resolved_ply__gte=since[0].ply, voided_at=None
    ):
        return True
    key = (match.pk, match.position, since[0].ply, *((move.seat, move.text) for move in since))
    if (known := _shown.get(key)) is not None:
        return known
    seed, plies = replay.seed(match), []
    before = state = replay.position_at(match, since[0].ply - 1, seed)
    for move in since:
        read, step = play_text(match.rules, state, move.seat, move.text, seed, move.ply)
        plies.append(Ply(move.seat, read, chance_of(seed, move.ply)))
        state = step.state
    found = shows_hidden(match.rules, before, plies, match.seat_count)
    if len(_shown) >= MOST_KNOWN:
        _shown.clear()
    _shown[key] = found
    return found


MOST_KNOWN = 200
_shown: dict[tuple[Any, ...], bool] = {}
"""The answers of `_has_shown_hidden`: every page of the player asks anew, and one takes 3 to 15 ms of CPU."""


def _carry_out_if_all_agree(undo: Undo, now: datetime) -> None:
    """Take the moves back if all agree."""
    match = undo.match
    if not is_agreed(match, undo.agreed):
        return
    undo.outcome, undo.closed_at = Undo.Outcome.AGREED, now
    undo.save(update_fields=["outcome", "closed_at"])
    void_from(match, undo.first_ply, now)
    _post(undo, "undo-agreed", None, now)
    go_on(match, now)


def _post(undo: Undo, kind: str, seat: Seat | None, now: datetime) -> None:
    player = {"player": seat.index} if seat else {}
    plies = {"from_ply": undo.first_ply, "to_ply": undo.last_ply}
    notices.post(undo.match, kind, f"{kind}:{undo.pk}", now=now, **plies, **player)
