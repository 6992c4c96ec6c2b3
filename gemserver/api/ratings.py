"""Ratings: the asker's own and those of any player. Those of private clubs are not among them."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Path, Router, Schema
from pydantic import Field

from gemserver.accounts.models import User
from gemserver.api.askers import Token, user_of
from gemserver.api.shapes import Time
from gemserver.matches.models import Match
from gemserver.matches.named_players import require_player
from gemserver.ratings.selectors import ratings_of

router = Router(tags=["ratings"])

Name = Annotated[str, Path(min_length=1, max_length=80, description="A player's name.", examples=["ana"])]


class RatingShown(Schema):
    """A player's rating at one game."""

    game: str = Field(examples=["gem"])
    title: str
    rating: int = Field(description="1500 is where everybody begins.", examples=[1564])
    uncertainty: int = Field(description="One standard deviation, in the same points.", examples=[121])
    provisional: bool = Field(description="Too little is known yet; leaderboards leave it out.")
    matches: int = Field(description="Rated matches.")
    last_at: Time = Field(description="When the last of them finished.")


class Ratings(Schema):
    """A player's ratings; only games in which a match of theirs was rated."""

    name: str
    bot: bool = Field(description="Bots are rated among bots.")
    ratings: list[RatingShown]


@router.get(
    "/ratings", response=Ratings, auth=Token("read"), summary="Your ratings", operation_id="own_ratings"
)
def own(request: HttpRequest) -> Ratings:
    """Show your ratings."""
    return _show(user_of(request))


@router.get(
    "/players/{name}/ratings",
    response=Ratings,
    auth=Token("read"),
    summary="Ratings of a player",
    operation_id="ratings",
)
def of_player(request: HttpRequest, name: Name) -> Ratings:
    """Show the ratings of a player, by name."""
    return _show(require_player(name))


def _show(user: User) -> Ratings:
    return Ratings(
        name=user.username,
        bot=user.is_bot,
        ratings=[
            RatingShown(
                game=game,
                title=Match(game=game).title,
                rating=rating.belief.number,
                uncertainty=rating.belief.margin,
                provisional=rating.belief.is_provisional,
                matches=rating.matches,
                last_at=rating.last_at,
            )
            for game, rating in ratings_of(user).items()
        ],
    )
