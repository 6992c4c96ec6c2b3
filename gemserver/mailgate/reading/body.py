"""Chooses the one text of a mail that is read: MIME part, charset, wrapping, armour.

See mail-requirements.md M3–M8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message

from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.reading.charset import decode_bytes
from gemserver.mailgate.reading.flowed import unflow
from gemserver.mailgate.reading.html_text import html_to_marked_text, html_to_text
from gemserver.mailgate.reading.text_lines import MAX_TEXT, drop_controls, unify_line_ends

MAX_NESTING = 10
MAX_PARTS = 100
MAX_BYTES = 800_000
"""Bytes of one part that are decoded."""
REACTION_TYPE = "text/vnd.google.email-reaction+json"
LONGEST_EMOJI = 40
"""Characters; families of several people with skin tones take some fifteen."""

DECODE_ERRORS = (
    RecursionError,
    IndexError,
    LookupError,
    UnicodeError,
    ValueError,
    AssertionError,
    AttributeError,
    TypeError,
)
"""Errors that the standard library's parser raises on hostile input (mail-requirements.md M2)."""

_ARMOUR_HEAD = "-----BEGIN PGP SIGNED MESSAGE-----"
_ARMOUR_TAIL = "-----BEGIN PGP SIGNATURE-----"
_ARMOUR_SEALED = "-----BEGIN PGP MESSAGE-----"
_SEALED_TYPES = frozenset(("application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"))
_MARKUP = Pattern(r"<(?:html|body|!doctype|div|p|br)\b", re.IGNORECASE)


class SealedBody(Exception):
    """The text is encrypted, or wrapped so that it cannot be read without the sender's certificates."""


class DeepBody(Exception):
    """The mail has more nested, or more, parts than `MAX_NESTING` and `MAX_PARTS` allow."""


@dataclass(frozen=True, slots=True)
class Body:
    """The readable text and the mail's other content."""

    text: str
    has_attachments: bool
    beside: str = ""
    """The HTML part from `html_to_marked_text`, if `text` is the plain part."""
    reaction: str | None = None
    """The emoji of a reaction (`read_reaction`); empty for one that is malformed, None if this is no reaction."""


def read_body(message: Message, most: int = MAX_TEXT) -> Body:
    """The first plain text of the mail, else its first HTML as quote-marked text, else its preamble.

    `most`: characters of readable text that are looked at.

    Text parts after the first are list footers and the like; so is plain text behind an HTML part that says something,
    unless both are alternatives. Attachments and attached mails are neither opened nor decoded. Raises `SealedBody`,
    `DeepBody`.
    """
    plain: Message | None = None
    marked_up: Message | None = None
    of_html: Message | None = None
    reaction: Message | None = None
    has_attachments = is_sealed = is_footer = False
    for part, shown_once in _leaves(message):
        kind = part.get_content_type()
        is_sealed = is_sealed or kind in _SEALED_TYPES
        if _is_attachment(part):
            has_attachments = True
        elif kind == REACTION_TYPE:
            reaction = reaction or part
        elif kind == "text/plain":
            is_footer = is_footer or (plain is None and _is_behind(marked_up, of_html, shown_once))
            plain = plain or part
        elif kind == "text/html" and marked_up is None:
            marked_up, of_html = part, shown_once
    text, beside = _text_of(plain)[:most] if plain is not None else "", ""
    if marked_up is not None and (is_footer or not text.strip()):
        text = html_to_text(_text_of(marked_up), most) or text
    elif _MARKUP.match(text.lstrip()[:40]):
        text = html_to_text(text, most)
    elif plain is not None and marked_up is not None:
        beside = drop_controls(html_to_marked_text(_text_of(marked_up), most))
    if not text.strip() and message.get_content_maintype() == "multipart":
        text = _text_outside_parts(message)
    if is_sealed and not text.strip():
        raise SealedBody
    emoji = read_reaction(reaction) if reaction is not None else None
    return Body(without_armour(drop_controls(text))[:most], has_attachments, beside, emoji)


