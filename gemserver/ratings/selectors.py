"""Queries about ratings: current ones, curves, leaderboards.

`club`: the pool of that private club; None: the public one. A listed club has no ratings of its own, its matches are
public. Who may read a private club's is the caller's business.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from games.ratings import SETTLED, Belief
from gemserver.accounts.models import User
from gemserver.clubs.models import Club
from gemserver.ratings.models import Rating, RatingChange


@dataclass(frozen=True, slots=True)
class Point:
    """A player's rating after one match."""

    at: datetime
    match_code: str
    belief: Belief


def ratings_of(user: User) -> Mapping[str, Rating]:
    """The player's public ratings by game; only games in which a match of theirs was rated."""
    found = Rating.objects.filter(contender__user=user, pool__club=None).select_related("pool")
    return {rating.pool.game: rating for rating in found.order_by("pool__game")}


def ratings_in(game: str, users: Collection[int], club: Club | None = None) -> Mapping[int, Rating]:
    """The ratings in one game of these users (primary keys), by user; only of those who have one. One query."""
    found = Rating.objects.filter(pool__game=game, pool__club=club, contender__user__in=users)
    return {
        rating.contender.user_id: rating
        for rating in found.select_related("contender")
        if rating.contender.user_id
    }


def curve(user: User, game: str) -> list[Point]:
    """The player's rating after each publicly rated match, oldest first."""
    changes = RatingChange.objects.filter(contender__user=user, pool__game=game, pool__club=None)
    rows = changes.order_by("finished_at", "match").values_list(
        "finished_at", "match__code", "mu_after", "sigma_after"
    )
    return [Point(at, code, Belief(mu, sigma)) for at, code, mu, sigma in rows]


def leaderboard(game: str, *, bots: bool = False, since: datetime | None = None) -> QuerySet[Rating]:
    """The public ratings of people, or of bots, that are not provisional, best first, each with its account.

    Without erased and shut accounts. `since`: only those who have finished a rated match since then.
    """
    found = Rating.objects.filter(
        pool__game=game,
        pool__club=None,
        sigma__lt=SETTLED,
        contender__is_bot=bots,
        contender__user__is_active=True,
    )
    if since is not None:
        found = found.filter(last_at__gte=since)
    return found.select_related("contender__user").order_by("-mu", "pk")
