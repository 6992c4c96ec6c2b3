"""Block or unblock a player."""

from __future__ import annotations

from datetime import datetime

from gemserver.accounts.models import Block, User
from gemserver.matches.named_players import require_player
from gemserver.matches.refusal import Refused


def block_player(user: User, name: str, *, now: datetime) -> Block:
    """Hide these two players' messages from each other and forbid invitations; blocking twice changes nothing.

    The user follows the other no more, who is not told. Raises Refused(no-such-player, not-yourself).
    """
    other = require_player(name, User.objects.all())
    if other == user:
        raise Refused("not-yourself", "You cannot block yourself; name another player.")
    block, _ = Block.objects.get_or_create(user=user, blocked=other, defaults={"created_at": now})
    user.follows.filter(followed=other).delete()
    return block


def unblock_player(user: User, name: str) -> None:
    """Remove the block; without one nothing changes. Raises Refused(no-such-player)."""
    other = require_player(name, User.objects.all())
    Block.objects.filter(user=user, blocked=other).delete()
