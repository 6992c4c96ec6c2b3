"""A mail as it goes over the wire: in seven bits, and with header lines that every program reads."""

from __future__ import annotations

import re
import secrets
from email import policy
from email.generator import BytesGenerator
from email.header import Header
from email.message import Message
from functools import partial
from io import BytesIO
from typing import Any

from django.core.mail import EmailMultiAlternatives
from django.core.mail.message import SafeMIMEText, utf8_charset_qp

LINE = 76
_LINE_END = re.compile(r"\r\n|\r|\n")


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


class _Generator(BytesGenerator):
    """Writes the same as Python's, in two thirds of its time: a picture at once, which is a thousand lines."""

    _NL: str

    def _write_lines(self, lines: str) -> None:
        self.write(_LINE_END.sub(self._NL, lines))

    @classmethod
    def _make_boundary(cls, text: str | None = None) -> str:
        """A boundary that nobody could have put into a text, so that it need not be looked for in all of them."""
        return f"==============={secrets.randbelow(10**19):019d}=="


def _as_bytes(letter: Message, unixfrom: bool = False, linesep: str = "\n") -> bytes:
    file = BytesIO()
    _Generator(file, mangle_from_=False).flatten(letter, unixfrom=unixfrom, linesep=linesep)
    return file.getvalue()


class Letter(EmailMultiAlternatives):
    """A mail whose attachments are pictures of its HTML part (RFC 2387).

    Texts with letters beyond ASCII are quoted-printable: whether each relay on the way knows 8BITMIME cannot be known.
    """

    mixed_subtype = "related"

    def message(self, *args: Any, **options: Any) -> Any:
        letter = super().message(*args, **options)
        letter.policy = _Folding()
        setattr(letter, "as_bytes", partial(_as_bytes, letter))  # noqa: B010
        for part in letter.walk():
            if isinstance(part, SafeMIMEText) and part["Content-Transfer-Encoding"] == "8bit":
                _quote(part)
        return letter


def _quote(part: Message) -> None:
    text = bytes(part.get_payload(decode=True)).decode()
    del part["Content-Transfer-Encoding"]
    part.set_payload(text, utf8_charset_qp)
