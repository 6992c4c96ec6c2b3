"""Draw the server's part of a deal before the player who opens the table can give a part of their own."""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import transaction

from games import deal
from gemserver.accounts.models import User
from gemserver.matches.models import DrawnSecret


def promise_secret(user: User, *, now: datetime) -> str:
    """The fingerprint of the secret for the user's next table, drawn at the first call and the same at later ones."""
    row, _ = DrawnSecret.objects.get_or_create(
        user=user, defaults={"server_part": secrets.token_hex(32), "drawn_at": now}
    )
    return deal.fingerprint(row.server_part)


def take_secret(user: User | None, promised: str, now: datetime) -> tuple[str, datetime]:
    """Take the secret with this fingerprint and the time of its promise; a new one if it is spent or was never drawn.

    No secret serves two tables: the first to end would give away the deal of the other.
    """
    with transaction.atomic():
        row = DrawnSecret.objects.select_for_update().filter(user=user).first() if promised else None
        if row is None or deal.fingerprint(row.server_part) != promised:
            return secrets.token_hex(32), now
        row.delete()
        return row.server_part, row.drawn_at
