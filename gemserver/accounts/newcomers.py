"""Accounts for people who come by mail: no password, a verified address, a name made from it."""

from __future__ import annotations

import re

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.locking import lock_name
from gemserver.accounts.models import User
from gemserver.accounts.name_search import is_taken
from gemserver.accounts.names import RESERVED
from gemserver.lib.text.mail_address import comparable

LONGEST_NAME = 20


def create_account(address: str, *, language: str = "") -> User:
    """Return the account of this address, making one if there is none; the caller knows that the address is proved.

    `language` is a wish, ignored if there is no catalogue for it.
    """
    address = comparable(address)
    with transaction.atomic():
        lock_name(_plain_name(address))  # two at once, of one address or of two that begin alike
        if owner := owner_of(address):
            return owner
        user: User = User.objects.create_user(
            free_name(address), address, password=None, language=known_language(language)
        )
        confirm_address(user)
    return user


def confirm_address(user: User) -> None:
    """Make the address of an account without any its own, where mail to it goes; the caller knows that it is proved.

    One that is somebody's already stays theirs.
    """
    address = comparable(user.email)
    if not address or owner_of(address):
        return
    if user.email != address:
        user.email = address
        user.save(update_fields=["email"])
    EmailAddress.objects.update_or_create(
        user=user, email=address, defaults={"verified": True, "primary": True}
    )


def free_name(address: str) -> str:
    """A name that is free, made from the part of the address before `@` (and before a `+`): `ana`, `ana-2`."""
    name = _plain_name(address)
    number, candidate = 1, name
    while (number == 1 and name in RESERVED) or is_taken(candidate):
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def _plain_name(address: str) -> str:
    local = address.partition("@")[0].partition("+")[0].lower()
    plain = re.sub(r"[^a-z0-9._]+", "-", local).strip("-._")[:LONGEST_NAME].strip("-._")
    return plain if len(plain) > 1 and plain not in RESERVED else "player"


def known_language(tag: str) -> str:
    """The first language of a `Content-Language` for which there is a catalogue, else the site's own."""
    offered = {code.lower() for code, _ in settings.LANGUAGES}
    for part in tag[:200].lower().split(","):
        whole = part.strip().replace("_", "-")
        for candidate in (whole, whole.partition("-")[0]):
            if candidate in offered:
                return candidate
    return settings.LANGUAGE_CODE
