"""Reply tokens and signed Message-IDs: keyed hashes that can be derived again and are never stored in clear."""

from __future__ import annotations

import base64
import hmac
from hashlib import sha256

from django.conf import settings

TOKEN_LENGTH = 26
"""Characters of a token: 128 bits in lower-case base32 without padding (`email.md` A2)."""

MAC_LENGTH = 10


def _keyed(purpose: str, *parts: object) -> bytes:
    text = "|".join([purpose, *(str(part) for part in parts)])
    return hmac.new(settings.MAIL_KEY.encode(), text.encode(), sha256).digest()


def _base32(digest: bytes) -> str:
    return base64.b32encode(digest).decode("ascii").rstrip("=").lower()


def secret_key(purpose: str, *parts: object) -> bytes:
    """A key of 32 bytes for this purpose, from the server's own; stored nowhere."""
    return _keyed(f"key {purpose}", *parts)


def reply_token(kind: str, *parts: object) -> str:
    """The first 128 bits of HMAC(server key, kind | parts…) as 26 characters a-z2-7.

    A seat's parts are match, seat, holder and generation; raising the generation makes a new address.
    """
    return _base32(_keyed(f"token {kind}", *parts)[:16])


def token_hash(token: str) -> str:
    """What a row keeps of a token: SHA-256 of its lower-case form, hex."""
    return sha256(token.lower().encode()).hexdigest()


def mac(*parts: object) -> str:
    """Ten characters a-z2-7 that only this server can compute, for Message-IDs and `Ref:` lines."""
    return _base32(_keyed("mac", *parts))[:MAC_LENGTH]


def is_mac(candidate: str, *parts: object) -> bool:
    """Whether `candidate` is our mac of these parts; constant time, any case."""
    return hmac.compare_digest(candidate.lower().encode("utf-8", "replace"), mac(*parts).encode())
