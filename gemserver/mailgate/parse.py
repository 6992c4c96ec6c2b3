"""Reads the body of a raw mail: `read_text`, below a header that is read already, and `parse` for both.

Limits come before parsing (mail-requirements.md M1), so that the time is bounded whatever the mail contains.
"""

from __future__ import annotations

import re
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import Message

from gemserver.lib.text.patterns import TooMuchWork, limited
from gemserver.mailgate.header import MAX_SIZE, ParsedMail, UnreadableMail, parse_header
from gemserver.mailgate.reading.automatic import read_report
from gemserver.mailgate.reading.body import DECODE_ERRORS, DeepBody, SealedBody, read_body
from gemserver.mailgate.reading.header_fields import octets_of_fields, split_header
from gemserver.mailgate.reading.text_lines import MAX_TEXT

MAX_BOUNDARIES = 200
MAX_CONTENT_TYPES = 100
STEPS = 6_000_000
"""Steps for reading one mail (`lib/patterns`): five times those of the longest in the public collections."""

_LONG_FIELD = re.compile(
    rb"(?:^|[\r\n])content-(?:type|disposition)[ \t]{0,9}:(?:[^\r\n]|[\r\n]{1,2}[ \t]){8192}", re.IGNORECASE
)
"""A field of a part whose parameters would take the standard library minutes."""


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
            message = _message(raw)
            if any(len(message.get_all(name, [])) > 1 for name in _SINGLE):
                raise _malformed(mail)
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
        raise _malformed(mail) from None
    return replace(
        mail,
        dsn=report,
        text=body.text,
        beside=body.beside,
        has_attachments=body.has_attachments,
        reaction=body.reaction,
    )


def _message(raw: bytes) -> Message:
    """The body with the fields that say how it is read, for the standard library to take apart.

    It is not given the header itself: where it sees the end of one differs (a CR alone, a blank before a colon) from
    what the server in front saw, which judged the sender. Above a signed mail a text could so be put that no signature
    covers, and that would be read.
    """
    block, body = split_header(raw)
    about = [(name, value) for name, value in octets_of_fields(block) if _IS_ABOUT_BODY.match(name)]
    head = b"".join(name.encode() + b":" + _LINE_END.sub(b" ", value) + b"\r\n" for name, value in about)
    return message_from_bytes(head + b"\r\n" + body, policy=policy.compat32)


_IS_ABOUT_BODY = re.compile(r"content-|mime-version$|x-failed-recipients$")
_LINE_END = re.compile(rb"[\r\n]")
_SINGLE = ("content-type", "content-transfer-encoding")
"""Fields that say how the body is read: a second one, put above a signed mail, would have it read in another way."""


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


def _malformed(mail: ParsedMail) -> UnreadableMail:
    return UnreadableMail(
        "malformed",
        "Your mail could not be read. Please write the commands in a new, plain mail.",
        mail,
    )


def _too_complex(mail: ParsedMail) -> UnreadableMail:
    return UnreadableMail(
        "too-complex",
        "Your mail has too many parts to be read. Please write the commands in a new, plain mail.",
        mail,
    )
