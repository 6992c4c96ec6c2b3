"""A mail as it goes over the wire: in seven bits, and with header lines that every program reads."""

from __future__ import annotations

from email import policy
from email.header import Header
from email.message import Message
from typing import Any
from uuid import uuid4

from django.core.mail import EmailMultiAlternatives
from django.core.mail.message import SafeMIMEText, utf8_charset_qp

LINE = 76


class _Folding(policy.Compat32):
    """Folds a header at its blanks, with its first word beside its name.

    Python would put a long first word below the name, and leave a line on which nothing stands; some filters take that
    for the end of the header.
    """

    def fold(self, name: str, value: Any) -> str:
        lines = [f"{name}:"]
        written = value.encode() if isinstance(value, Header) else str(value)
        for word in written.split():
            if len(lines[-1]) + 1 + len(word) > LINE and lines[-1] != f"{name}:":
                lines.append("")
            lines[-1] += f" {word}"
        return self.linesep.join(lines) + self.linesep

    def fold_binary(self, name: str, value: Any) -> bytes:
        return self.fold(name, value).encode("ascii", "surrogateescape")


class OutgoingMail(EmailMultiAlternatives):
    """A mail whose attachments are pictures of its HTML part (RFC 2387).

    Texts with letters beyond ASCII are quoted-printable: whether each relay on the way knows 8BITMIME cannot be known.
    """

    mixed_subtype = "related"

    def message(self, *args: Any, **options: Any) -> Any:
        letter = super().message(*args, **options)
        letter.policy = _Folding()
        for part in letter.walk():
            if part.is_multipart():
                # Else Python makes one up and searches all parts for it: half of the time of writing them.
                part.set_boundary(f"==={uuid4().int}===")
            if isinstance(part, SafeMIMEText) and part["Content-Transfer-Encoding"] == "8bit":
                _quote(part)
        return letter


def _quote(part: Message) -> None:
    text = bytes(part.get_payload(decode=True)).decode()
    del part["Content-Transfer-Encoding"]
    part.set_payload(text, utf8_charset_qp)
