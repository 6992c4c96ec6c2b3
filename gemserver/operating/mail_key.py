"""A new MAIL_KEY: every row gets its token's hash under the new key, and the former tokens still lead to it.

The addresses of channels are encrypted anew under it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.db import transaction

from gemserver.accounts.models import EarlierToken, User, remember_tokens
from gemserver.lib import signing
from gemserver.lib.sealed_text import is_under_present_key, seal, unseal
from gemserver.matches.models import Seat, Sitting
from gemserver.notify.models import Channel

BATCH = 500

PLACES: tuple[tuple[type[Any], str, Callable[[Any], tuple[Any, ...]]], ...] = (
    (User, "token_hash", lambda user: user.token_parts),
    (User, "feed_token_hash", lambda user: user.feed_token_parts),
    (Seat, "token_hash", lambda seat: seat.token_parts),
    (Sitting, "token_hash", lambda sitting: sitting.token_parts),
)
"""Columns that hold the hash of a token, with the parts that the token is made of. Former addresses keep their hash: it
is found as it is, or through the last hash of their seat."""


def rotate() -> Mapping[str, int]:
    """Store every hash under MAIL_KEY; count the tokens of a former key that remain valid, and those that do not.

    Safe to run again, and after it was stopped half-way. Tokens of keys that are gone from MAIL_KEY_FALLBACKS are
    forgotten.
    """
    counts = {"moved": 0, "void": 0}
    for model, field, parts_of in PLACES:
        last = 0
        while True:
            with transaction.atomic():
                rows = model.objects.exclude(**{field: None}).filter(pk__gt=last).order_by("pk")
                batch = list(rows.select_for_update(of=("self",))[:BATCH])
                moved, void = _move(model, field, {row: parts_of(row) for row in batch})
            if not batch:
                break
            last, counts["moved"], counts["void"] = (
                batch[-1].pk,
                counts["moved"] + moved,
                counts["void"] + void,
            )
    counts["addresses"] = _seal_addresses()
    known = [signing.key_id(key) for key in settings.MAIL_KEY_FALLBACKS]
    counts["forgotten"] = EarlierToken.objects.exclude(key__in=known).delete()[0]
    return counts


def _move(model: type[Any], field: str, rows: Mapping[Any, tuple[Any, ...]]) -> tuple[int, int]:
    """Give these rows their hashes under the present key; count the former tokens that remain valid, and the others."""
    changed = {
        row: parts
        for row, parts in rows.items()
        if getattr(row, field) != signing.token_hash(signing.reply_token(*parts))
    }
    moved = remember_tokens([(getattr(row, field), parts) for row, parts in changed.items()])
    for row, parts in changed.items():
        setattr(row, field, signing.token_hash(signing.reply_token(*parts)))
    model.objects.bulk_update(changed, [field])
    return moved, len(changed) - moved


def _seal_addresses() -> int:
    """Encrypt the addresses of channels under the present key; return how many were under a former one."""
    last = sealed = 0
    while True:
        with transaction.atomic():
            rows = Channel.objects.filter(pk__gt=last).order_by("pk")
            batch = list(rows.select_for_update()[:BATCH])
            old = [row for row in batch if not is_under_present_key(row.address)]
            for row in old:
                if (text := unseal(row.address)) is not None:
                    row.address = seal(text)
                    sealed += 1
            Channel.objects.bulk_update(old, ["address"])
        if not batch:
            return sealed
        last = batch[-1].pk


def is_up_to_date() -> bool:
    """True if the latest account has its token under MAIL_KEY."""
    latest = User.objects.order_by("-pk").first()
    return latest is None or latest.token_hash in {None, signing.token_hash(latest.token)}
