"""What providers and mail servers say of a sender, as the words that `ingest` keeps."""

from __future__ import annotations

import re

from gemserver.mailgate.reading.header_fields import HeaderFields, read_addresses

_WORD = re.compile(r"\s*([A-Za-z]{1,12})")
_SIGNED = re.compile(r"@([^\s:@{},]{1,253})\s*:\s*([a-z]{1,12})", re.IGNORECASE)
"""SendGrid's `{@example.org : pass, @list.example : fail}`."""


def only_word(values: list[str]) -> str:
    """The first word of the one value in lower case; `none` when there is none, or several that may differ."""
    word = _WORD.match(values[0]) if len(values) == 1 else None
    return word.group(1).lower() if word else "none"


def dkim_verdict(listed: str, header: HeaderFields) -> str:
    """`pass` when one of SendGrid's signatures is good and of the author's own domain or one above it."""
    authors = [address for value in header.all("from") for address in read_addresses(value)]
    domain = authors[0].rpartition("@")[2] if len(authors) == 1 else ""
    signed = [name.lower() for name, verdict in _SIGNED.findall(listed[:2000]) if verdict.lower() == "pass"]
    return "pass" if domain and any(_is_of(domain, name) for name in signed) else "none"


def _is_of(domain: str, signer: str) -> bool:
    return domain == signer or ("." in signer and domain.endswith(f".{signer}"))
