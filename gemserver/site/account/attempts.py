"""Limits on attempts to sign in that no stranger can use up for an account's owner.

Wrong passwords and requested mails are counted by asker and named account together, so that everybody has attempts of
their own. A higher ceiling counts by the named account alone, wherever the attempts come from. It does not stop a
browser in which somebody has signed in to that account: such a browser keeps a signed cookie and is counted by it (the
device cookies of OWASP's "Slow Down Online Guessing Attacks with Device Cookies").

The name is counted as typed, never the account behind it: otherwise a used-up name would reveal whose an address is.
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
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.web.client_address import client_address, network_of

COOKIE = "known-browser"
KEPT = timedelta(days=400)
"""The longest that browsers keep a cookie (RFC 6265bis §5.5)."""
ACCOUNTS = 5
"""Accounts that may share a browser; the one that signed in longest ago is dropped."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Somebody who names an account: a browser known to it, or anybody in a network."""

    named: str
    origin: str
    is_known: bool

    @property
    def key(self) -> str:
        """The key under which their attempts for the account are counted."""
        return f"{self.origin} {self.named}"


def asker_of(request: HttpRequest, named: str) -> Asker:
    """The asker for an account, which is named by its address or name."""
    # Names are found by their capitals, which `ſ` and `s` share: one account, and one count.
    counted = comparable(named.upper().lower())
    number, accounts = _read(request)
    account = account_named(named) if accounts else None
    if account is not None and account.pk in accounts:
        return Asker(counted, f"browser {number}", is_known=True)
    return Asker(counted, f"network {network_of(client_address(request))}", is_known=False)


def may_have_mail(request: HttpRequest, action: str, address: str) -> bool:
    """Count a requested mail under an action of ACCOUNT_RATE_LIMITS; False if there were too many."""
    asker = asker_of(request, address)
    if not consume(request, action, asker.key):
        return False
    return asker.is_known or consume(request, "mail_to_address", asker.named) is not None


def consume(request: HttpRequest, action: str, key: str) -> ratelimit.RateLimitUsage | None:
    """Count one more under the limits of this action; None if they are used up."""
    return ratelimit.consume(request, app="allauth.account", action=action, key=key)


def consume_from(request: HttpRequest, action: str) -> ratelimit.RateLimitUsage | None:
    """Count one more from this network, where nobody is named before they are let in; None if the limit is used up."""
    return ratelimit.consume(request, app="allauth.account", action=action)


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Record in a cookie that this browser has signed in to the account; signing out does not undo that."""
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
    """The browser's number and the accounts that know it; both empty for a cookie that is not ours."""
    try:
        number, accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=KEPT)
    except signing.BadSignature:
        return "", []
    return number, accounts
