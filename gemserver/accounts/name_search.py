"""Find players by the beginning of their names, by a name with one slip in it, or by one that looks the same."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from gemserver.accounts.lookalikes import look_of
from gemserver.accounts.models import User
from gemserver.accounts.name_keys import NameKey, fold_name, list_slips, write_keys
from gemserver.accounts.names import unmarked

LEAST_FOR_SLIPS = 4
"""Shorter texts are looked for as they stand: with a letter more or less they would be too many names."""
MOST_FOUND = 20


def find_keys(text: str, limit: int = MOST_FOUND) -> list[int]:
    """Primary keys of players whose names begin like the text, then of those whose name it is but for one slip.

    Guests and shut accounts are left out, and staff who have never played.
    """
    folded = fold_name(text[:100])
    if not folded:
        return []
    idle = User.objects.filter(pk=OuterRef("user"), is_staff=True, seats=None)
    rows = NameKey.objects.filter(~Exists(idle), user__is_active=True, user__is_guest=False)
    beginning = rows.filter(key__startswith=folded, is_whole=True).order_by("key", "user")
    found = list(beginning.values_list("user", flat=True)[:limit])
    if len(folded) >= LEAST_FOR_SLIPS and len(found) < limit:
        alike = rows.filter(key__in={folded, *list_slips(folded)}).exclude(user__in=found)
        found += alike.order_by("user").values_list("user", flat=True).distinct()[: limit - len(found)]
    return found


def find_key(name: str) -> int | None:
    """The primary key of the player whom somebody means by this whole name, however it is spelt; None if nobody's."""
    rows = NameKey.objects.filter(
        key=fold_name(name), is_whole=True, user__is_active=True, user__is_guest=False
    )
    found = dict(rows.values_list("user", "user__username")[:MOST_FOUND])
    exact = [key for key, spelt in found.items() if spelt.casefold() == name.casefold()]
    if exact:
        return exact[0]
    return next(iter(found)) if len(found) == 1 else None


def find_player(name: str) -> User | None:
    """The player of that name: spelled exactly, or in another case if that fits only one; no guest, no shut account."""
    return find_among(User.objects.filter(is_active=True, is_guest=False), name)


def find_among(players: QuerySet[User], name: str) -> User | None:
    """The one of these players with that name: spelled exactly, or in another case if that fits only one."""
    plain = unmarked(name)
    found = list(players.filter(username__iexact=plain)[:2])
    exact = [player for player in found if player.username == plain]
    return exact[0] if exact else found[0] if len(found) == 1 else None


def is_taken(name: str, user: User | None = None) -> bool:
    """True if anybody but this user is called so, in any case, or has a name that passes for it.

    In any case is asked of the accounts: the names of those who came before there were looks are still without one.
    """
    others = User.objects.exclude(pk=user.pk) if user else User.objects.all()
    # Of a guest who had signed up and began again there are keys of the name that they gave up.
    alike = NameKey.objects.filter(user__in=others, user__is_guest=False, is_whole=True, look=look_of(name))
    return others.filter(username__iexact=name).exists() or alike.exists()


def write_missing_keys(limit: int) -> int:
    """Write the keys of players without them or without a look, who came before there were any; return how many."""
    whole = NameKey.objects.filter(user=OuterRef("pk"), is_whole=True).exclude(look="")
    keyless = User.objects.filter(~Exists(whole), is_guest=False)
    found = list(keyless.values_list("pk", "username")[:limit])
    for user_id, name in found:
        write_keys(user_id, name)
    return len(found)
