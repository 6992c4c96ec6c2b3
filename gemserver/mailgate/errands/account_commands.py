"""The commands about a player's account and address."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.mailgate.errands.errand import Carry, Errand
from gemserver.matches.actions.seats.renew_address import renew_account_address, renew_address
from gemserver.matches.refusal import Refused


def _address(errand: Errand) -> Message:
    if errand.seat is None:
        renew_account_address(errand.user)
        return Message(
            "Your account has a new address: that of this mail. Mails to the old one change nothing."
        )
    renew_address(errand.seat.pk, now=errand.now)
    return Message(
        "You have a new address for {code}: that of this mail. Mails to the old one change nothing.",
        {"code": errand.seat.match.code},
    )


def _confirm(errand: Errand) -> Message:
    """Whoever has an account has confirmed already; `sign_up` takes the codes that count."""
    raise Refused(
        "nothing-to-confirm",
        "There is nothing to confirm with this code: you have your account. Write help to see what you can do.",
    )


ACCOUNT_COMMANDS: Mapping[str, Carry] = MappingProxyType({"address": _address, "confirm": _confirm})
