"""Drawing the server's part of a deal before the player who opens the table can give a part of their own."""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import transaction

from games import deal
from gemserver.accounts.models import User
from gemserver.matches.models import DrawnSecret


def promise_secret(user: User, *, now: datetime) -> str:
    """The fingerprint of the secret that the user's next table will get; drawn once, however often it is looked at."""
    row, _ = DrawnSecret.objects.get_or_create(
        user=user, defaults={"server_part": secrets.token_hex(32), "drawn_at": now}
    )
    return deal.fingerprint(row.server_part)


def take_secret(user: User | None, promised: str, now: datetime) -> tuple[str, datetime]:
    """The secret of this fingerprint and when it was promised; where it is spent or was never drawn, a new one, now.

    No secret serves two tables: the first of them to end would tell the deal of the other.
    """
    with transaction.atomic():
        row = DrawnSecret.objects.select_for_update().filter(user=user).first() if promised else None
        if row is None or deal.fingerprint(row.server_part) != promised:
            return secrets.token_hex(32), now
        row.delete()
        return row.server_part, row.drawn_at
