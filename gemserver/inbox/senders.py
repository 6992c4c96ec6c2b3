"""Finds whose a mail is, where an address or a seat has had several owners, and what proves it."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Q

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail

_State = InboundEmail.State


def of_another(user: User) -> Q:
    """The condition that keeps mails that have acted for another account from an address of its own.

    They are that account's, although it may have given up the address, or the seat, to this user meanwhile. A mail that
    was held or dropped, or which that account has only let pass, says nothing about whose address it was.
    """
    is_own = Q(state__in=(_State.DONE, _State.REFUSED), released_at=None) & ~Q(code="disowned")
    return is_own & Q(user__isnull=False) & ~Q(user=user)


def sender_proof(row: InboundEmail) -> str:
    """The proof of the sender's address: `pass`, `fail`, or `none`; with MAIL_AUTH=off every sender counts as proved.

    It was stored with the mail; nothing in the mail itself counts (mail-requirements.md S2).
    """
    return "pass" if settings.MAIL_AUTH == "off" else str(row.auth.get("dmarc", "none"))
