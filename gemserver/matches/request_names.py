"""Names under which requests act once. They contain the requester, so that nobody runs into another's request."""

from __future__ import annotations

import re
from hashlib import sha256

from gemserver.accounts.models import User

_SHORT_KEY = re.compile(r"[A-Za-z0-9:._-]{1,40}")


def name_request(way: str, user: User | None, seat: int, key: str) -> str | None:
    """Name a request by its way in (`web`, `web.resign`), the account that asks, the seat, and a key.

    `key` may be chosen by a stranger's program: a long or odd one is replaced by its SHA-256, and an empty one gives no
    name (None), so that the request acts each time it comes. Older names in the database have two parts fewer and match
    none of these.
    """
    if not key:
        return None
    if not _SHORT_KEY.fullmatch(key):
        # No short key contains "~".
        key = "~" + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:39]
    return f"{way}:{user.pk if user else '-'}:{seat}:{key}"
