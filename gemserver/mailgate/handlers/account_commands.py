"""The commands about a player's account and address."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.actions.seats.renew_address import renew_account_address, renew_address
from gemserver.matches.refusal import Refused


def _address(request: CommandRequest) -> Message:
    if request.seat is None:
        renew_account_address(request.user)
        return Message(
            "Your account has a new address: that of this mail. Mails to the old one change nothing."
        )
    renew_address(request.seat.pk, now=request.now)
    return Message(
        "You have a new address for {code}: that of this mail. Mails to the old one change nothing.",
        {"code": request.seat.match.code},
    )


def _confirm(request: CommandRequest) -> Message:
    """Refuse: an account's owner has confirmed already; `sign_up` takes the codes that count."""
    raise Refused(
        "nothing-to-confirm",
        "There is nothing to confirm with this code: you have your account. Write help to see what you can do.",
    )


ACCOUNT_COMMANDS: Mapping[str, Handler] = MappingProxyType({"address": _address, "confirm": _confirm})
