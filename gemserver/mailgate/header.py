"""Reads the header of a raw mail into the values that the gateway judges: `parse_header`, `ParsedMail`.

Limits come before parsing (mail-requirements.md M1), so that the time is bounded whatever the mail contains.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from games.contract import ENGLISH, Json, Message
from gemserver.mailgate.reading.automatic import (
    DeliveryReport,
    automatic_reason,
    is_from_list,
    is_report,
    looks_automatic,
)
from gemserver.mailgate.reading.header_fields import (
    HeaderFields,
    decode_words,
    read_addresses,
    read_fields,
    read_ids,
    read_octets,
    split_header,
)

MAX_SIZE = 1_048_576
MAX_HEADER = 65_536
MAX_FIELDS = 250
MAX_FIELD = 8192
MAX_RESULTS = 20
"""`Authentication-Results` fields that are kept, topmost first."""

RECIPIENT_FIELDS = (
    "delivered-to",
    "x-original-to",
    "x-forwarded-to",
    "envelope-to",
    "x-envelope-to",
    "x-gm-original-to",
    "to",
    "cc",
    "resent-to",
)
"""Fields searched for our address, in this order, after the envelope (mail-requirements.md A6)."""

_READ_FIELDS = frozenset(
    (
        *RECIPIENT_FIELDS,
        *("from", "subject", "date", "message-id", "in-reply-to", "references", "content-type"),
        # Blanks may be added to a signature without breaking it: one that is too long must not count as none.
        "dkim-signature",
    )
)

_WATCHED = frozenset({"to", "cc", "date", "subject", "message-id"})
"""Fields of which `_find_unsigned` says whether the signatures of a mail cover them."""
MOST_SIGNATURES = 20
_LONGEST_DATE = 100


class UnreadableMail(Exception):
    """A mail that is kept but not acted upon.

    `code` is stable; `message` says what happened and what to do next. `mail` has the header if that could be read (its
    `text` is empty), so that an automatic mail is never answered.
    """

    def __init__(self, code: str, template: str, mail: ParsedMail | None = None, **params: Json) -> None:
        self.code = code
        self.message = Message(template, params)
        self.mail = mail
        super().__init__(code, template, params)

    @property
    def sentence(self) -> str:
        """The sentence in English."""
        return self.message.text(ENGLISH)


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """The content of a mail, which says nothing about its rights.

    Addresses are in their comparable form, ids without angle brackets. More than one entry in `from_addresses` means
    several From fields or several addresses in one: to be rejected (mail-requirements.md S5).
    """

    message_id: str
    from_addresses: tuple[str, ...]
    subject: str
    """Empty if anybody may have written it: it is read as a command."""
    recipients: tuple[str, ...]
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    automatic: str | None
    looks_automatic: bool
    from_list: bool
    is_report: bool
    """True if its body may hold a delivery status or complaint (RFC 3464, RFC 5965)."""
    authentication_results: tuple[str, ...]
    """As written, a character for each octet."""
    content_key: str
    """SHA-256 over Date, From, Subject and body, hex: tells the same mail again from another one.

    See mail-requirements.md I1.
    """
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    """The addresses in To and in Cc, if there is exactly one such field."""
    sent_at: datetime | None = None
    unsigned: frozenset[str] = frozenset()
    """Those of `_WATCHED` that a DKIM signature of the mail does not cover."""
    is_partly_signed: bool = False
    """True if a signature says that it covers only the beginning of the text (`l=`): anybody may have added to it."""
    dsn: DeliveryReport | None = None
    text: str = ""
    beside: str = ""
    """The HTML part of a mail whose `text` is its plain part: it shows where lines end and what is struck out."""
    has_attachments: bool = False
    reaction: str | None = None
    """The emoji of a reaction; empty for a malformed one, None if the mail is none."""
    language: str = ""
    """`Content-Language`, as written."""


def parse_header(raw: bytes, *, max_size: int = MAX_SIZE) -> ParsedMail:
    """Read the header; of the body only `content_key` tells. Raises `UnreadableMail` and nothing else."""
    block, body = split_header(raw[: max_size + 1])
    return _from_header(_read_header(block), block, body)


def _read_header(block: bytes) -> HeaderFields:
    if len(block) > MAX_HEADER:
        raise UnreadableMail(
            "header-too-big", "The header of your mail is too large to be read. Please write a new mail."
        )
    lines = block.splitlines()
    if sum(not line.startswith((b" ", b"\t")) for line in lines) > MAX_FIELDS:
        raise UnreadableMail(
            "too-many-fields", "The header of your mail is too large to be read. Please write a new mail."
        )
    fields = read_fields(block)
    kept = []
    for name, value in fields.fields:
        if len(value) <= MAX_FIELD:
            kept.append((name, value))
        elif name in _READ_FIELDS:
            raise UnreadableMail(
                "field-too-long",
                "The field {field} of your mail is too long to be read. Please write a new mail to the game alone.",
                field=name.title(),
            )
    return HeaderFields(tuple(kept))


def _from_header(fields: HeaderFields, block: bytes, body: bytes) -> ParsedMail:
    authors = fields.authors
    recipients = [
        address
        for name in RECIPIENT_FIELDS
        for value in fields.all(name)
        for address in read_addresses(value)
    ]
    signatures = fields.all("dkim-signature")
    unsigned = _find_unsigned(signatures)
    return ParsedMail(
        message_id=next(iter(read_ids(fields.all("message-id")[-1:])), ""),
        from_addresses=tuple(authors),
        subject="" if "subject" in unsigned else decode_words(fields.last("subject")),
        recipients=tuple(dict.fromkeys(recipients)),
        in_reply_to=tuple(read_ids(fields.all("in-reply-to"))),
        references=tuple(read_ids(fields.all("references"))),
        automatic=automatic_reason(fields, authors),
        looks_automatic=looks_automatic(decode_words(fields.first("subject"))),
        from_list=is_from_list(fields),
        is_report=is_report(fields),
        authentication_results=tuple(read_octets(block, "authentication-results")[:MAX_RESULTS]),
        content_key=_content_key(fields, body),
        to=_only_addresses(fields.all("to")),
        cc=_only_addresses(fields.all("cc")),
        sent_at=_read_date(fields.all("date")),
        unsigned=unsigned,
        is_partly_signed=any(_tags(each, "l") for each in signatures),
        language=fields.first("content-language")[:100],
    )


def _only_addresses(values: Sequence[str]) -> tuple[str, ...]:
    """The addresses of a field that occurs once; of two, one may have been put above the signed one."""
    return tuple(read_addresses(values[0])) if len(values) == 1 else ()


def _read_date(values: Sequence[str]) -> datetime | None:
    """The instant at which the mail was written, by its only Date; None if that is no date."""
    if len(values) != 1 or len(values[0]) > _LONGEST_DATE:
        return None
    try:
        at = parsedate_to_datetime(values[0])
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _find_unsigned(signatures: Sequence[str]) -> frozenset[str]:
    """Those of `_WATCHED` that at least one of these DKIM signatures (RFC 6376) does not cover, valid or not.

    A signature stays good for years, and says nothing of the envelope: anybody who has a signed mail can send it to us.
    """
    if len(signatures) > MOST_SIGNATURES:
        return _WATCHED
    return frozenset(name for name in _WATCHED for each in signatures if name not in _signed(each))


def _signed(signature: str) -> frozenset[str]:
    """The field names in its tag `h=` (§3.5)."""
    listed = _tags(signature, "h")
    return (
        frozenset(name.strip().lower() for name in listed[0].split(":")) if len(listed) == 1 else frozenset()
    )


def _tags(signature: str, wanted: str) -> list[str]:
    """The values of every tag of this name."""
    tags = [tag.partition("=") for tag in signature.split(";")]
    return [value for name, _, value in tags if name.strip() == wanted]


def _content_key(fields: HeaderFields, body: bytes) -> str:
    digest = hashlib.sha256()
    for name in ("date", "from", "subject"):
        digest.update(f"{name}:{' '.join(fields.last(name).split())}\n".encode())
    digest.update(b"\n".join(body.split()))
    return digest.hexdigest()
