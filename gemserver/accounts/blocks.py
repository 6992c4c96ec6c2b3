"""Blocks between players (`Block`), asked by everything that carries one player's words to another."""

from __future__ import annotations

from typing import TypeAlias

from django.db.models import Q

from gemserver.accounts.models import Block, User
from gemserver.lib.database.prepared import Param, Prepared

Pair: TypeAlias = tuple[int, int]
"""The keys of the user who set a block and of the one who is blocked."""


def blocks_around(user: User) -> frozenset[Pair]:
    """The blocks set by this user, and those set against them."""
    return frozenset(_around(user=user.pk))


_around: Prepared[Pair] = Prepared(
    lambda: Block.objects.filter(Q(user=Param("user")) | Q(blocked=Param("user"))).values_list(
        "user", "blocked"
    )
)


def blocked_with(user: User, blocks: frozenset[Pair] | None = None) -> frozenset[int]:
    """The keys of the users whom this one has blocked or who have blocked this one.

    `blocks`: the result of `blocks_around`, if the caller has it.
    """
    pairs = blocks_around(user) if blocks is None else blocks
    return frozenset(key for pair in pairs for key in pair) - {user.pk}


def is_blocked(one: User, other: User) -> bool:
    """True if either of the two has blocked the other."""
    pairs = Q(user=one, blocked=other) | Q(user=other, blocked=one)
    return Block.objects.filter(pairs).exists()
