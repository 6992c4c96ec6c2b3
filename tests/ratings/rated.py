"""Ratings for tests in which it does not matter how they came about."""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from gemserver.ratings.models import Contender, Pool, Rating, RatingChange
from tests.builders import NOON


def rate(user: User, *matches: Match, mu: float = 27.0, sigma: float = 4.0, is_bot: bool = False) -> None:
    """Give the player this rating at GEM, and one point of `mu` more after each of these matches on the way."""
    pool, _ = Pool.objects.get_or_create(game="gem", club=None)
    contender = Contender.objects.create(user=user, is_bot=is_bot)
    Rating.objects.create(pool=pool, contender=contender, mu=mu, sigma=sigma, matches=20, last_at=NOON)
    for number, match in enumerate(matches):
        RatingChange.objects.create(
            match=match,
            seat=0,
            pool=pool,
            contender=contender,
            finished_at=NOON,
            place=1,
            why="played",
            mu_before=25,
            sigma_before=8,
            mu_after=25 + number,
            sigma_after=7 - number,
        )
