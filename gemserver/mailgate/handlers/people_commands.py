"""The commands about other players: what anybody may know of them, and whom one follows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_key, find_keys
from gemserver.accounts.names import unmarked
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.actions.people.follow_player import follow_player, unfollow_player
from gemserver.matches.followed_players import list_followed
from gemserver.matches.named_players import no_such_player
from gemserver.matches.refusal import Refused

MOST_SUGGESTED = 5


def _player(request: CommandRequest) -> Message:
    name = unmarked(request.argument)
    key = find_key(name)
    if key is None:
        raise _unknown(name)
    player = User.objects.get(pk=key)
    return Message("What is known of {name} stands below.", {"name": player.username})


def _unknown(name: str) -> Refused:
    alike = User.objects.in_bulk(find_keys(name, MOST_SUGGESTED))
    if not alike:
        return no_such_player(name)
    return Refused(
        "no-such-player",
        "Nobody is called {name}. Perhaps you mean one of these: {names}.",
        name=name,
        names=", ".join(sorted(player.username for player in alike.values())),
    )


def _follow(request: CommandRequest) -> Message:
    """Follow the player named, else list those whom one follows."""
    if not request.argument:
        return _list_followed(request.user)
    followed = follow_player(request.user, unmarked(request.argument), now=request.now).followed
    return Message(
        "You follow {name}, and nobody else is told. To see where those whom you follow wait for others, write: follow",
        {"name": followed.shown_name},
    )


def _unfollow(request: CommandRequest) -> Message:
    name = unmarked(request.argument)
    unfollow_player(request.user, name)
    return Message("You follow {name} no longer.", {"name": name})


def _list_followed(user: User) -> Message:
    followed = list_followed(user)
    if not followed:
        return Message("You follow nobody. To find somebody's tables write: follow PLAYER")
    listed = [
        " ".join([each.player.shown_name, *(f"({table.code})" for table in each.tables)]) for each in followed
    ]
    return Message(
        "You follow: {players}. A code stands for a table where somebody is missing; to sit down write for example: "
        "join M17",
        {"players": ", ".join(listed)},
    )


PEOPLE_COMMANDS: Mapping[str, Handler] = MappingProxyType({"player": _player})
"""Every answer has the player's `name` among its parameters."""
FOLLOW_COMMANDS: Mapping[str, Handler] = MappingProxyType({"follow": _follow, "unfollow": _unfollow})
