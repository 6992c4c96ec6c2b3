"""Finds a mail's recipients and envelope sender where the way it came does not give them."""

from __future__ import annotations

from collections.abc import Iterable

from gemserver.mailgate.addresses import find_recipient
from gemserver.mailgate.header import MAX_HEADER, RECIPIENT_FIELDS
from gemserver.mailgate.reading.header_fields import HeaderFields, read_addresses, read_fields, split_header


def header_of(raw: bytes) -> HeaderFields:
    """The fields at the beginning of a mail, up to the limit for headers."""
    return read_fields(split_header(raw)[0][:MAX_HEADER])


def own_addresses(envelope: Iterable[str], fields: HeaderFields) -> list[str]:
    """Our addresses among the envelope's recipients, else the first one in the header.

    See mail-requirements.md A6.

    Empty if there is none. Database errors pass through.
    """
    ours = [address for address in dict.fromkeys(envelope) if find_recipient(address)]
    return ours or [address for address in _listed(fields) if find_recipient(address)][:1]


def envelope_sender(fields: HeaderFields) -> str:
    """The envelope's sender by the header: empty for the null sender; From's address if nothing names it."""
    if fields.has("return-path"):
        return fields.first("return-path").strip("<> ")
    return next(iter(fields.authors), "")


def _listed(fields: HeaderFields) -> list[str]:
    listed = [
        address
        for name in RECIPIENT_FIELDS
        for value in fields.all(name)
        for address in read_addresses(value)
    ]
    return list(dict.fromkeys(listed))
