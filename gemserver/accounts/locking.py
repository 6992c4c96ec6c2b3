"""The lock that makes two changes of one account happen one after the other."""

from __future__ import annotations

from gemserver.accounts.models import User


def lock_user(user_id: int) -> User:
    """The account, read anew, its row locked until the transaction ends.

    Not against rows that name it: whoever holds a match's lock writes such rows, and would wait for us while we wait
    for the match.
    """
    return User.objects.select_for_update(no_key=True).get(pk=user_id)
