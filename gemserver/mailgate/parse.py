"""A raw mail as the values that the gateway judges: `parse`, `parse_header`, `ParsedMail`, `UnreadableMail`.

Limits come before parsing (mail-requirements.md M1), so that the time is bounded whatever the mail contains.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import datetime
from email import message_from_bytes, policy

from games.contract import Json, Message
from gemserver.lib.patterns import TooMuchWork, limited
from gemserver.mailgate.reading.automatic import (
    DeliveryReport,
    automatic_reason,
    is_from_list,
    is_report,
    looks_automatic,
    read_report,
)
from gemserver.mailgate.reading.body import DECODE_ERRORS, DeepBody, SealedBody, read_body
from gemserver.mailgate.reading.header_fields import (
    HeaderFields,
    decode_words,
    only_addresses,
    read_addresses,
    read_fields,
    read_ids,
    read_octets,
    sent_at,
    split_header,
    unsigned_fields,
)
from gemserver.mailgate.reading.text_lines import MAX_TEXT

MAX_SIZE = 1_048_576
MAX_HEADER = 65_536
MAX_FIELDS = 250
MAX_FIELD = 8192
MAX_BOUNDARIES = 200
MAX_CONTENT_TYPES = 100
STEPS = 6_000_000
"""Steps for reading one mail (`lib/patterns`): five times those of the longest in the public collections."""

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


_LONG_FIELD = re.compile(
    rb"(?:^|[\r\n])content-(?:type|disposition)[ \t]{0,9}:(?:[^\r\n]|[\r\n]{1,2}[ \t]){8192}", re.IGNORECASE
)
"""A field of a part whose parameters would take the standard library minutes."""


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
        return self.message.template.format(**self.message.params)


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """The content of a mail, which says nothing about its rights.

    Addresses are in their comparable form, ids without angle brackets. More than one entry in `from_addresses` means
    several From fields or several addresses in one: to be rejected (mail-requirements.md S5).
    """

    message_id: str
    from_addresses: tuple[str, ...]
    subject: str
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
    """Those of `to`, `cc` and `date` that a DKIM signature of the mail does not cover."""
    dsn: DeliveryReport | None = None
    text: str = ""
    beside: str = ""
    """The HTML part of a mail whose `text` is its plain part: it shows where lines end and what is struck out."""
    has_attachments: bool = False
    reaction: str | None = None
    """The emoji of a reaction; empty for a malformed one, None if the mail is none."""
    language: str = ""
    """`Content-Language`, as written."""


def parse(raw: bytes, *, max_size: int = MAX_SIZE) -> ParsedMail:
    """Read the parts of the mail that matter. Raises `UnreadableMail` and nothing else."""
    return read_text(raw, parse_header(raw, max_size=max_size), max_size=max_size)


def read_text(raw: bytes, mail: ParsedMail, *, max_size: int, most: int = MAX_TEXT) -> ParsedMail:
    """Add to the header what the body says; of its readable text the first `most` characters.

    Raises `UnreadableMail` and nothing else.
    """
    if len(raw) > max_size:
        raise UnreadableMail(
            "too-big",
            "Your mail is larger than {limit} kB. Nothing in it was read; please send it again without attachments.",
            mail,
            limit=max_size // 1024,
        )
    _check_counts(raw, mail)
    try:
        with limited(STEPS):
            message = message_from_bytes(raw, policy=policy.compat32)
            report = read_report(message) if mail.is_report else None
            body = read_body(message, most)
    except TooMuchWork:
        raise too_much_work(mail) from None
    except SealedBody:
        raise UnreadableMail(
            "sealed",
            "Your mail is encrypted and cannot be read here. Please send it again as plain text.",
            mail,
        ) from None
    except DeepBody:
        raise _too_complex(mail) from None
    except DECODE_ERRORS:
        raise UnreadableMail(
            "malformed",
            "Your mail could not be read. Please write the commands in a new, plain mail.",
            mail,
        ) from None
    return replace(
        mail,
        dsn=report,
        text=body.text,
        beside=body.beside,
        has_attachments=body.has_attachments,
        reaction=body.reaction,
    )


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


def _check_counts(raw: bytes, mail: ParsedMail) -> None:
    lowered = raw.lower()
    if lowered.count(b"content-type:") > MAX_CONTENT_TYPES:
        raise _too_complex(mail)
    if b"multipart/" in lowered and lowered.count(b"\n--") + lowered.count(b"\r--") > MAX_BOUNDARIES:
        raise _too_complex(mail)
    if _LONG_FIELD.search(raw):
        raise _too_complex(mail)


def too_much_work(mail: ParsedMail) -> UnreadableMail:
    """The refusal of a mail that looks again and again as if it quoted another one."""
    return UnreadableMail(
        "too-much-work",
        "Your mail takes too long to be read. Nothing in it was done; please write the commands in a new, plain mail.",
        mail,
    )


def _too_complex(mail: ParsedMail) -> UnreadableMail:
    return UnreadableMail(
        "too-complex",
        "Your mail has too many parts to be read. Please write the commands in a new, plain mail.",
        mail,
    )


def _from_header(fields: HeaderFields, block: bytes, body: bytes) -> ParsedMail:
    authors = [address for value in fields.all("from") for address in read_addresses(value)]
    recipients = [
        address
        for name in RECIPIENT_FIELDS
        for value in fields.all(name)
        for address in read_addresses(value)
    ]
    return ParsedMail(
        message_id=next(iter(read_ids(fields.all("message-id")[:1])), ""),
        from_addresses=tuple(authors),
        subject=decode_words(fields.first("subject")),
        recipients=tuple(dict.fromkeys(recipients)),
        in_reply_to=tuple(read_ids(fields.all("in-reply-to"))),
        references=tuple(read_ids(fields.all("references"))),
        automatic=automatic_reason(fields, authors),
        looks_automatic=looks_automatic(decode_words(fields.first("subject"))),
        from_list=is_from_list(fields),
        is_report=is_report(fields),
        authentication_results=tuple(read_octets(block, "authentication-results")[:MAX_RESULTS]),
        content_key=_content_key(fields, body),
        to=only_addresses(fields.all("to")),
        cc=only_addresses(fields.all("cc")),
        sent_at=sent_at(fields.all("date")),
        unsigned=unsigned_fields(fields.all("dkim-signature")),
        language=fields.first("content-language")[:100],
    )


def _content_key(fields: HeaderFields, body: bytes) -> str:
    digest = hashlib.sha256()
    for name in ("date", "from", "subject"):
        digest.update(f"{name}:{' '.join(fields.first(name).split())}\n".encode())
    digest.update(b"\n".join(body.split()))
    return digest.hexdigest()
