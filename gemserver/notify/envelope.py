"""The envelope sender of a mail: an address of its own, so that a returned mail says which one it was (VERP)."""

from __future__ import annotations

import re

from django.conf import settings

from gemserver.lib import signing
from gemserver.lib.text.mail_address import comparable
from gemserver.notify.models import OutboxMessage

_TOKEN = re.compile(r"(\d{1,18})-([a-z2-7]{10})")


def return_address(message: OutboxMessage) -> str:
    """`b+NUMBER-MAC@domain`: only this server can make it, and all it allows is to report that mail."""
    token = f"{message.pk}-{signing.mac('return', message.pk, comparable(message.to))}"
    return str(settings.BOUNCE_REPLY.format(token=token))


def is_return_address(address: str) -> bool:
    """True if it has the form of a return address."""
    return _token_in(address) is not None


def message_returned_to(address: str) -> OutboxMessage | None:
    """The mail with this envelope sender, in upper or lower case; None for any other address."""
    token = _token_in(address)
    if token is None:
        return None
    message = OutboxMessage.objects.select_related("user").filter(pk=int(token.group(1))).first()
    # A return of the mail to the reader's former address says nothing about the present one.
    if message is None or not signing.is_mac(token.group(2), "return", message.pk, comparable(message.to)):
        return None
    return message


def _token_in(address: str) -> re.Match[str] | None:
    before, _, after = comparable(settings.BOUNCE_REPLY).partition("{token}")
    address = comparable(address.strip("<> "))
    if not (address.startswith(before) and address.endswith(after)):
        return None
    return _TOKEN.fullmatch(address[len(before) : len(address) - len(after)])
