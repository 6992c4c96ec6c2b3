"""Signing in."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.models import EmailAddress
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest

from gemserver.accounts.models import User
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text.mail_address import comparable


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]
    """allauth's own, except for how it finds the account.

    allauth tries the accounts with this address or name one by one until a password fits, so that its work (up to two
    hashes of the password, a second each) tells whether there is such an account. Here one statement finds one account
    at most, and one password is hashed whether or not there is one.
    """

    def _authenticate(self, request: HttpRequest | None, **credentials: str) -> User | None:
        login = credentials.get("email") or credentials.get("username") or ""
        found = account_named(login)
        known: User | None = self._check_password(found, credentials["password"])
        return known

    def get_user(self, user_id: int) -> User | None:
        return next((user for user in _users(user=user_id) if self.user_can_authenticate(user)), None)


_users = Prepared(lambda: User.objects.filter(pk=Param("user")))


def account_named(login: str) -> User | None:
    """The account with this address or name, active or not, by one statement."""
    return _accounts_at(login, Q(username__iexact=login)).first()


def account_at(address: str) -> User | None:
    """The active account with this address, by one statement; one that has verified it comes first."""
    return _accounts_at(address).filter(is_active=True).first()


def _accounts_at(address: str, or_else: Q | None = None) -> QuerySet[User]:
    address = comparable(address)
    own = EmailAddress.objects.filter(user=OuterRef("pk"), email=address)
    named = Q(pk__in=EmailAddress.objects.filter(email=address).values("user")) | Q(email=address)
    rows = User.objects.annotate(has_proved=Exists(own.filter(verified=True)))
    return rows.filter(named | or_else if or_else else named).order_by("-has_proved", "pk")
