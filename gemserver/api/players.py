"""Players and games in figures, from finished public matches."""

from __future__ import annotations

from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Path, Query, Router, Schema
from pydantic import Field

from games import registry
from gemserver.accounts.models import User
from gemserver.accounts.name_search import MOST_FOUND, find_keys
from gemserver.accounts.names import LONGEST, unmarked
from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Done, Exact, Time
from gemserver.lib import clock
from gemserver.matches.actions.people.follow_player import follow_player, unfollow_player
from gemserver.matches.followed_players import list_followed
from gemserver.matches.named_players import require_player
from gemserver.matches.refusal import Refused
from gemserver.ratings import selectors
from gemserver.ratings.statistics import (
    RECENT,
    GameLine,
    GameStatistics,
    Meetings,
    PlayerStatistics,
    Share,
    Spread,
)

router = Router(tags=["players"])

MOST_ON_BOARD = 100

Name = Annotated[str, Path(max_length=150, description="The name of a player.", example="ana")]
Slug = Annotated[
    str, Path(max_length=30, pattern="^[a-z_]+$", description="The name of a game.", example="gem")
]


class PlayerFound(Schema):
    """A player whose name is like the text."""

    name: str
    kind: Literal["person", "bot"]


class PlayersFound(Schema):
    """Players found by name: first those whose name begins like the text, then those with one slip."""

    players: list[PlayerFound]


class RatingFigure(Schema):
    """A rating, as people read it."""

    number: int
    margin: int = Field(description="Its uncertainty, one standard deviation.")
    provisional: bool = Field(description="Too little is known yet to compare the player with others.")
    matches: int = Field(description="Rated matches.")


class SeatsShown(Schema):
    """Matches with one number of seats."""

    seats: int
    played: int
    won: int = Field(description="First places, alone or shared.")
    wins: Exact = Field(description="Of a shared first place everybody has a share.")
    above_mean: float = Field(description="Points above the mean of the table, for each match.")


class GameShown(Schema):
    """A player's matches of one game."""

    game: str
    played: int
    won: int = Field(description="First places, alone or shared.")
    wins: Exact = Field(description="Of a shared first place everybody has a share.")
    rating: RatingFigure | None = Field(None, description="Null: no match of theirs was rated.")
    by_seats: list[SeatsShown]


class PunctualityShown(Schema):
    """The punctuality of a player in their last matches."""

    matches: int = Field(description=f"Finished matches that this is about, {RECENT} at most.")
    answers: int = Field(description="Questions that they answered themselves.")
    median: int | None = Field(
        description="Seconds from question to answer, nights and days off included; half took no longer."
    )
    timeouts: int
    lost_seats: int = Field(description="Seats that a bot took because they were absent.")


class MeetingsShown(Schema):
    """Matches that two players have played to the end."""

    met: int
    ahead: int
    level: int
    behind: int


class OpponentShown(MeetingsShown):
    """Another player, and how this one fared against them."""

    name: str


class AgainstYou(MeetingsShown):
    """Your matches against this player in one game, as you see them."""

    game: str


class PlayerShown(PlayerFound):
    """The public figures of a player, and how you have fared against them."""

    owner: str | None = Field(None, description="Who answers for this bot; null: a person.")
    since: Time
    games: list[GameShown] = Field(description="The most played first.")
    punctuality: PunctualityShown | None = None
    opponents: list[OpponentShown] = Field(description="Those met most.")
    you: list[AgainstYou] = Field(description="Empty if you have never met, and for yourself.")


class ShareShown(Schema):
    """A share of matches, and the bounds between which it truly lies 95 times of 100 (Wilson)."""

    percent: float
    low: float
    high: float


class PlaceShown(ShareShown):
    """The wins of a place in turn order; a shared win counts in parts."""

    place: int = Field(description="1: who begins.")


class SpreadShown(Schema):
    """The middle of all matches, and the bounds of eight in ten."""

    median: int
    low: int
    high: int


class OpeningShown(Schema):
    """A first move, and how often its player won."""

    move: str
    count: int
    wins: ShareShown


class GameFigures(Schema):
    """The figures of a game with one number of seats."""

    game: str
    seats: int
    matches: int = Field(description="Those that were played out, which alone count.")
    places: list[PlaceShown] = Field(description="Empty where all decide at once.")
    plies: SpreadShown | None = None
    days: SpreadShown | None = None
    openings: list[OpeningShown] = Field(description="The most frequent first moves.")


class BoardLine(RatingFigure):
    """A player on a leaderboard."""

    name: str


class FollowedShown(PlayerFound):
    """A player whom you follow."""

    tables: list[str] = Field(description="The codes of open tables at which they sit and that you may join.")


class Followed(Schema):
    """The players whom you follow, by name; nobody else is shown that."""

    players: list[FollowedShown]


class Leaderboard(Schema):
    """The best players of a game, without provisional ratings."""

    players: list[BoardLine]


@router.get(
    "/players",
    response=PlayersFound,
    auth=Token("read"),
    summary="Search for players",
    operation_id="players",
)
def players(
    request: HttpRequest,
    name: Annotated[str, Query(min_length=1, max_length=LONGEST, description="The beginning of a name.")],
) -> PlayersFound:
    """Find players by the beginning of their names, or by a name with one slip; so many at most."""
    keys = find_keys(unmarked(name), MOST_FOUND)
    found = User.objects.in_bulk(keys)
    return PlayersFound(
        players=[PlayerFound(name=found[key].username, kind=_kind(found[key])) for key in keys]
    )


