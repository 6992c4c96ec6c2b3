"""`mailto:` links that open a ready reply."""

from __future__ import annotations

from urllib.parse import quote, urlencode


def mailto(address: str, subject: str, body: str) -> str:
    """The link; blanks become `%20`, because mail programs show a `+` as it is (RFC 6068 §5)."""
    query = urlencode({"subject": subject, "body": body}, quote_via=quote)
    return f"mailto:{address}?{query}"
