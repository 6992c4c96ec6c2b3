"""The recipients and date of a mail, and the fields that its DKIM signatures cover (RFC 6376).

A signature stays good for years, and says nothing of the envelope: anybody who has a signed mail can send it to us.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from gemserver.mailgate.reading.header_fields import read_addresses

WATCHED = frozenset({"to", "cc", "date"})
MOST_SIGNATURES = 20
_LONGEST_DATE = 100


def only_addresses(values: Sequence[str]) -> tuple[str, ...]:
    """The addresses of a field that occurs once; of two, one may have been put above the signed one."""
    return tuple(read_addresses(values[0])) if len(values) == 1 else ()


def sent_at(values: Sequence[str]) -> datetime | None:
    """The instant at which the mail was written, by its only Date; None if that is no date."""
    if len(values) != 1 or len(values[0]) > _LONGEST_DATE:
        return None
    try:
        at = parsedate_to_datetime(values[0])
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def unsigned_fields(signatures: Sequence[str]) -> frozenset[str]:
    """Those of `WATCHED` that at least one of these signatures does not cover, whether that one was valid or not."""
    if len(signatures) > MOST_SIGNATURES:
        return WATCHED
    return frozenset(name for name in WATCHED for each in signatures if name not in _signed(each))


def _signed(signature: str) -> frozenset[str]:
    """The field names in its tag `h=` (§3.5)."""
    tags = [tag.partition("=") for tag in signature.split(";")]
    listed = [value for name, _, value in tags if name.strip() == "h"]
    return (
        frozenset(name.strip().lower() for name in listed[0].split(":")) if len(listed) == 1 else frozenset()
    )
