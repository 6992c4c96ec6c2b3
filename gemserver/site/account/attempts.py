"""Limits on signing in that no stranger can use up for an account's owner.

Wrong passwords and mails asked for are counted by who asks and what account they name, so that everybody has tries of
their own. A higher ceiling counts what was named alone, wherever it is asked from. It does not stop a browser in which
somebody has signed in to that account: such a browser keeps a signed cookie and is counted by it (the device cookies
of OWASP's "Slow Down Online Guessing Attacks with Device Cookies").

What was typed is counted, never the account behind it: else a used-up name would tell whose an address is.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from secrets import token_hex

from allauth.core.internal import ratelimit
from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from gemserver.accounts.backends import account_named
from gemserver.accounts.models import User
from gemserver.lib.client_address import client_address, network_of
from gemserver.lib.mail_address import comparable

COOKIE = "known-browser"
KEPT = timedelta(days=400)
"""The longest that browsers keep a cookie (RFC 6265bis §5.5)."""
ACCOUNTS = 5
"""So many accounts may share a browser; the one that signed in longest ago makes way."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Whoever names an account: a browser known to it, or somebody in a network."""

    named: str
    origin: str
    is_known: bool

    @property
    def key(self) -> str:
        """Under this their tries for the account are counted."""
        return f"{self.origin} {self.named}"


def asker_of(request: HttpRequest, named: str) -> Asker:
    """Who names this account, by its address or name."""
    named = comparable(named).lower()
    number, accounts = _read(request)
    account = account_named(named) if accounts else None
    if account is not None and account.pk in accounts:
        return Asker(named, f"browser {number}", is_known=True)
    return Asker(named, f"network {network_of(client_address(request))}", is_known=False)


def may_have_mail(request: HttpRequest, action: str, address: str) -> bool:
    """Count a mail that somebody asks for, under an action of ACCOUNT_RATE_LIMITS; False when it is too many."""
    asker = asker_of(request, address)
    if not consume(request, action, asker.key):
        return False
    return asker.is_known or consume(request, "mail_to_address", asker.named) is not None


def consume(request: HttpRequest, action: str, key: str) -> ratelimit.RateLimitUsage | None:
    """Count one more under the limits of this action; None when they are used up."""
    return ratelimit.consume(request, app="allauth.account", action=action, key=key)


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Note in the browser that somebody has signed in to this account from it; signing out does not undo that."""
    number, accounts = _read(request)
    accounts = [user.pk, *(pk for pk in accounts if pk != user.pk)][:ACCOUNTS]
    response.set_cookie(
        COOKIE,
        signing.dumps([number or token_hex(16), accounts], salt=COOKIE),
        max_age=KEPT,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[int]]:
    """The browser's number and the accounts that know it; nothing for a cookie that is not ours."""
    try:
        number, accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=KEPT)
    except signing.BadSignature:
        return "", []
    return number, accounts
