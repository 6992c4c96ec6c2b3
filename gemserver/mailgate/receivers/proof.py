"""SPF, DKIM and DMARC of a mail that a stranger's server hands over (RFC 7208, 6376, 7489; mail-requirements.md S2).

For the built-in SMTP receiver alone: in every other way something in front of us has checked already. If DNS does not
answer in time, the sender counts as not proved, never as forged. Needs `requirements/mail.txt`.

The alignment is judged here, not by authheaders: it cuts domains off at a hyphen (0.16.3), so that
`example.org-attacker.net` would pass for `example.org`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, cast

from gemserver.lib.mail_address import domain_of
from gemserver.mailgate.reading.body import DECODE_ERRORS
from gemserver.mailgate.reading.header_fields import read_addresses
from gemserver.mailgate.receivers.recipients import header_of

PATIENCE = 5
"""Seconds for one DNS query."""
LONGEST = 20
"""Seconds for all queries of a mail."""
MOST_SIGNATURES = 5
NEEDED = ("spf", "dkim", "authheaders", "dns")
"""Modules of `requirements/mail.txt`, imported only where senders are checked."""


def is_possible() -> bool:
    """True if these modules are installed."""
    return all(find_spec(name) for name in NEEDED)


def prove(raw: bytes, host: str, mail_from: str, helo: str) -> dict[str, str]:
    """The verdicts `spf`, `dkim` and `dmarc`: `pass`, `fail` or `none`; `host` is the address of the sending server."""
    domain = _author_domain(raw)
    if domain is None:
        return {"spf": "none", "dkim": "none", "dmarc": "none"}
    spf, path = _spf(host, mail_from, helo)
    dkim, signers = _dkim(raw)
    proved = {"aspf": [path] if spf == "pass" else [], "adkim": signers}
    return {"spf": _plain(spf), "dkim": _plain(dkim), "dmarc": _dmarc(domain, proved, spf, dkim)}


def _author_domain(raw: bytes) -> str | None:
    authors = [address for value in header_of(raw).all("from") for address in read_addresses(value)]
    if len(authors) != 1:
        return None
    domain = domain_of(authors[0])
    return domain if domain.isascii() else None


def _spf(host: str, mail_from: str, helo: str) -> tuple[str, str]:
    """SPF's own verdict for the host, and the domain that it is about."""
    import spf
    from dns.exception import DNSException

    sender = mail_from or f"postmaster@{helo}"
    try:
        verdict, _ = spf.check2(i=host, s=sender, h=helo, timeout=PATIENCE, querytime=2 * PATIENCE)
    except (DNSException, *DECODE_ERRORS):
        return "temperror", ""
    return str(verdict), sender.rpartition("@")[2].lower()


def _dkim(raw: bytes) -> tuple[str, list[str]]:
    """DKIM's own verdict for the best signature, and the domains with a valid signature."""
    verdicts = list(_signatures(raw))
    signers = [domain for verdict, domain in verdicts if verdict == "pass"]
    words = {verdict for verdict, _ in verdicts}
    return next((word for word in ("pass", "temperror", "fail") if word in words), "none"), signers


def _signatures(raw: bytes) -> Iterator[tuple[str, str]]:
    import dkim
    from dkim.dnsplug import get_txt

    unanswered: list[bytes] = []

    def ask(name: bytes, timeout: int = PATIENCE) -> bytes | None:
        """Note queries that time out: dkimpy takes a silent name server for a bad signature."""
        try:
            return cast(bytes | None, get_txt(name, timeout))
        except dkim.DnsTimeoutError:
            unanswered.append(name)
            raise

    for index in range(min(len(header_of(raw).all("dkim-signature")), MOST_SIGNATURES)):
        unanswered.clear()
        try:
            message: Any = dkim.DKIM(raw, minkey=1024, timeout=PATIENCE)
            is_good = message.verify(idx=index, dnsfunc=ask)
            is_whole = b"l" not in message.signature_fields  # with l= anybody may have added to the text
            domain = (message.domain or b"").decode("ascii").lower()
        except (dkim.DKIMException, *DECODE_ERRORS):
            is_good, is_whole, domain = False, False, ""
        yield "temperror" if unanswered else "pass" if is_good and is_whole else "fail", domain


def _dmarc(domain: str, proved: Mapping[str, Sequence[str]], *verdicts: str) -> str:
    """Judge DMARC: an aligned pass is proof with or without a policy; failing needs a domain that has one.

    `proved`: the domains that SPF and DKIM have passed for, by the tag of the policy which says how they must be
    aligned: `s` for the very domain alone.
    """
    from dns.exception import DNSException

    if any(domain in others for others in proved.values()):
        return "pass"
    try:
        policy = _find_policy(domain)
    except DNSException:
        return "none"
    for tag, others in proved.items():
        if policy.get(tag, "r").lower() != "s" and any(_is_aligned(domain, other) for other in others):
            return "pass"
    return "none" if "temperror" in verdicts or not policy.get("p") else "fail"


def _find_policy(domain: str) -> Mapping[str, str]:
    """The tags of the domain's DMARC record, or of its organisation's; empty without one. Raises DNSException."""
    from authheaders.dmarc_lookup import DMARCException, receiver_record

    try:
        record, _ = receiver_record(domain, dnsfunc=_policy_text)
    except (DMARCException, *DECODE_ERRORS):
        return {}
    return record or {}


def _policy_text(name: str) -> str | None:
    """The only DMARC record there (RFC 7489 §6.6.3: several count as none)."""
    from dns.resolver import NXDOMAIN, NoAnswer, NoNameservers, resolve

    try:
        answer = resolve(name, "TXT", lifetime=PATIENCE)
    except (NXDOMAIN, NoAnswer, NoNameservers):
        return None
    texts = [b"".join(row.strings).decode("ascii", "replace") for row in answer]
    records = [text for text in texts if text.startswith("v=DMARC1")]
    return records[0] if len(records) == 1 else None


def _is_aligned(domain: str, other: str) -> bool:
    """True if both belong to one organisation: relaxed alignment (RFC 7489 §3.1)."""
    return bool(other) and _organisation(domain) == _organisation(other)


@lru_cache(maxsize=1000)
def _organisation(domain: str) -> str:
    from authheaders.dmarc_lookup import get_org_domain

    return str(get_org_domain(domain)).lower()


def _plain(verdict: str) -> str:
    return verdict if verdict in {"pass", "fail"} else "none"
