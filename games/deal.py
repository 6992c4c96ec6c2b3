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
    """What the server publishes before anyone joins; `options` is the text of the `Options:` line."""
    return _sha256(f"{code}|{game} {version}|{options}|{server_part}")


def fingerprint(server_part: str) -> str:
    """Return the fingerprint of the server's part that can be shown before there is a table to commit to."""
    return _sha256(server_part)


def given_part(words: str) -> str:
    """A player's own part, from what they typed or their browser made."""
    return _sha256(words)


def default_part(server_part: str, seat: Seat) -> str:
    """The part of a bot, or of a player who gave none: it leaves nobody any freedom."""
    return _sha256(f"{server_part}|{seat}")


def seed(server_part: str, parts: Sequence[str]) -> str:
    """The seed of the match from S and the parts in seat order."""
    return _sha256("|".join([server_part, *parts]))


def sealed_hash(code: str, context: str, seat: Seat, version: int, salt: str, text: str) -> str:
    """The hash of a sealed order that stands in the log from its acceptance; `salt` is 32 hex digits."""
    return _sha256(f"{code}|{context}|{seat_letter(seat)}|{version}|{salt}|{text}")
