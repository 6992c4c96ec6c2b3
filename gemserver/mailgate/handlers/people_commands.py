"""The command about another player: what anybody may know of them, and how one has fared against them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_key, find_keys
from gemserver.accounts.names import unmarked
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
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


PEOPLE_COMMANDS: Mapping[str, Handler] = MappingProxyType({"player": _player})
"""Every answer has the player's `name` among its parameters."""
