"""Block or unblock a player."""

from __future__ import annotations

from datetime import datetime

from gemserver.accounts.models import Block, User
from gemserver.accounts.name_search import find_among
from gemserver.matches.refusal import Refused


def block_player(user: User, name: str, *, now: datetime) -> Block:
    """Hide these two players' messages from each other and forbid invitations; blocking twice changes nothing.

    The other player is not told. Raises Refused(no-such-player, not-yourself).
    """
    other = _find_player(name)
    if other == user:
        raise Refused("not-yourself", "You cannot block yourself; name another player.")
    block, _ = Block.objects.get_or_create(user=user, blocked=other, defaults={"created_at": now})
    return block


def unblock_player(user: User, name: str) -> None:
    """Remove the block; without one nothing changes. Raises Refused(no-such-player)."""
    Block.objects.filter(user=user, blocked=_find_player(name)).delete()


def _find_player(name: str) -> User:
    """Find the player of that name; shut accounts and guests too."""
    player = find_among(User.objects.all(), name)
    if player is None:
        raise Refused(
            "no-such-player",
            "There is no player named “{name}”; copy the name from the page of the match.",
            name=name.strip()[:80],
        )
    return player
