"""Who wants nothing from whom (`Block`): asked by everything that carries one player's words to another."""

from __future__ import annotations

from django.db.models import Q

from gemserver.accounts.models import Block, User


def blocked_with(user: User) -> frozenset[int]:
    """The keys of the users between whom and this one stands a block, whoever of the two has set it."""
    pairs = Block.objects.filter(Q(user=user) | Q(blocked=user)).values_list("user", "blocked")
    return frozenset(key for pair in pairs for key in pair) - {user.pk}


def is_blocked(one: User, other: User) -> bool:
    """Whether either of the two has blocked the other."""
    pairs = Q(user=one, blocked=other) | Q(user=other, blocked=one)
    return Block.objects.filter(pairs).exists()
