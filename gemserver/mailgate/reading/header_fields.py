"""Header fields of a mail, read from its first bytes by small parsers that take linear time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header

from gemserver.lib.text.mail_address import comparable
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.reading.charset import decode_bytes
from gemserver.mailgate.reading.text_lines import bare, drop_controls, thin_marks

MAX_ADDRESSES = 100
MAX_IDS = 100
MAX_SUBJECT = 250
_MAX_ENCODED = 1500
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_FIELD = re.compile(rb"([!-9;-~]{1,80})[ \t]*:")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_ID = Pattern(r"<([^<>]{1,500})>")
_BETWEEN_IDS = Pattern(r"[\s,;]+")
_ADDRESS = Pattern(
    r"[^\s@<>()\",;:\\\[\]]{1,64}@[^\s@<>()\",;:\\]{1,190}|\"[^\"@]{1,60}\"@[^\s@<>()\",;:\\]{1,190}"
)


@dataclass(frozen=True, slots=True)
class HeaderFields:
    """The fields of one header in order: lower-case name and unfolded value."""

    fields: tuple[tuple[str, str], ...]

    def all(self, name: str) -> list[str]:
        """The values of every field of that name, topmost first."""
        return [value for field, value in self.fields if field == name]

    def first(self, name: str) -> str:
        """The topmost value, or an empty text."""
        return next((value for field, value in self.fields if field == name), "")

    def last(self, name: str) -> str:
        """The lowest value, or an empty text: of several fields a DKIM signature covers the lowest (RFC 6376 §5.4.2).

        Whoever sends a signed mail on can put another one above it.
        """
        return next((value for field, value in reversed(self.fields) if field == name), "")

    def has(self, name: str) -> bool:
        return any(field == name for field, _ in self.fields)

    @property
    def authors(self) -> list[str]:
        """The addresses in From, in their comparable form; none if one of its fields is not wholly understood.

        A server in front that cannot read the field cannot judge it either. So nothing in it is mended: of a mended
        address nobody has proved anything (mail-requirements.md S5).
        """
        found = [_read_author(value) for value in self.all("from")]
        return [] if [] in found else [address for each in found for address in each]


def split_header(raw: bytes) -> tuple[bytes, bytes]:
    """The header block and the body of a mail; a mail without an empty line is all header.

    A CR alone ends no line: the mail server in front, which judged the sender, did not see the line that would begin
    there.
    """
    ends = [(at, len(end)) for end in (b"\r\n\r\n", b"\n\n", b"\n\r\n") if (at := raw.find(end)) >= 0]
    if not ends:
        return raw, b""
    at, size = min(ends)
    return raw[:at], raw[at + size :]


def read_fields(block: bytes) -> HeaderFields:
    """The fields of a header block; lines that are no field are skipped. From keeps its control characters."""
    return HeaderFields(tuple((name, _plain(name, value).strip()) for name, value in octets_of_fields(block)))


def _plain(name: str, value: bytes) -> str:
    text = decode_bytes(value, "utf-8")
    return text if name == "from" else drop_controls(text)


def read_octets(block: bytes, name: str) -> list[str]:
    """The values of every field of that name, topmost first, with a character for each octet; nothing is left out.

    For fields whose grammar decides what counts: if control characters were dropped, a quote might end elsewhere.
    """
    return [value.decode("latin-1").strip(" \t") for field, value in octets_of_fields(block) if field == name]


def octets_of_fields(block: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield each field's name in lower case and its unfolded value; lines that are no field are skipped."""
    for line in re.split(rb"\r?\n", _FOLD.sub(b" ", block)):
        name = _FIELD.match(line)
        if name is not None:
            yield name.group(1).decode("ascii").lower(), line[name.end() :]


def decode_words(value: str) -> str:
    """A field's text with its encoded words (RFC 2047) decoded, on one line, and bounded."""
    value = value[:_MAX_ENCODED]
    try:
        chunks = decode_header(value)
    except (HeaderParseError, ValueError, LookupError, AssertionError, TypeError):
        chunks = [(value, None)]
    text = "".join(
        chunk if isinstance(chunk, str) else decode_bytes(chunk, charset or "utf-8")
        for chunk, charset in chunks
    )
    return bare(thin_marks(drop_controls(text)).replace("\n", " ").replace("\t", " "))[:MAX_SUBJECT]


def read_addresses(value: str) -> list[str]:
    """The addresses of a field in their comparable form, without display names and comments.

    Stricter than RFC 5322 where a lenient reader could be led to another mailbox than the authenticated one: an address
    outside quotes and comments is listed even if it is a display name.
    """
    found: list[str] = []
    for mailbox in _mailboxes(value):
        found.extend(comparable(match.group()) for match in _ADDRESS.finditer(mailbox))
        if len(found) >= MAX_ADDRESSES:
            break
    return list(dict.fromkeys(found))[:MAX_ADDRESSES]


def _read_author(value: str) -> list[str]:
    """The addresses in a From field; none if anything in it is neither an address nor a name beside one."""
    if _CONTROL.search(value):
        return []
    found: list[str] = []
    for mailbox in filter(str.strip, _mailboxes(value, is_colon_kept=True)):
        name, angle, rest = mailbox.partition("<")
        address = rest.rstrip() if angle else f"{name.strip()}>"
        if not address.endswith(">") or not _ADDRESS.fullmatch(address[:-1].strip()):
            return []
        found.append(comparable(address[:-1].strip()))
        # A name that looks like an address is one more author, unless it repeats this one: 'ben@x.org' <ben@x.org>
        beside = [comparable(each.group().strip("'")) for each in _ADDRESS.finditer(name)] if angle else []
        found += beside
    return list(dict.fromkeys(found))[:MAX_ADDRESSES]


def read_ids(values: Iterable[str]) -> list[str]:
    """The message ids of `In-Reply-To` or `References` without angle brackets; commas between them do not matter."""
    found: list[str] = []
    for value in values:
        listed = _ID.findall(value)
        if not listed:
            listed = [word.strip("<>") for word in _BETWEEN_IDS.split(value) if 0 < word.find("@") < 500]
        found.extend("".join(each.split()) for each in listed)
    return list(dict.fromkeys(each for each in found if each))[:MAX_IDS]


def _mailboxes(value: str, *, is_colon_kept: bool = False) -> list[str]:
    """The value cut at its commas, with comments and quoted display names blanked out; one pass, no recursion.

    A colon, which ends the name of a group, is blanked out unless it is kept.
    """
    boxes: list[str] = []
    text: list[str] = []
    comment, position, size = 0, 0, len(value)
    while position < size:
        sign = value[position]
        if sign == "\\" and position + 1 < size:
            position += 2
            continue
        if comment:
            comment += {"(": 1, ")": -1}.get(sign, 0)
        elif sign == "(":
            comment = 1
            text.append(" ")
        elif sign == '"':
            closing = _closing_quote(value, position + 1)
            quoted = value[position : closing + 1]
            text.append(quoted if value[closing + 1 : closing + 2] == "@" else " ")
            position = closing
        elif sign in ",;":
            boxes.append("".join(text))
            text.clear()
        elif sign == ":" and not is_colon_kept:
            text.append(" ")
        else:
            text.append(sign)
        position += 1
    boxes.append("".join(text))
    return boxes


def _closing_quote(value: str, start: int) -> int:
    position = start
    while position < len(value):
        if value[position] == "\\":
            position += 1
        elif value[position] == '"':
            return position
        position += 1
    return len(value) - 1
