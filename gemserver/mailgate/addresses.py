"""Our own mail addresses and their owners."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.conf import settings
from django.db.models import CharField

from gemserver.accounts.models import User, known_hash
from gemserver.lib import clock, signing
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text.mail_address import comparable, domain_of
from gemserver.matches import sitters
from gemserver.matches.models import FormerAddress, Seat
from gemserver.notify.envelope import is_return_address, message_returned_to

AFTER_THE_END = timedelta(days=14)
"""How long after a match its seats' addresses are known: whoever writes is told that it is over."""
MAX_LOCAL = 64
MAX_ADDRESS = 254
"""Octets of a local part and of a whole address (RFC 5321 §4.5.3.1)."""

OPERATORS_NAMES = frozenset({"postmaster", "abuse"})
"""Addresses that every domain must have (RFC 5321 §4.5.1, RFC 2142 §4)."""


@dataclass(frozen=True, slots=True)
class Recipient:
    """One of our addresses. `user` plays the seat with it (its holder or a sitter), or owns the account."""

    kind: Literal["seat", "former", "account", "lobby", "club", "postmaster", "return"]
    seat: Seat | None = None
    user: User | None = None


def find_recipient(address: str, at: datetime | None = None) -> Recipient | None:
    """Find the owner of an address of ours, in upper or lower case; None for any other, and for unknown tokens.

    `at` (now by default): the instant at which a sitter must still have been one.
    """
    address = _written_plainly(address)
    if address == comparable(settings.PLAY_ADDRESS):
        return Recipient("lobby")
    if is_operators_address(address):
        return Recipient("postmaster")
    if club_called_by(address):
        return Recipient("club")  # whether or not there is one: nobody learns it by trying
    if message_returned_to(address):
        return Recipient("return")
    return _owner_of_token(address, at or clock.now())


def find_recipients(addresses: Iterable[str], at: datetime) -> list[Recipient]:
    """The players addressed by a token, each address once: envelope and header mostly name the same one."""
    found = (_owner_of_token(each, at) for each in dict.fromkeys(map(_written_plainly, addresses)))
    return [recipient for recipient in found if recipient and recipient.user]


def is_operators_address(address: str) -> bool:
    """True if mail to it is for the operators; upper and lower case count the same."""
    local, sign, domain = _written_plainly(address).rpartition("@")
    return (local in OPERATORS_NAMES and domain in own_domains()) or (not sign and domain == "postmaster")


def club_called_by(address: str) -> str | None:
    """The short name in an address of the form `club-NAME@…`, whether or not there is such a club; else None."""
    local, _, domain = _written_plainly(address).rpartition("@")
    found = _CLUB.fullmatch(local)
    return found[1] if found and domain == domain_of(settings.PLAY_ADDRESS) else None


def is_own_address(address: str) -> bool:
    """True if it has the form of an address of ours, whether or not it exists: mail from one is a loop.

    See mail-requirements.md L7.
    """
    address = comparable(address)
    local, _, domain = address.rpartition("@")
    return (
        address == comparable(settings.PLAY_ADDRESS)
        or (local in OPERATORS_NAMES and domain in own_domains())
        or club_called_by(address) is not None
        or any(_token_in(address, each) for each in (settings.PLAY_REPLY, settings.ACCOUNT_REPLY))
        or is_return_address(address)
    )


def own_domains() -> frozenset[str]:
    """The domains that we take mail for, in their comparable form."""
    addresses = (
        settings.PLAY_ADDRESS,
        settings.PLAY_REPLY,
        settings.ACCOUNT_REPLY,
        settings.BOUNCE_REPLY,
    )
    return frozenset(domain_of(address) for address in addresses)


def _written_plainly(address: str) -> str:
    return comparable(address.strip().strip("<>"))


def _owner_of_token(address: str, at: datetime) -> Recipient | None:
    """The seat, the replaced address of a seat, or the account that the token in this address belongs to.

    A seat is known until some time after the end of its match (mail-requirements.md A4).
    """
    if token := _token_in(address, settings.PLAY_REPLY):
        hashed = known_hash(token)
        for seat in _seats(token=hashed):
            if at <= (seat.match.finished_at or at) + AFTER_THE_END:
                return Recipient("seat", seat, seat.user)
        if sitting := sitters.current(at).filter(token_hash=hashed).first():
            return Recipient("seat", sitting.seat, sitting.sitter)
        former = FormerAddress.objects.select_related("seat__match", "seat__user", "user")
        if replaced := former.filter(token_hash=hashed, until__gt=at).first():
            return Recipient("former", replaced.seat, replaced.user)
    token = _token_in(address, settings.ACCOUNT_REPLY)
    user = token and User.objects.filter(token_hash=known_hash(token)).first()
    return Recipient("account", user=user) if user else None


_seats = Prepared(
    lambda: Seat.objects.select_related("match", "user").filter(token_hash=Param("token", CharField()))
)


def _token_in(address: str, template: str) -> str | None:
    """The token of an address of this form, if that is no longer than the limits of SMTP (mail-requirements.md A3)."""
    before, _, after = comparable(template).partition("{token}")
    token = address.removeprefix(before).removesuffix(after)
    is_ours = (
        _TOKEN.fullmatch(token)
        and address == before + token + after
        and len(address.rpartition("@")[0].encode()) <= MAX_LOCAL
        and len(address.encode()) <= MAX_ADDRESS
    )
    return token if is_ours else None


_CLUB = re.compile(r"club-([a-z0-9-]{1,30})")
_TOKEN = re.compile(f"[a-z2-7]{{{signing.TOKEN_LENGTH}}}")
