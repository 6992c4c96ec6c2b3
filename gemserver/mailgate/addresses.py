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
from gemserver.lib.mail_address import comparable, domain_of
from gemserver.lib.prepared import Param, Prepared
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

    kind: Literal["seat", "former", "account", "lobby", "postmaster", "return"]
    seat: Seat | None = None
    user: User | None = None


def find_recipient(address: str, at: datetime | None = None) -> Recipient | None:
    """Find the owner of an address of ours, in upper or lower case; None for any other, and for unknown tokens.

    `at` (now, if not given): the instant at which a sitter must still have been one.
    """
    address = comparable(address.strip().strip("<>"))
    local = address.rpartition("@")[0]
    if _octets(local) > MAX_LOCAL or _octets(address) > MAX_ADDRESS:
        return None
    if address == comparable(settings.PLAY_ADDRESS):
        return Recipient("lobby")
    if is_operators_address(address):
        return Recipient("postmaster")
    if message_returned_to(address):
        return Recipient("return")
    return _seat_at(address, at or clock.now()) or _account_at(address)


def find_recipients(addresses: Iterable[str], at: datetime) -> list[Recipient]:
    """The addresses that have an owner, each once: envelope and header mostly name the same one."""
    distinct = dict.fromkeys(comparable(address.strip().strip("<>")) for address in addresses)
    found = (find_recipient(address, at) for address in distinct)
    return [recipient for recipient in found if recipient and recipient.user]


def is_operators_address(address: str) -> bool:
    """True if mail to it is for the operators; upper and lower case count the same."""
    address = comparable(address.strip().strip("<>"))
    local, sign, domain = address.rpartition("@")
    return (local in OPERATORS_NAMES and domain in own_domains()) or (not sign and address == "postmaster")


def is_own_address(address: str) -> bool:
    """True if it has the form of an address of ours, whether or not it exists: mail from one is a loop.

    See mail-requirements.md L7.
    """
    address = comparable(address)
    local, _, domain = address.rpartition("@")
    if address == comparable(settings.PLAY_ADDRESS) or (local in OPERATORS_NAMES and domain in own_domains()):
        return True
    templates = (settings.PLAY_REPLY, settings.ACCOUNT_REPLY)
    return any(_token_in(address, each) for each in templates) or is_return_address(address)


def own_domains() -> frozenset[str]:
    """The domains that we take mail for, in their comparable form."""
    addresses = (
        settings.PLAY_ADDRESS,
        settings.PLAY_REPLY,
        settings.ACCOUNT_REPLY,
        settings.BOUNCE_REPLY,
    )
    return frozenset(domain_of(address) for address in addresses)


def _octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _seat_at(address: str, at: datetime) -> Recipient | None:
    token = _token_in(address, settings.PLAY_REPLY)
    if token is None:
        return None
    known = known_hash(token)
    if seat := _seat_with(known, at):
        return Recipient("seat", seat, seat.user)
    sitting = sitters.current(at).filter(token_hash=known).first()
    if sitting:
        return Recipient("seat", sitting.seat, sitting.sitter)
    former = FormerAddress.objects.select_related("seat__match", "seat__user", "user")
    dead = former.filter(token_hash=known, until__gt=at).first()
    return Recipient("former", dead.seat, dead.user) if dead else None


def _seat_with(token_hash: str, at: datetime) -> Seat | None:
    """The seat with this token, until some time after the end of its match (mail-requirements.md A4)."""
    for seat in _seats(token=token_hash):
        ended = seat.match.finished_at
        return None if ended and at > ended + AFTER_THE_END else seat
    return None


_seats = Prepared(
    lambda: Seat.objects.select_related("match", "user").filter(token_hash=Param("token", CharField()))
)


def _account_at(address: str) -> Recipient | None:
    token = _token_in(address, settings.ACCOUNT_REPLY)
    user = token and User.objects.filter(token_hash=known_hash(token)).first()
    return Recipient("account", user=user) if user else None


def _token_in(address: str, template: str) -> str | None:
    before, _, after = comparable(template).partition("{token}")
    if not (address.startswith(before) and address.endswith(after)):
        return None
    token = address[len(before) : len(address) - len(after)]
    return token if _TOKEN.fullmatch(token) else None


_TOKEN = re.compile(f"[a-z2-7]{{{signing.TOKEN_LENGTH}}}")
