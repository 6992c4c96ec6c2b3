"""SPF, DKIM and DMARC of a mail that a stranger's server hands over (RFC 7208, 6376, 7489; mail-requirements.md S2).

For the built-in SMTP receiver alone: in every other way something in front of us has checked already. If DNS does not
answer in time, the sender counts as not proved, never as forged. Needs `requirements/mail.txt`.

The alignment is judged here, not by authheaders: it cuts domains off at a hyphen (0.16.3), so that
`example.org-attacker.net` would pass for `example.org`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from gemserver.lib.text.mail_address import domain_of
from gemserver.mailgate.reading.body import DECODE_ERRORS
from gemserver.mailgate.receivers.recipients import header_of

PATIENCE = 5
"""Seconds for one DNS query."""
LONGEST = 20
"""Seconds for all queries of a mail."""
MOST_SIGNATURES = 5
"""Of the author's organisation; those of others prove nothing, and are not looked up."""
NEEDED = ("spf", "dkim", "authheaders", "dns")
"""Modules of `requirements/mail.txt`, imported only where senders are checked."""

_unheard = logging.getLogger(f"{__name__}.dkimpy")
_unheard.disabled = True  # what it says of a stranger's signature is the stranger's words


def is_possible() -> bool:
    """True if these modules are installed."""
    return all(find_spec(name) for name in NEEDED)


def prove(raw: bytes, host: str, mail_from: str, helo: str) -> dict[str, str]:
    """The verdicts `spf`, `dkim` and `dmarc`: `pass`, `fail` or `none`; `host` is the address of the sending server.

    `dkim` is that of the author's organisation. Takes `LONGEST` seconds at most, whatever name servers do.
    """
    domain = _author_domain(raw)
    if domain is None:
        return {"spf": "none", "dkim": "none", "dmarc": "none"}
    clock = _Clock(time.monotonic() + LONGEST)
    dkim, signers = _dkim(raw, domain, clock)
    spf, path = _spf(host, mail_from, helo, clock)
    proved = {"aspf": [path] if spf == "pass" else [], "adkim": signers}
    # A sender can sign for a domain of theirs, or name it as the mail's path, whose name server is silent: that the
    # author's could not be asked follows from the author's own domain alone.
    is_unknown = dkim == "temperror" or (spf == "temperror" and _is_aligned(domain, path))
    verdict = _dmarc(domain, proved, clock, is_unknown=is_unknown)
    return {"spf": _plain(spf), "dkim": _plain(dkim), "dmarc": verdict}


@dataclass(frozen=True, slots=True)
class _Clock:
    """When the queries of a mail must have come to an end."""

    ends: float

    def patience(self, most: float = PATIENCE) -> float:
        """Seconds that the next query may take; none left is as good as no answer."""
        return max(0.01, min(most, self.ends - time.monotonic()))


def _author_domain(raw: bytes) -> str | None:
    authors = header_of(raw).authors
    if len(authors) != 1:
        return None
    domain = domain_of(authors[0])
    return domain if domain.isascii() else None


def _spf(host: str, mail_from: str, helo: str, clock: _Clock) -> tuple[str, str]:
    """SPF's own verdict for the host, and the domain that it is about."""
    import spf

    sender = mail_from or f"postmaster@{helo}"
    path, most = domain_of(sender), clock.patience(2 * PATIENCE)
    try:
        verdict, _ = spf.check2(i=host, s=sender, h=helo, timeout=clock.patience(), querytime=most)
    except Exception:  # whatever a stranger's record makes the library raise: it proves nothing
        return "permerror", path
    return str(verdict), path


def _dkim(raw: bytes, domain: str, clock: _Clock) -> tuple[str, list[str]]:
    """DKIM's own verdict for the best signature of the author's organisation, and the domains with a valid one."""
    verdicts = list(_signatures(raw, domain, clock))
    signers = [signer for verdict, signer in verdicts if verdict == "pass"]
    words = {verdict for verdict, _ in verdicts}
    return next((word for word in ("pass", "temperror", "fail") if word in words), "none"), signers


