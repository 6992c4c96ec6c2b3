"""Who is signed in, read by a prepared query, as every page of theirs needs it."""

from __future__ import annotations

from allauth.account.auth_backends import AuthenticationBackend

from gemserver.accounts.models import User
from gemserver.lib.prepared import Given, Prepared


class AccountBackend(AuthenticationBackend):  # type: ignore[misc]
    """allauth's own, which knows names, addresses and passwords, but for how the account of a session is read."""

    def get_user(self, user_id: int) -> User | None:
        return next((user for user in _users(user=user_id) if self.user_can_authenticate(user)), None)


_users = Prepared(lambda: User.objects.filter(pk=Given("user")))
