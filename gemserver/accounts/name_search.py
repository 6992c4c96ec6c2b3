"""Find players by the beginning of their names, or by a name with one slip in it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from django.db import models
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext_lazy as _

LEAST_FOR_SLIPS = 4
"""Shorter texts are looked for as they stand: with a letter more or less they would be too many names."""
MOST_FOUND = 20


class NameKey(models.Model):
    """A name without accents, capitals and signs, as a whole or with one letter left out."""

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="name_keys")
    key = models.CharField(max_length=200)
    is_whole = models.BooleanField()

    class Meta:
        app_label = "accounts"
        verbose_name = _("key of a name")
        verbose_name_plural = _("keys of names")
        # Read by find_keys: equal keys, and beginnings by LIKE, for which PostgreSQL needs this class of operators.
        indexes = [models.Index(fields=["key"], name="name_key", opclasses=["varchar_pattern_ops"])]

    def __str__(self) -> str:
        return self.key


def fold_name(name: str) -> str:
    """Fold a name to what its readers remember of it.

    >>> fold_name("Zoë-Anne_B.")
    'zoeanneb'
    """
    parts = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in parts if sign.isalnum())


def write_keys(user_id: int, name: str) -> None:
    """Keep the keys of a player's name; what was kept for an earlier one goes."""
    own = NameKey.objects.filter(user=user_id)
    folded = fold_name(name)
    kept = list(own.filter(is_whole=True).values_list("key", flat=True))
    if kept == [folded]:
        return
    if kept:
        own.delete()
    keys = [NameKey(user_id=user_id, key=folded, is_whole=True)]
    keys += [NameKey(user_id=user_id, key=key, is_whole=False) for key in set(_slips(folded)) - {""}]
    NameKey.objects.bulk_create(keys)


def _slips(folded: str) -> Iterator[str]:
    """The text with one letter left out; two texts that differ by one slip have one of these in common."""
    for place in range(len(folded)):
        yield folded[:place] + folded[place + 1 :]


def find_keys(text: str, limit: int = MOST_FOUND) -> list[int]:
    """Primary keys of players whose names begin like the text, then of those whose name it is but for one slip.

    Guests and shut accounts are left out.
    """
    folded = fold_name(text[:100])
    if not folded:
        return []
    rows = NameKey.objects.filter(user__is_active=True, user__is_guest=False)
    beginning = rows.filter(key__startswith=folded, is_whole=True).order_by("key", "user")
    found = list(beginning.values_list("user", flat=True)[:limit])
    if len(folded) >= LEAST_FOR_SLIPS and len(found) < limit:
        alike = rows.filter(key__in={folded, *_slips(folded)}).exclude(user__in=found)
        found += alike.order_by("user").values_list("user", flat=True).distinct()[: limit - len(found)]
    return found


def write_missing_keys(limit: int) -> int:
    """Write the keys of players who have none, as those have who came before there were keys; return how many."""
    from gemserver.accounts.models import User

    keyless = User.objects.filter(~Exists(NameKey.objects.filter(user=OuterRef("pk"))), is_guest=False)
    found = list(keyless.values_list("pk", "username")[:limit])
    for user_id, name in found:
        write_keys(user_id, name)
    return len(found)


def find_named(name: str) -> int | None:
    """The primary key of the player whom somebody means by this whole name, however it is spelt; None if nobody's."""
    rows = NameKey.objects.filter(
        key=fold_name(name), is_whole=True, user__is_active=True, user__is_guest=False
    )
    found = dict(rows.values_list("user", "user__username")[:MOST_FOUND])
    exact = [key for key, spelt in found.items() if spelt.casefold() == name.casefold()]
    if exact:
        return exact[0]
    return next(iter(found)) if len(found) == 1 else None
