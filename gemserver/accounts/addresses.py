"""Finds the owner of a mail address."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db.models import QuerySet

from gemserver.accounts.models import User
from gemserver.lib.text.mail_address import comparable


def verified_rows(address: str) -> QuerySet[EmailAddress]:
    """allauth's rows of the users who have proved that this address is theirs; mostly one or none.

    They hold addresses in their comparable form, so that no database decides which letters are the same.
    """
    rows: QuerySet[EmailAddress] = EmailAddress.objects.filter(email=comparable(address), verified=True)
    return rows.select_related("user")


def owner_of(address: str) -> User | None:
    """The player who has verified this address."""
    row = verified_rows(address).first()
    return row.user if row else None
