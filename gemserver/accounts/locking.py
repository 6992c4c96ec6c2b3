"""The locks that make changes of one account, and of who has a name, happen one after the other."""

from __future__ import annotations

from gemserver.accounts.lookalikes import look_of
from gemserver.accounts.models import User
from gemserver.lib.database.advisory_locks import count_alone
from gemserver.lib.database.database_faults import RowGone


def lock_user(user_id: int) -> User:
    """Read the account anew and lock its row until the transaction ends.

    Rows that name it can still be written, as by whoever holds a match. No match is locked behind it
    (`lock_order.ORDER`): one that is held would hold up all else that this player does. Raises RowGone for an account
    that was erased meanwhile.
    """
    user: User | None = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    if user is None:
        raise RowGone
    return user


def lock_name(name: str) -> None:
    """Let nobody else take this name, or one that looks the same, until the transaction ends: a free one stays so."""
    for key in (f"look {look_of(name)}", f"name {name.upper().lower()}"):
        count_alone(key)
