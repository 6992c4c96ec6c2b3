"""Reply tokens and signed Message-IDs: keyed hashes that can be derived again and are never stored in clear."""

from __future__ import annotations

import base64
import hmac
from hashlib import sha256

from django.conf import settings

TOKEN_LENGTH = 26
"""Characters of a token: 128 bits in lower-case base32 without padding (mail-requirements.md A2)."""

MAC_LENGTH = 10


def _keyed(purpose: str, *parts: object, under: str | None = None) -> bytes:
    text = "|".join([purpose, *(str(part) for part in parts)])
    return hmac.new((under or settings.MAIL_KEY).encode(), text.encode(), sha256).digest()


def all_keys() -> list[str]:
    """MAIL_KEY, and the former keys that still count."""
    return [settings.MAIL_KEY, *settings.MAIL_KEY_FALLBACKS]


def key_id(key: str) -> str:
    """Sixteen hex digits that tell this key from others, and reveal nothing about it."""
    return _keyed("key id", under=key).hex()[:16]


def _base32(digest: bytes) -> str:
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()


def secret_key(purpose: str, *parts: object, under: str | None = None) -> bytes:
    """A key of 32 bytes for this purpose, from the server's own or the given one; stored nowhere."""
    return _keyed(f"key {purpose}", *parts, under=under)


def reply_token(kind: str, *parts: object, under: str | None = None) -> str:
    """The first 128 bits of HMAC(server key, kind | parts…) as 26 characters a-z2-7; `under`: another key.

    A seat's parts are match, seat, holder and generation; raising the generation makes a new address.
    """
    return _base32(_keyed(f"token {kind}", *parts, under=under)[:16])


def is_token(candidate: str, kind: str, *parts: object) -> bool:
    """True if `candidate` is our token of these parts, under a former key too; constant time, any case."""
    given = candidate.lower().encode("utf-8", "replace")
    tokens = [reply_token(kind, *parts, under=key).encode() for key in all_keys()]
    return any(hmac.compare_digest(given, token) for token in tokens)


def token_hash(token: str) -> str:
    """SHA-256 of the token's lower-case form, hex: the only thing a row keeps of it."""
    return sha256(token.lower().encode()).hexdigest()


def mac(*parts: object, under: str | None = None) -> str:
    """Ten characters a-z2-7 that only this server can compute, for Message-IDs and `Ref:` lines."""
    return _base32(_keyed("mac", *parts, under=under))[:MAC_LENGTH]


def is_mac(candidate: str, *parts: object) -> bool:
    """True if `candidate` is our mac of these parts, under a former key too; constant time, any case."""
    given = candidate.lower().encode("utf-8", "replace")
    return any(hmac.compare_digest(given, mac(*parts, under=key).encode()) for key in all_keys())
