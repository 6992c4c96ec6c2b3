"""Follow or unfollow a player."""

from __future__ import annotations

from datetime import datetime

from gemserver.accounts.models import Follow, User
from gemserver.matches.named_players import require_player
from gemserver.matches.refusal import Refused

MOST = 200
"""Players whom one player follows."""


def follow_player(user: User, name: str, *, now: datetime) -> Follow:
    """Remember that the user wants to find this player's tables; following twice changes nothing.

    The other player is not told. Raises Refused(no-such-player, not-yourself, too-many-followed).
    """
    other = require_player(name, User.objects.filter(is_active=True, is_guest=False))
    if other == user:
        raise Refused("not-yourself", "You cannot follow yourself; name another player.")
    if user.follows.exclude(followed=other).count() >= MOST:
        raise Refused(
            "too-many-followed",
            "You follow {most} players, the most there can be; let one go first.",
            most=MOST,
        )
    follow, _ = Follow.objects.get_or_create(user=user, followed=other, defaults={"created_at": now})
    return follow


def unfollow_player(user: User, name: str) -> None:
    """Forget it; without it nothing changes. Raises Refused(no-such-player)."""
    user.follows.filter(followed=require_player(name, User.objects.all())).delete()
