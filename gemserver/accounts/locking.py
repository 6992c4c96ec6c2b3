"""The lock that makes changes of one account happen one after the other."""

from __future__ import annotations

from gemserver.accounts.models import User


def lock_user(user_id: int) -> User:
    """Read the account anew and lock its row until the transaction ends.

    Rows that name it can still be written, as by whoever holds a match. No match is locked behind it
    (`lock_order.ORDER`): one that is held would hold up all else that this player does.
    """
    return User.objects.select_for_update(no_key=True).get(pk=user_id)
