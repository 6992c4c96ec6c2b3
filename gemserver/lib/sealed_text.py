"""Encrypts texts that we must be able to read again: the addresses of channels, which are keys to somebody's room.

The key is made from MAIL_KEY; texts encrypted under a former one can be read while it is in MAIL_KEY_FALLBACKS.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from gemserver.lib import signing

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet


def seal(text: str) -> str:
    """Encrypt under the present key; twice the same text gives different results."""
    return _keys().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str | None:
    """Decrypt under any key that still counts; None if it was encrypted under none of them."""
    from cryptography.fernet import InvalidToken

    try:
        return _keys().decrypt(sealed).decode()
    except InvalidToken:
        return None


def is_under_present_key(sealed: str) -> bool:
    """True if it needs no former key."""
    from cryptography.fernet import Fernet, InvalidToken

    try:
        Fernet(_key(signing.all_keys()[0])).decrypt(sealed)
    except InvalidToken:
        return False
    return True


def _keys() -> MultiFernet:
    # Imported here, as hardly any process of the web needs it: with urllib3 24 ms and 9 MB.
    from cryptography.fernet import Fernet, MultiFernet

    return MultiFernet([Fernet(_key(key)) for key in signing.all_keys()])


def _key(key: str) -> bytes:
    return base64.urlsafe_b64encode(signing.secret_key("sealed text", under=key))
