"""A new MAIL_KEY: every row learns the token that it has under the new key, and the former ones still lead to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.db import transaction

from gemserver.accounts.models import EarlierToken, User, remember_tokens
from gemserver.lib import signing
from gemserver.matches.models import Seat, Sitting

BATCH = 500

PLACES: tuple[tuple[type[Any], str, Callable[[Any], tuple[Any, ...]]], ...] = (
    (User, "token_hash", lambda user: user.token_parts),
    (User, "feed_token_hash", lambda user: user.feed_token_parts),
    (Seat, "token_hash", lambda seat: seat.token_parts),
    (Sitting, "token_hash", lambda sitting: sitting.token_parts),
)
"""Where the hash of a token stands, and of what the token is made. Former addresses keep the hash they have: it is
found as it is, or by way of the hash that their seat had last."""


def rotate() -> Mapping[str, int]:
    """Store everywhere the hash under MAIL_KEY; how many tokens of a former key still count, and how many do not.

    Safe to run again, and after it was stopped half-way. What belongs to a key that is in MAIL_KEY_FALLBACKS no more
    is forgotten.
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
    known = [signing.key_id(key) for key in settings.MAIL_KEY_FALLBACKS]
    counts["forgotten"] = EarlierToken.objects.exclude(key__in=known).delete()[0]
    return counts


def _move(model: type[Any], field: str, rows: Mapping[Any, tuple[Any, ...]]) -> tuple[int, int]:
    """Give these rows their hashes under the present key: of how many the former one counts on, and of how many not."""
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


def is_up_to_date() -> bool:
    """Whether the latest account has its tokens under MAIL_KEY."""
    latest = User.objects.order_by("-pk").first()
    return latest is None or latest.token_hash in {None, signing.token_hash(latest.token)}
