"""The envelope sender of a mail: an address of its own, so that one that comes back says which it was (VERP)."""

from __future__ import annotations

import re

from django.conf import settings

from gemserver.lib import signing
from gemserver.lib.mail_address import comparable
from gemserver.notify.models import OutboxMessage

_TOKEN = re.compile(r"(\d{1,18})-([a-z2-7]{10})")


def return_address(message: OutboxMessage) -> str:
    """`b+NUMBER-MAC@domain`: only this server can make it, and it entitles to nothing but to report that mail."""
    token = f"{message.pk}-{signing.mac('return', message.pk, comparable(message.to))}"
    return str(settings.BOUNCE_REPLY.format(token=token))


def is_return_address(address: str) -> bool:
    """Whether it has the form of one."""
    return _token_in(address) is not None


def message_returned_to(address: str) -> OutboxMessage | None:
    """The mail whose envelope sender this is, in any case of letters; None for any other address."""
    token = _token_in(address)
    if token is None:
        return None
    message = OutboxMessage.objects.select_related("user").filter(pk=int(token.group(1))).first()
    # What comes back after the mail was sent to another address of its reader's says nothing of that one.
    if message is None or not signing.is_mac(token.group(2), "return", message.pk, comparable(message.to)):
        return None
    return message


def _token_in(address: str) -> re.Match[str] | None:
    before, _, after = comparable(settings.BOUNCE_REPLY).partition("{token}")
    address = comparable(address.strip("<> "))
    if not (address.startswith(before) and address.endswith(after)):
        return None
    return _TOKEN.fullmatch(address[len(before) : len(address) - len(after)])
