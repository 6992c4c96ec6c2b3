"""The passkeys of an account, and the host to which they belong."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db.models import QuerySet

from gemserver.accounts.models import User


def passkeys_of(user: User) -> QuerySet[Authenticator]:
    """The passkeys of an account, oldest first; each has its name in `data`."""
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(
        user=user, type=Authenticator.Type.WEBAUTHN
    ).order_by("pk")
    return rows


def passkey_host() -> str:
    """The host of SITE_URL, to which passkeys belong; empty if it is an address by numbers, which can have none."""
    host = urlsplit(settings.SITE_URL).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return host
    return ""
