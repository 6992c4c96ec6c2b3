"""Change the name by which the other players know somebody."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from gemserver.accounts.locking import lock_name, lock_user
from gemserver.accounts.models import User
from gemserver.accounts.name_search import is_taken
from gemserver.accounts.names import LONGEST, validate_name
from gemserver.matches.refusal import Refused


def rename(user: User, name: str) -> None:
    """Give the player this name. Raises Refused(bad-name, name-taken)."""
    with transaction.atomic():
        user = lock_user(user.pk)
        require_good_name(name, user)
        user.username = name
        user.save(update_fields=["username"])


def require_good_name(name: str, user: User | None = None) -> None:
    """Raise Refused(bad-name, name-taken) if the player (None: a new one) cannot have this name.

    If they can, nobody else takes it until the transaction ends.
    """
    require_valid_name(name)
    lock_name(name)
    if is_taken(name, user):
        raise Refused(
            "name-taken",
            "Somebody is called “{name}” already, or so that it looks the same; choose another name.",
            name=name,
        )


def require_valid_name(name: str) -> None:
    """Raise Refused(bad-name) if nothing here can be called so, neither a player nor a club."""
    try:
        validate_name(name)
    except ValidationError as error:
        raise Refused(
            "bad-name",
            "“{name}” cannot be a name here: write letters and digits of one script, with . _ - or single "
            "spaces between them, at most {most} in all, and no word that could be misread.",
            name=name[:80],
            most=LONGEST,
        ) from error
