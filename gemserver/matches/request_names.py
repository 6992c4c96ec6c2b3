"""The name under which a request acts once: it belongs to who asks, so that nobody meets a request of somebody else."""

from __future__ import annotations

import re
from hashlib import sha256

from gemserver.accounts.models import User

_SHORT_KEY = re.compile(r"[A-Za-z0-9:._-]{1,40}")


def name_request(way: str, user: User | None, seat: int, key: str) -> str | None:
    """The name of a request: its way in (`web`, `web.resign`), the account that asks, the seat, and a key.

    `key` may be chosen by a stranger's program: a long or odd one is kept as its SHA-256, and an empty one names
    nothing (None), so the request acts each time it comes. Names from before have two parts fewer and equal none.
    """
    if not key:
        return None
    if not _SHORT_KEY.fullmatch(key):
        # "~" stands in no key that is kept as it is.
        key = "~" + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:39]
    return f"{way}:{user.pk if user else '-'}:{seat}:{key}"
