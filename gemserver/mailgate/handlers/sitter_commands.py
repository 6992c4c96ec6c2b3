"""The commands of sitters, beside moves: to answer the request, and their own settings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.lib import clock
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches import sitters
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, refuse_to_sit
from gemserver.matches.models import Sitting
from gemserver.matches.refusal import Refused

OWN_SETTINGS = frozenset({"quiet", "leads", "vacation", "mail", "unsubscribe", "snooze", "games", "rules"})
"""Commands that concern the sitter's own account, or nobody's."""


def _agree(request: CommandRequest) -> Message:
    sitting = agree_to_sit(_asked(request).pk, request.user, now=clock.now())
    return Message(
        "Thank you. You play for {name} in {code}; whenever it is that seat's turn, you get a mail.",
        {"name": sitting.player.username, "code": sitting.seat.match.code},
    )


def _refuse(request: CommandRequest) -> Message:
    sitting = refuse_to_sit(_asked(request).pk, request.user, now=clock.now())
    return Message("You do not play for {name}; {name} is told.", {"name": sitting.player.username})


def _asked(request: CommandRequest) -> Sitting:
    mine = sitters.current(request.now).filter(seat=request.require_seat(), sitter=request.user)
    sitting = mine.order_by("-pk").first()
    if sitting is None:
        raise Refused("nothing-asked", "Nobody is to sit there any more; there is nothing to answer.")
    return sitting


SITTER_COMMANDS: Mapping[str, Handler] = MappingProxyType({"agree": _agree, "refuse": _refuse})
