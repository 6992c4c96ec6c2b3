"""Translates the verdicts of providers and mail servers on a sender into the words that `ingest` keeps."""

from __future__ import annotations

import re

from gemserver.mailgate.reading.header_fields import HeaderFields

_WORD = re.compile(r"\s*([A-Za-z]{1,12})")
_SIGNED = re.compile(r"\s*@([a-z0-9.-]{1,253})\s*:\s*([a-z]{1,12})\s*", re.IGNORECASE)
"""One of SendGrid's `{@example.org : pass, @list.example : fail}`."""


def only_word(values: list[str]) -> str:
    """The first word of the only value in lower case; `none` if there is none, or several that may differ."""
    word = _WORD.match(values[0]) if len(values) == 1 else None
    return word.group(1).lower() if word else "none"


def dkim_verdict(listed: str, header: HeaderFields) -> str:
    """`pass` if one of SendGrid's signatures is good and of the author's own domain or one above it."""
    authors = header.authors
    domain = authors[0].rpartition("@")[2] if len(authors) == 1 else ""
    told = [_SIGNED.fullmatch(each) for each in listed[:2000].strip("{} ").split(",")]
    if not domain or None in told:
        return "none"
    found = [(each[1].lower(), each[2].lower()) for each in told if each]
    passed = {name for name, verdict in found if verdict == "pass"}
    # A domain in a signature is chosen by its sender, and could look like two signatures with verdicts.
    in_doubt = {name for name, verdict in found if verdict != "pass"}
    genuine = passed - in_doubt
    if header.has("dkim-signature"):
        genuine &= _signers(header)
    return "pass" if any(_is_of(domain, name) for name in genuine) else "none"


def _signers(header: HeaderFields) -> set[str]:
    """The domains of the mail's signatures (RFC 6376 §3.5, `d=`)."""
    tags = [tag.partition("=") for value in header.all("dkim-signature") for tag in value.split(";")]
    return {"".join(value.split()).lower() for name, _, value in tags if name.strip() == "d"}


def _is_of(domain: str, signer: str) -> bool:
    return domain == signer or ("." in signer and domain.endswith(f".{signer}"))
