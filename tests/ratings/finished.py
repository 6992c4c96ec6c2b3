"""Matches that are over in one way or another, to be rated."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches.actions.seats.hand_over import give_to_bot
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match
from gemserver.ratings.models import RatedMatch, Rating, RatingChange
from tests.builders import NOON, make_match, play_to_the_end, play_until

HOUR = timedelta(hours=1)


def begin(
    players: Sequence[User],
    game: str = "florentine",
    *,
    now: datetime = NOON,
    moves: int = 4,
    **terms: object,
) -> Match:
    """A running rated match in which every player has moved twice, or so many moves were made."""
    match = make_match(game, players, is_rated=True, now=now, **terms)  # type: ignore[arg-type]
    return play_until(match, lambda reached: reached.ply >= moves, now=now)


def finish(players: Sequence[User], hours: int = 0, game: str = "florentine", **terms: object) -> Match:
    """A rated match that was played to its end so many hours after noon."""
    match = make_match(game, players, is_rated=True, **terms)  # type: ignore[arg-type]
    return play_to_the_end(match, now=NOON + hours * HOUR, variant=str(hours))


def lose_by_time(match: Match, index: int, *, now: datetime) -> None:
    """Let a bot take the seat from its player, whose time has run out."""
    with transaction.atomic():
        locked = lock_match(match.pk)
        give_to_bot(locked, locked.seats.select_related("user").get(index=index), now=now)


def forget_ratings() -> None:
    """Forget all that was computed, so that it is computed from the records alone."""
    for rows in (RatingChange, RatedMatch, Rating):
        rows.objects.all().delete()


def changes_of(match: Match) -> dict[str, RatingChange]:
    """The changes of a match by the names of the players."""
    rows = RatingChange.objects.filter(match=match).select_related("contender__user")
    return {row.contender.user.username if row.contender.user else "erased": row for row in rows}