def _signatures(raw: bytes, domain: str, clock: _Clock) -> Iterator[tuple[str, str]]:
    import dkim
    from dns.exception import DNSException

    unanswered: list[bytes] = []

    def ask(name: bytes, timeout: float = PATIENCE) -> bytes | None:
        """Note queries without an answer: dkimpy takes a silent or broken name server for a bad signature."""
        try:
            return next(iter(_texts(name.decode("ascii"), clock)), None)
        except DNSException:
            unanswered.append(name)
            raise dkim.DnsTimeoutError from None

    signed = [_signer(value) for value in header_of(raw).all("dkim-signature")]
    own = [index for index, signer in enumerate(signed) if _is_aligned(domain, signer)]
    for index in own[:MOST_SIGNATURES]:
        unanswered.clear()
        try:
            message: Any = dkim.DKIM(raw, logger=_unheard, minkey=1024)
            is_good = message.verify(idx=index, dnsfunc=ask)
            is_whole = b"l" not in message.signature_fields  # with l= anybody may have added to the text
            signer = (message.domain or b"").decode("ascii").lower()
        except Exception:  # whatever a stranger's signature makes the library raise: it proves nothing
            is_good, is_whole, signer = False, False, ""
        yield "temperror" if unanswered else "pass" if is_good and is_whole else "fail", signer


def _signer(signature: str) -> str:
    """The domain of a signature (RFC 6376 §3.5, `d=`), as it says itself."""
    tags = (tag.partition("=") for tag in signature.split(";"))
    return next(("".join(value.split()).lower() for name, _, value in tags if name.strip() == "d"), "")


def _dmarc(domain: str, proved: Mapping[str, Sequence[str]], clock: _Clock, *, is_unknown: bool) -> str:
    """Judge DMARC: an aligned pass is proof with or without a policy; failing needs a domain that has one.

    `proved`: the domains that SPF and DKIM have passed for, by the tag of the policy which says how they must be
    aligned: `s` for the very domain alone. `is_unknown`: something that might have passed could not be asked about.
    """
    from dns.exception import DNSException

    if any(domain in others for others in proved.values()):
        return "pass"
    try:
        policy = _find_policy(domain, clock)
    except DNSException:
        return "none"
    for tag, others in proved.items():
        if policy.get(tag, "r").lower() != "s" and any(_is_aligned(domain, other) for other in others):
            return "pass"
    return "none" if is_unknown or not policy.get("p") else "fail"


def _find_policy(domain: str, clock: _Clock) -> Mapping[str, str]:
    """The tags of the domain's DMARC record, or of its organisation's; empty without one. Raises DNSException."""
    from authheaders.dmarc_lookup import DMARCException, lookup_receiver_record

    def ask(name: str) -> str | None:
        """The only DMARC record there (RFC 7489 §6.6.3: several count as none)."""
        texts = [text.decode("ascii", "replace") for text in _texts(name, clock)]
        records = [text for text in texts if text.startswith("v=DMARC1")]
        return records[0] if len(records) == 1 else None

    try:
        found = (lookup_receiver_record(name, dnsfunc=ask) for name in (domain, _organisation(domain)))
        return next((record for record in found if record), {})
    except (DMARCException, *DECODE_ERRORS):
        return {}


def _texts(name: str, clock: _Clock) -> list[bytes]:
    """The TXT records of this name. Raises DNSException where name servers are silent or cannot find out."""
    from dns.exception import DNSException, Timeout
    from dns.resolver import NoNameservers, NoResolverConfiguration, resolve

    try:
        answer = resolve(name, "TXT", lifetime=clock.patience(), search=False)
    except (Timeout, NoNameservers, NoResolverConfiguration):
        raise
    except DNSException:  # there is none, or the sender has made up what is no name at all
        return []
    return [b"".join(row.strings) for row in answer]


def _is_aligned(domain: str, other: str) -> bool:
    """True if both belong to one organisation: relaxed alignment (RFC 7489 §3.1)."""
    return bool(other) and _organisation(domain) == _organisation(other)


@lru_cache(maxsize=1000)
def _organisation(domain: str) -> str:
    return str(_public_suffixes().get_public_suffix(domain)).lower()


@lru_cache(maxsize=1)
def _public_suffixes() -> Any:
    """The list of authheaders, read once: it would read it for each domain, and a sender names a hundred of them."""
    from authheaders.dmarc_lookup import PublicSuffixList

    with files("authheaders").joinpath("public_suffix_list.txt").open(encoding="utf-8") as lines:
        return PublicSuffixList(lines)


def _plain(verdict: str) -> str:
    return verdict if verdict in {"pass", "fail"} else "none"
