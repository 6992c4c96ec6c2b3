"""Tokens made under a former key."""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.lib import signing


class EarlierToken(models.Model):
    """A token made under a former MAIL_KEY, which still leads to its row although that has a new one."""

    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    now_hash = models.CharField(max_length=64, editable=False, help_text="of the token that the row has now")
    key = models.CharField(max_length=16, editable=False, help_text="which key it was made under")

    class Meta:
        verbose_name = _("earlier token")
        verbose_name_plural = _("earlier tokens")
        # Read by remember_tokens: a second change of keys.
        indexes = [models.Index(fields=["now_hash"], name="earlier_token_now")]

    def __str__(self) -> str:
        return f"{self.pk} under {self.key}"


def known_hash(token: str) -> str:
    """The hash under which a row is found by this token, even if it was made under a former key."""
    own = signing.token_hash(token)
    if not settings.MAIL_KEY_FALLBACKS:
        return own
    keys = [signing.key_id(key) for key in settings.MAIL_KEY_FALLBACKS]
    earlier = EarlierToken.objects.filter(token_hash=own, key__in=keys).values_list("now_hash", flat=True)
    return earlier.first() or own


def remember_tokens(rows: Iterable[tuple[str | None, tuple[object, ...]]]) -> int:
    """Remember hashes made under a former key, so that they still lead to their rows; return how many there were.

    `rows`: the stored hash and the parts of its token, of rows that the caller is about to give the hash under the
    present key. Hashes made under no former key are passed over.
    """
    earlier = []
    for stored, parts in rows:
        for key in settings.MAIL_KEY_FALLBACKS:
            if stored == signing.token_hash(signing.reply_token(*parts, under=key)):  # type: ignore[arg-type]
                now = signing.token_hash(signing.reply_token(*parts))  # type: ignore[arg-type]
                earlier.append(EarlierToken(token_hash=stored, now_hash=now, key=signing.key_id(key)))
    following = {row.token_hash: row.now_hash for row in earlier}
    before = list(EarlierToken.objects.filter(now_hash__in=following)) if earlier else []
    for row in before:
        row.now_hash = following[row.now_hash]
    EarlierToken.objects.bulk_update(before, ["now_hash"])
    EarlierToken.objects.bulk_create(earlier, ignore_conflicts=True)
    return len(earlier)
