"""The keys that sign the audit log, so that an intruder with only the database cannot write valid rows.

A row names its key, so that `AUDIT_KEY` can be changed; former keys stay in `AUDIT_KEY_FALLBACKS`. Without `AUDIT_KEY`
the key is derived from `SECRET_KEY`, whose fallbacks are tried too.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings
from django.utils.encoding import force_bytes

ID_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Key:
    """A key and its `id`, which rows store: twelve hex digits that do not reveal the key."""

    id: str
    secret: bytes

    def sign(self, purpose: str, content: bytes) -> str:
        """HMAC-SHA-256 of the content, 64 hex digits; a signature for one purpose is not valid for another."""
        return hmac.new(self.secret, f"{purpose}|".encode() + content, sha256).hexdigest()


def current_key() -> Key:
    """The key for new rows."""
    return _derive(settings.AUDIT_KEY or settings.SECRET_KEY)


def find_key(key_id: str) -> Key | None:
    """The key with this id among those in the settings."""
    secrets = [
        *(settings.AUDIT_KEY, *settings.AUDIT_KEY_FALLBACKS),
        *(settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS),
    ]
    return next((key for secret in secrets if secret and (key := _derive(secret)).id == key_id), None)


def _derive(secret: str | bytes) -> Key:
    key = hmac.new(force_bytes(secret), b"audit log", sha256).digest()
    return Key(hmac.new(key, b"id", sha256).hexdigest()[:ID_LENGTH], key)
