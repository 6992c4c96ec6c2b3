"""Personal tokens: keys with which programs act for a player (docs/decisions/api.md)."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from django.core import signing
from django.db import connection
from django.db.models import CharField
from django.utils.translation import gettext_noop

from gemserver.accounts.models import PersonalToken, RequestCount, User
from gemserver.lib.database.prepared import Param, Prepared, kept_cursor
from gemserver.lib.signing import token_hash
from gemserver.lib.text.redaction import PERSONAL

SCOPES: Mapping[str, str] = {
    "read": gettext_noop("read your turns and matches, as you see them yourself"),
    "play": gettext_noop("move, plan, resign, sit down at tables, and organise your clubs and events"),
    "talk": gettext_noop("write to your tables and keep your notes"),
    "account": gettext_noop("set your hours, vacations and reminders"),
}
"""Everything that a token may be allowed, and how its owner reads it."""


LINK_KEPT = timedelta(hours=1)
"""The time for which the link in the answer to `token new` is good."""


def write_ticket(user: User, name: str) -> str:
    """The last part of a link to the page on which this player, signed in, makes a token of this name."""
    return signing.dumps([user.pk, name], salt=_TICKET)


def read_ticket(text: str, user: User) -> str | None:
    """The name in a ticket of this player; None for any other, and for one that is too old."""
    try:
        pk, name = signing.loads(text, salt=_TICKET, max_age=LINK_KEPT)
    except signing.BadSignature:
        return None
    return str(name) if pk == user.pk else None


_TICKET = "token page"


def new_token() -> str:
    """Make the text of a new token: 128 random bits behind a beginning by which it is known wherever it is pasted."""
    digits = base64.b32encode(secrets.token_bytes(16)).decode("ascii").rstrip("=").lower()
    return PERSONAL + digits


def find_token(text: str, now: datetime) -> PersonalToken | None:
    """The token with this text and its owner, active or not; None if there is none or its time is over."""
    for token in _find_by_hash(hash=token_hash(text)):
        return None if token.expires_at and token.expires_at <= now else token
    return None


_find_by_hash = Prepared(
    lambda: PersonalToken.objects.select_related("user").filter(token_hash=Param("hash", CharField()))
)


def find_good_tokens(tokens: Collection[int], now: datetime) -> set[int]:
    """Those of these tokens (primary keys) that are neither revoked nor expired, nor of an account that is shut."""
    rows = PersonalToken.objects.filter(pk__in=tokens, user__is_active=True).exclude(expires_at__lte=now)
    return set(rows.values_list("pk", flat=True))


def note_use(token: PersonalToken, now: datetime) -> None:
    """Record the day of the last use; the first request of a day writes it, all others cost nothing."""
    today = now.astimezone(UTC).date()
    if token.used_on != today:
        PersonalToken.objects.filter(pk=token.pk).update(used_on=today)


def count_use(user: User, now: datetime, number: int) -> int:
    """Count so many requests, for all processes together; return how many the person behind it sent within this minute.

    One statement, so that no two requests of an account are counted as one. All accounts of a person count, whatever
    their tokens, or six accounts would have a limit each, and a new token would begin anew.
    """
    counts = connection.ops.quote_name(RequestCount._meta.db_table)
    minute = int(now.timestamp()) // 60
    cursor = kept_cursor(connection)
    cursor.execute(
        f"INSERT INTO {counts} AS known (account_id, person_id, minute, used) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (account_id) DO UPDATE SET minute = excluded.minute, "
        "used = CASE WHEN known.minute = excluded.minute THEN known.used + excluded.used ELSE excluded.used "
        f"END RETURNING used + (SELECT COALESCE(SUM(other.used), 0) FROM {counts} AS other "
        "WHERE other.person_id = %s AND other.minute = %s AND other.account_id <> %s)",
        [user.pk, user.family, minute, number, user.family, minute, user.pk],
    )
    [(used,)] = cursor.fetchall()
    return int(used)
