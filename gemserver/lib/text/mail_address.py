"""Compares mail addresses."""

from __future__ import annotations

import string

import idna

LONGEST_DOMAIN = 253
"""Octets of a domain (RFC 1035 §2.3.4); a longer one is compared as it is."""

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def comparable(address: str) -> str:
    """The one form in which addresses are kept and compared.

    Only A to Z are put in lower case: `str.lower`, `casefold` and databases also turn other letters into these (U+212A,
    the Kelvin sign, into `k`), so that somebody else's address would pass for a player's. A domain is in its ASCII form
    (IDNA 2008, RFC 5891); one that has none stays as it is, and equals no ASCII one.
    """
    local, sign, domain = address.translate(_LOWER).rpartition("@")
    return f"{local}{sign}{_ascii_domain(domain)}"


def domain_of(address: str) -> str:
    """The domain, as `comparable` writes it."""
    return comparable(address).rpartition("@")[2]


def _ascii_domain(domain: str) -> str:
    if domain.isascii() or len(domain) > LONGEST_DOMAIN:
        return domain
    try:
        # Strict: a full-width dot is no dot.
        return idna.encode(domain, strict=True).decode("ascii")
    except idna.IDNAError:
        return domain
