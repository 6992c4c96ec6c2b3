"""The command that shows ratings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.models import Match
from gemserver.matches.named_players import require_player
from gemserver.ratings.models import Rating
from gemserver.ratings.selectors import ratings_of


def _ratings(request: CommandRequest) -> Message:
    """List the ratings of the player named, else one's own."""
    player = require_player(request.argument) if request.argument else request.user
    listed = [_write(game, rating) for game, rating in ratings_of(player).items()]
    if not listed:
        return Message("{name} has no rating yet: no match was rated.", {"name": player.shown_name})
    return Message(
        "Ratings of {name}: {ratings}. Everybody begins at 1500; a question mark means that too little is known yet.",
        {"name": player.shown_name, "ratings": ", ".join(listed)},
    )


def _write(game: str, rating: Rating) -> str:
    belief = rating.belief
    mark = "?" if belief.is_provisional else ""
    return f"{Match(game=game).title} {belief.number}{mark} ±{belief.margin}"


RATING_COMMANDS: Mapping[str, Handler] = MappingProxyType({"ratings": _ratings})
