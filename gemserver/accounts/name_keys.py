"""The keys by which players are found: their names folded, as a whole and with one letter left out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.lookalikes import look_of


class NameKey(models.Model):
    """A name without accents, capitals and signs, as a whole or with one letter left out."""

    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="name_keys")
    key = models.CharField(max_length=200)
    is_whole = models.BooleanField()
    look = models.CharField(
        max_length=800, default="", db_default="", help_text="of a whole name: the letters it is taken for"
    )

    class Meta:
        app_label = "accounts"
        verbose_name = _("key of a name")
        verbose_name_plural = _("keys of names")
        # Read by find_keys: equal keys, and beginnings by LIKE, for which PostgreSQL needs this class of operators.
        indexes = [
            models.Index(fields=["key"], name="name_key", opclasses=["varchar_pattern_ops"]),
            # Read by is_taken.
            models.Index(fields=["look"], name="name_look", condition=models.Q(is_whole=True)),
        ]

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
    folded, look = fold_name(name), look_of(name)
    kept = list(own.filter(is_whole=True).values_list("key", "look"))
    if kept == [(folded, look)]:
        return
    if kept:
        own.delete()
    keys = [NameKey(user_id=user_id, key=folded, is_whole=True, look=look)]
    keys += [NameKey(user_id=user_id, key=key, is_whole=False) for key in set(list_slips(folded)) - {""}]
    NameKey.objects.bulk_create(keys)


def list_slips(folded: str) -> Iterator[str]:
    """The text with one letter left out; two texts that differ by one slip have one of these in common."""
    for place in range(len(folded)):
        yield folded[:place] + folded[place + 1 :]
