"""The arithmetic of a deal that can be checked (notation, "A deal that can be checked").

All values are lower-case hex SHA-256 of ASCII/UTF-8 text.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from games.contract import Seat, seat_letter


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def commitment(code: str, game: str, version: int, options: str, server_part: str) -> str:
    """Return the commitment that the server publishes before anyone joins.

    `options` is the text of the `Options:` line.

    >>> server_part = "5e" * 32
    >>> commitment("M17", "gem", 1, "pace=table", server_part)
    'e433339ae88497600c832e2927f9283faefd9ecbc89a6b915749ec7b283d35bf'
    """
    return _sha256(f"{code}|{game} {version}|{options}|{server_part}")


def fingerprint(server_part: str) -> str:
    """Return the fingerprint of the server's part that can be shown before there is a table to commit to."""
    return _sha256(server_part)


def given_part(words: str) -> str:
    """Return a player's own part, the hash of the words that they typed or their browser made."""
    return _sha256(words)


def default_part(server_part: str, seat: Seat) -> str:
    """Return the part of a bot, or of a player who gave none. It follows from the server's part; nobody chooses it."""
    return _sha256(f"{server_part}|{seat}")


def seed(server_part: str, parts: Sequence[str]) -> str:
    """Return the seed of the match, from the server's part and the players' parts in seat order.

    >>> server_part = "5e" * 32
    >>> seed(server_part, [given_part("four words of mine"), default_part(server_part, 1)])
    '1f4851681f6333d0c070332bc01db4599dcfb2ff1f4337b67ab1ff5b9c50b28b'
    """
    return _sha256("|".join([server_part, *parts]))


def sealed_hash(code: str, context: str, seat: Seat, version: int, salt: str, text: str) -> str:
    """Return the hash that the log shows as soon as a sealed order is accepted; `salt` is 32 hex digits.

    >>> sealed_hash("M17", "day 1 auction 1", seat=0, version=1, salt="5a" * 16, text="bid 2 else pass")
    '227253c9226bf8f2214f4480711fae27afeeda7ca5de8017a7ef49a320a558a3'
    """
    return _sha256(f"{code}|{context}|{seat_letter(seat)}|{version}|{salt}|{text}")
