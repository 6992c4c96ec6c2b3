"""One-time codes for what was asked by mail and is done once the code comes back (mail-requirements.md L9, T9)."""

from __future__ import annotations

import base64
import secrets
from datetime import datetime, timedelta

from gemserver.accounts.models import User
from gemserver.inbox.models import Ticket
from gemserver.lib import signing
from gemserver.lib.text.mail_address import comparable
from gemserver.matches.models import Seat

GOOD_FOR = timedelta(hours=48)
_HALF = 5


def issue(
    purpose: Ticket.Purpose,
    address: str,
    *,
    now: datetime,
    user: User | None = None,
    seat: Seat | None = None,
    data: dict[str, object] | None = None,
    good_for: timedelta = GOOD_FOR,
) -> str:
    """Make a new code such as `k7qfd-2mxca`; it goes into one mail to `address`, and only its hash is kept.

    Earlier codes for the same thing become invalid.
    """
    earlier = Ticket.objects.filter(
        purpose=purpose, address=comparable(address), user=user, seat=seat, used_at=None, expires_at__gt=now
    )
    earlier.update(expires_at=now)
    code = _new_code()
    Ticket.objects.create(
        purpose=purpose,
        code_hash=_hash(code),
        address=comparable(address),
        user=user,
        seat=seat,
        data=data or {},
        created_at=now,
        expires_at=now + good_for,
    )
    return code


def find(purpose: Ticket.Purpose, code: str) -> Ticket | None:
    """The ticket with this code, even if used or expired; its row is locked until the transaction ends."""
    tickets = Ticket.objects.select_for_update(of=("self",)).select_related("user", "seat")
    return tickets.filter(purpose=purpose, code_hash=_hash(code)).first()


def find_last(purpose: Ticket.Purpose, address: str) -> Ticket | None:
    """The newest ticket of a stranger's address, even if used or expired; locked as by `find`."""
    tickets = Ticket.objects.select_for_update(of=("self",)).select_related("user", "seat")
    return tickets.filter(purpose=purpose, address=comparable(address)).order_by("-pk").first()


def is_open(ticket: Ticket, now: datetime) -> bool:
    return ticket.used_at is None and ticket.expires_at > now


def use(ticket: Ticket, now: datetime) -> None:
    """Mark the ticket as used, so that its code works no second time; its row is locked by `find`."""
    ticket.used_at = now
    ticket.save(update_fields=["used_at"])


def _new_code() -> str:
    """Ten characters a-z2-7 (50 bits): short enough to type, and guessing needs mail from the address as well."""
    text = base64.b32encode(secrets.token_bytes(7)).decode("ascii").lower()
    return f"{text[:_HALF]}-{text[_HALF : 2 * _HALF]}"


def _hash(code: str) -> str:
    return signing.token_hash(code.replace("-", ""))