@router.get(
    "/players/{name}",
    response=PlayerShown,
    auth=Token("read"),
    summary="A player in figures",
    operation_id="player",
)
def player(request: HttpRequest, name: Name) -> PlayerShown:
    """Show a player's ratings, results, punctuality and opponents."""
    found = require_player(name)
    user, statistics = user_of(request), PlayerStatistics(found)
    kept = statistics.punctuality
    return PlayerShown(
        name=found.username,
        kind=_kind(found),
        owner=found.owner.username if found.owner else None,
        since=found.date_joined,
        games=[_show_game(line) for line in statistics.games],
        punctuality=None
        if kept is None
        else PunctualityShown(
            matches=kept.matches,
            answers=kept.answers,
            median=round(kept.median.total_seconds()) if kept.median else None,
            timeouts=kept.timeouts,
            lost_seats=kept.lost_seats,
        ),
        opponents=[
            OpponentShown(name=each.player.username, **_show_meetings(each.meetings))
            for each in statistics.opponents
        ],
        you=[
            AgainstYou(game=game, **_show_meetings(meetings))
            for game, meetings in ([] if user == found else statistics.against(user))
        ],
    )


@router.get(
    "/followed",
    response=Followed,
    auth=Token("read"),
    summary="Whom you follow",
    operation_id="followed",
)
def followed(request: HttpRequest) -> Followed:
    """List the players whom you follow, and where they wait for others."""
    return Followed(
        players=[
            FollowedShown(
                name=each.player.username,
                kind=_kind(each.player),
                tables=[table.code for table in each.tables],
            )
            for each in list_followed(user_of(request))
        ]
    )


@router.post(
    "/players/{name}/follow",
    response=Done,
    auth=Token("talk"),
    summary="Follow a player",
    operation_id="follow",
)
def follow(request: HttpRequest, name: Name, key: Key) -> Done:
    """Find this player's tables under `/followed` from now on; nobody else is told."""

    def carry_out() -> None:
        follow_player(user_of(request), name, now=clock.now())

    return Keyed(request, "follow", key).do(carry_out)


@router.post(
    "/players/{name}/unfollow",
    response=Done,
    auth=Token("talk"),
    summary="Follow a player no longer",
    operation_id="unfollow",
)
def unfollow(request: HttpRequest, name: Name, key: Key) -> Done:
    """Follow this player no longer; nobody else is told."""

    def carry_out() -> None:
        unfollow_player(user_of(request), name)

    return Keyed(request, "unfollow", key).do(carry_out)


@router.get(
    "/games/{slug}/figures",
    response=GameFigures,
    auth=Token("read"),
    summary="A game in figures",
    operation_id="game_figures",
)
def game_figures(
    request: HttpRequest,
    slug: Slug,
    seats: Annotated[int, Query(ge=2, le=8, description="The number of seats.")],
) -> GameFigures:
    """Show how often each place in turn order wins, how long matches last, and how they begin."""
    _require_game(slug)
    found = GameStatistics(slug, seats)
    return GameFigures(
        game=slug,
        seats=seats,
        matches=found.matches,
        places=[PlaceShown(place=line.place, **_show_share(line.share)) for line in found.places],
        plies=_show_spread(found.plies),
        days=_show_spread(found.days),
        openings=[
            OpeningShown(move=each.text, count=each.share.count, wins=ShareShown(**_show_share(each.share)))
            for each in found.openings
        ],
    )


@router.get(
    "/games/{slug}/leaderboard",
    response=Leaderboard,
    auth=Token("read"),
    summary="The leaderboard of a game",
    operation_id="leaderboard",
)
def leaderboard(
    request: HttpRequest,
    slug: Slug,
    bots: Annotated[bool, Query(description="Bots instead of people.")] = False,
) -> Leaderboard:
    """List the best players of a game."""
    _require_game(slug)
    return Leaderboard(
        players=[
            BoardLine(
                name=rating.contender.user.username,
                number=rating.belief.number,
                margin=rating.belief.margin,
                provisional=rating.belief.is_provisional,
                matches=rating.matches,
            )
            for rating in selectors.leaderboard(slug, bots=bots)[:MOST_ON_BOARD]
            if rating.contender.user
        ]
    )


def _require_game(slug: str) -> None:
    if slug not in registry.GAMES:
        raise Refused("no-such-game", "There is no game called {name} here.", name=slug)


def _kind(user: User) -> Literal["person", "bot"]:
    return "bot" if user.is_bot else "person"


def _show_game(line: GameLine) -> GameShown:
    rating = line.rating
    return GameShown(
        game=line.game,
        played=line.played,
        won=line.won.firsts,
        wins=str(line.won.wins),
        rating=None
        if rating is None
        else RatingFigure(
            number=rating.number,
            margin=rating.margin,
            provisional=rating.is_provisional,
            matches=line.rated_matches,
        ),
        by_seats=[
            SeatsShown(
                seats=each.seats,
                played=each.played,
                won=each.won.firsts,
                wins=str(each.won.wins),
                above_mean=round(each.above_mean, 2),
            )
            for each in line.by_seats
        ],
    )


def _show_meetings(meetings: Meetings) -> dict[str, int]:
    return {
        "met": meetings.met,
        "ahead": meetings.ahead,
        "level": meetings.level,
        "behind": meetings.behind,
    }


def _show_share(share: Share) -> dict[str, float]:
    return {
        "percent": round(share.percent, 1),
        "low": round(share.low, 1),
        "high": round(share.high, 1),
    }


def _show_spread(spread: Spread | None) -> SpreadShown | None:
    return SpreadShown(median=spread.median, low=spread.low, high=spread.high) if spread else None
