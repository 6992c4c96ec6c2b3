"""Finds the player whom somebody names, or refuses."""

from __future__ import annotations

from django.db.models import QuerySet

from gemserver.accounts.models import User
from gemserver.accounts.name_search import find_among, find_player
from gemserver.matches.refusal import Refused


def require_player(name: str, among: QuerySet[User] | None = None) -> User:
    """The player of that name, of all whom one can play with, or of those `among` whom they must be.

    Raises Refused(no-such-player).
    """
    player = find_player(name) if among is None else find_among(among, name)
    if player is None:
        raise no_such_player(name)
    return player


def no_such_player(name: str) -> Refused:
    return Refused(
        "no-such-player", "Nobody is called {name}; check how the name is spelt.", name=name.strip()[:80]
    )
