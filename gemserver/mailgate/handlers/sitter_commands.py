"""The commands about sitting: to ask for a sitter, and those of sitters, who answer and keep their own settings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.lib import clock
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.mailgate.handlers.time_commands import read_days
from gemserver.matches import sitters
from gemserver.matches.actions.seats.ask_sitter import (
    agree_to_sit,
    end_sitting,
    propose_sitting,
    refuse_to_sit,
)
from gemserver.matches.models import Sitting
from gemserver.matches.refusal import Refused

OWN_SETTINGS = frozenset(
    {
        "quiet",
        "zone",
        "language",
        "leads",
        "vacation",
        "mail",
        "digest",
        "mails",
        "unsubscribe",
        "snooze",
        "games",
        "clubs",
        "club",
        "rules",
        "tutorial",
        "notify",
        "rename",
        "archive",
        "erase",
        "player",
        "follow",
        "unfollow",
        "tokens",
        "token",
        "ratings",
        "review",
    }
)
"""Commands that concern the sitter's own account, or nobody's."""


def _agree(request: CommandRequest) -> Message:
    sitting = agree_to_sit(_asked(request).pk, request.user, now=clock.now())
    return Message(
        "Thank you. You play for {name} in {code}; whenever it is that seat's turn, you get a mail.",
        {"name": sitting.player.shown_name, "code": sitting.seat.match.code},
    )


def _refuse(request: CommandRequest) -> Message:
    sitting = refuse_to_sit(_asked(request).pk, request.user, now=clock.now())
    return Message("You do not play for {name}; {name} is told.", {"name": sitting.player.shown_name})


def _asked(request: CommandRequest) -> Sitting:
    mine = sitters.current(request.now).filter(seat=request.require_seat(), sitter=request.user)
    if isinstance(request.proposal, Sitting):
        mine = mine.filter(pk=request.proposal.pk)
    sitting = mine.order_by("-pk").first()
    if sitting is None:
        raise Refused("nothing-asked", "No sitter is needed there any more; there is nothing to answer.")
    return sitting


def _sitter(request: CommandRequest) -> Message:
    seat = request.require_seat()
    if request.argument.lower() == "off":
        mine = sitters.current(request.now).filter(seat=seat, player=request.user, ended_at=None).first()
        if mine is None:
            raise Refused("nobody-asked", "Nobody plays for you there, and nobody has been asked to.")
        end_sitting(mine.pk, request.user, now=request.now)
        return Message(
            "You play {code} yourself; {name} is told.",
            {"code": seat.match.code, "name": mine.sitter.shown_name},
        )
    name, begin, end = request.argument.rsplit(" ", 2)
    first, last = read_days(request.user, f"{begin} {end}", request.now)
    sitting = propose_sitting(seat.match_id, request.user, name, first, last, now=request.now)
    return Message(
        "{name} has been asked to play for you in {code} from {first_day} to {last_day}; you get a mail "
        "with the answer.",
        {
            "name": sitting.sitter.shown_name,
            "code": seat.match.code,
            "first_day": first.isoformat(),
            "last_day": last.isoformat(),
        },
    )


HOLDER_COMMANDS: Mapping[str, Handler] = MappingProxyType({"sitter": _sitter})
"""The command of a player who will be away."""

SITTER_COMMANDS: Mapping[str, Handler] = MappingProxyType({"agree": _agree, "refuse": _refuse})