def _is_behind(marked_up: Message | None, of_html: Message | None, alternatives: Message | None) -> bool:
    """True if a plain part comes after the HTML part and is no other form of it."""
    return marked_up is not None and (alternatives is None or alternatives is not of_html)


def read_reaction(part: Message) -> str:
    """The emoji of a reaction, `{"version": 1, "emoji": "👍"}`; empty if it is malformed.

    The format: https://developers.google.com/workspace/gmail/reactions/format
    """
    raw = part.get_payload(decode=True)
    try:
        said = json.loads(decode_bytes(raw, "utf-8")) if isinstance(raw, bytes) and len(raw) < 1000 else None
    except (ValueError, RecursionError):
        return ""
    version = said.get("version") if isinstance(said, dict) else None
    if (
        not isinstance(said, dict)
        or type(version) is not int
        or version != 1
        or not isinstance(said.get("emoji"), str)
    ):
        return ""
    return str(said["emoji"])[:LONGEST_EMOJI]


def without_armour(text: str) -> str:
    """Strip the armour of an inline PGP-signed mail from its text. Raises `SealedBody` if it is encrypted."""
    if "-----BEGIN PGP" not in text:
        return text
    lines = text.split("\n")
    if any(line.strip() == _ARMOUR_SEALED for line in lines):
        raise SealedBody
    kept: list[str] = []
    place = "outside"
    for line in lines:
        mark = line.strip()
        if mark == _ARMOUR_HEAD:
            place = "head"
        elif mark == _ARMOUR_TAIL and place != "outside":
            place = "tail"
        elif mark == "-----END PGP SIGNATURE-----":
            place = "outside"
        elif place == "head":
            place = "text" if not mark else "head"
        elif place != "tail":
            kept.append(line[2:] if place == "text" and line.startswith("- ") else line)
    return "\n".join(kept)


def walk_parts(message: Message) -> Iterator[tuple[int, Message]]:
    """Every part with its depth, the mail itself first, in order and without recursion. Raises `DeepBody`."""
    waiting = [(0, message)]
    count = 0
    while waiting:
        depth, part = waiting.pop()
        count += 1
        if depth > MAX_NESTING or count > MAX_PARTS:
            raise DeepBody
        yield depth, part
        waiting.extend((depth + 1, child) for child in reversed(_children(part)))


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _leaves(message: Message) -> Iterator[tuple[Message, Message | None]]:
    """The parts without parts, each with the outermost alternatives that it is one of; none of an attached mail."""
    inside_attached = -1
    alternatives: tuple[int, Message] | None = None
    for depth, part in walk_parts(message):
        if 0 <= inside_attached < depth:
            continue
        inside_attached = -1
        if alternatives and depth <= alternatives[0]:
            alternatives = None
        if part.get_content_maintype() == "message":
            inside_attached = depth
        elif not _children(part):
            yield part, alternatives[1] if alternatives else None
        elif alternatives is None and part.get_content_type() == "multipart/alternative":
            alternatives = depth, part


def _is_attachment(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or part.get_filename() is not None


def _text_of(part: Message) -> str:
    raw = part.get_payload(decode=True)
    if not isinstance(raw, bytes):
        return ""
    text = unify_line_ends(decode_bytes(raw[:MAX_BYTES], _charset_of(part)))
    if part.get_content_type() != "text/plain":
        return text
    text = text[:MAX_TEXT]
    if str(part.get_param("format", "")).lower() == "flowed":
        return unflow(text, delete_space=str(part.get_param("delsp", "")).lower() == "yes")
    return text


def _text_outside_parts(message: Message) -> str:
    """The text of a multipart mail without parts, because its boundary is missing or wrong."""
    if _children(message):
        return ""
    payload = message.get_payload()
    found = message.preamble or (payload if isinstance(payload, str) else "")
    return unify_line_ends(decode_bytes(found.encode("utf-8", "surrogateescape"), None))[:MAX_TEXT]


def _charset_of(part: Message) -> str | None:
    try:
        return part.get_content_charset()
    except DECODE_ERRORS:
        return None
