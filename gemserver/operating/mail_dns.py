"""Checks the DNS records without which our mail does not arrive, nor mail to us (mail-requirements.md U4)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, TypeAlias

import dns.exception
import dns.resolver
import dns.reversename
import spf
from django.utils.translation import gettext as _

from gemserver.lib.process.findings import Finding

Address: TypeAlias = IPv4Address | IPv6Address

LIFETIME = 5
"""Seconds for one query."""
SHORTEST_KEY = 160
"""Bytes of an RSA key of 1024 bits in a DKIM record; receivers accept no shorter one."""


class NoAnswer(Exception):
    """The name servers did not answer: nothing is known."""


class Records:
    """DNS queries; a name that does not exist gives an empty list. Raises NoAnswer."""

    def __init__(self, nameserver: str = "", port: int = 53) -> None:
        """Ask the machine's own resolvers, or the one at this address. Raises NoAnswer where it has none."""
        try:
            self._resolver = dns.resolver.Resolver(configure=not nameserver)
        except dns.exception.DNSException as error:
            raise NoAnswer(_("this machine names no name server")) from error
        if nameserver:
            self._resolver.nameservers, self._resolver.port = [nameserver], port
        self._resolver.lifetime = LIFETIME

    def texts(self, name: str) -> list[str]:
        return [b"".join(row.strings).decode("utf-8", "replace") for row in self._ask(name, "TXT")]

    def mail_hosts(self, domain: str) -> list[str]:
        """The MX hosts, the preferred first; an empty name means that the domain takes no mail (RFC 7505)."""
        rows = sorted(self._ask(domain, "MX"), key=lambda row: (row.preference, str(row.exchange)))
        return [str(row.exchange).rstrip(".").lower() for row in rows]

    def addresses(self, host: str) -> list[Address]:
        return [ip_address(row.address) for kind in ("A", "AAAA") for row in self._ask(host, kind)]

    def names(self, address: Address) -> list[str]:
        rows = self._ask(str(dns.reversename.from_address(str(address))), "PTR")
        return [str(row.target).rstrip(".").lower() for row in rows]

    def spf(self, domain: str, address: Address) -> tuple[str, str]:
        """The domain's verdict on mail from this address (RFC 7208), in pyspf's words, and the reason."""
        usual, dns.resolver.default_resolver = dns.resolver.default_resolver, self._resolver
        try:
            verdict, _code, reason = spf.query(str(address), f"postmaster@{domain}", domain).check()
        finally:
            dns.resolver.default_resolver = usual
        return verdict, reason

    def _ask(self, name: str, kind: str) -> Sequence[Any]:
        try:
            return list(self._resolver.resolve(name, kind, search=False))
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return []
        except dns.exception.DNSException as error:
            raise NoAnswer(_("no answer about %(name)s (%(kind)s)") % {"name": name, "kind": kind}) from error


@dataclass(frozen=True, slots=True)
class Sender:
    """This server's way of sending and receiving, for which the records are looked up."""

    domain: str
    """Of `From:` and of the reply addresses."""
    selectors: Sequence[str] = ()
    """Names of the DKIM keys."""
    sends_itself: bool = True
    """Through a mail server on this machine; otherwise a relay or provider has an address of its own."""
    addresses: Sequence[Address] = ()
    """Addresses that mail leaves from, if known."""


def examine(records: Records, sender: Sender) -> Iterator[Finding]:
    """Check everything, in the order in which to put it right. Raises NoAnswer."""
    yield from _examine_mx(records, sender)
    addresses = sender.addresses or (_own_addresses(records, sender) if sender.sends_itself else ())
    yield from _examine_spf(records, sender, addresses)
    yield from _examine_dkim(records, sender)
    yield from _examine_dmarc(records, sender)
    if sender.sends_itself:
        yield from _examine_names(records, addresses)


def _own_addresses(records: Records, sender: Sender) -> list[Address]:
    """The addresses that receive for the domain: on a machine of one's own they also send."""
    return [
        address for host in records.mail_hosts(sender.domain) if host for address in records.addresses(host)
    ]


def _examine_mx(records: Records, sender: Sender) -> Iterator[Finding]:
    hosts = records.mail_hosts(sender.domain)
    if not hosts:
        advice = _(
            "Publish `%(domain)s. MX 10 HOST.`, HOST being the machine that takes the mail; answers go there."
        )
        yield Finding("MX", _("none"), advice % {"domain": sender.domain})
    for host in hosts:
        if not host:
            advice = _("Remove the empty MX record: it says that the domain takes no mail.")
            yield Finding("MX", ".", advice)
        elif not (addresses := records.addresses(host)):
            advice = _("Publish an A or AAAA record for %(host)s.")
            yield Finding("MX", _("%(host)s, without an address") % {"host": host}, advice % {"host": host})
        else:
            yield Finding("MX", f"{host} ({', '.join(map(str, addresses))})")


def _examine_spf(records: Records, sender: Sender, addresses: Sequence[Address]) -> Iterator[Finding]:
    example = " ".join(["v=spf1", *(f"ip{address.version}:{address}" for address in addresses), "mx -all"])
    policies = [text for text in records.texts(sender.domain) if text.lower().split(" ")[0] == "v=spf1"]
    if not policies:
        advice = _(
            'Publish `%(domain)s. TXT "%(example)s"`, with what your relay or provider asks for in it.'
        )
        yield Finding("SPF", _("none"), advice % {"domain": sender.domain, "example": example})
    elif len(policies) > 1:
        advice = _("Make one record of them: with two, no mail passes.")
        yield Finding("SPF", _("%(count)d records") % {"count": len(policies)}, advice)
    else:
        yield _judge_spf(records, sender, policies[0], addresses)


def _judge_spf(records: Records, sender: Sender, policy: str, addresses: Sequence[Address]) -> Finding:
    nobody = ip_address("203.0.113.255")  # RFC 5737
    verdicts = {address: records.spf(sender.domain, address) for address in (*addresses, nobody)}
    for verdict, reason in verdicts.values():
        if verdict == "temperror":
            raise NoAnswer(reason)
        if verdict == "permerror":
            error = reason.removeprefix("SPF Permanent Error: ")
            return Finding("SPF", policy, _("Correct it: %(error)s.") % {"error": error})
    refused = [str(address) for address in addresses if verdicts[address][0] != "pass"]
    if refused:
        advice = _("Add %(addresses)s, from which mail leaves; or name others with --address.")
        words = " ".join(f"ip{ip_address(address).version}:{address}" for address in refused)
        return Finding("SPF", policy, advice % {"addresses": words})
    if verdicts[nobody][0] not in {"fail", "softfail"}:
        return Finding("SPF", policy, _("End it with `-all`: it lets everybody send in your name."))
    return Finding("SPF", policy)


def _examine_dkim(records: Records, sender: Sender) -> Iterator[Finding]:
    if not sender.selectors:
        advice = _(
            "Sign your mail (OpenDKIM, rspamd, or your provider), and set MAIL_DKIM_SELECTORS to the key's name."
        )
        yield Finding("DKIM", _("no selector is set"), advice)
    for selector in sender.selectors:
        name = f"{selector}._domainkey.{sender.domain}"
        keys = [text for text in records.texts(name) if "p" in _tags(text)]
        advice = _dkim_advice(name, keys)
        found = _("a key") if keys else _("none")
        yield Finding("DKIM", f"{name}: {found}", advice)


def _dkim_advice(name: str, keys: Sequence[str]) -> str:
    if not keys:
        advice = _('Publish `%(name)s. TXT "v=DKIM1; k=rsa; p=KEY"`, or the CNAME that your provider names.')
        return advice % {"name": name}
    if len(keys) > 1:
        return _("Leave one key under this name; make another selector for the other.")
    tags = _tags(keys[0])
    if not tags["p"]:
        return _("The key is revoked: publish a new one.")
    try:
        key = base64.b64decode("".join(tags["p"].split()), validate=True)
    except binascii.Error:
        return _("The key is damaged: copy it anew, in one piece.")
    if tags.get("k", "rsa") == "rsa" and len(key) < SHORTEST_KEY:
        return _("The key is too short to be believed: make one of 2048 bits.")
    return ""


def _examine_dmarc(records: Records, sender: Sender) -> Iterator[Finding]:
    for domain in _domain_and_parents(sender.domain):
        policies = [text for text in records.texts(f"_dmarc.{domain}") if _tags(text).get("v") == "DMARC1"]
        if len(policies) > 1:
            advice = _("Make one record of them: with two, there is none.")
            yield Finding("DMARC", _("%(count)d records") % {"count": len(policies)}, advice)
            return
        if policies:
            policy = _tags(policies[0]).get("p", "").lower()
            advice = (
                ""
                if policy in {"none", "quarantine", "reject"}
                else _("Say `p=none`, `quarantine` or `reject`.")
            )
            yield Finding("DMARC", f"_dmarc.{domain}: {policies[0]}", advice)
            return
    advice = _(
        'Publish `_dmarc.%(domain)s. TXT "v=DMARC1; p=quarantine"`; large providers take no mail without it.'
    )
    yield Finding("DMARC", _("none"), advice % {"domain": sender.domain})


def _domain_and_parents(domain: str) -> Iterator[str]:
    labels = domain.split(".")
    for start in range(max(len(labels) - 1, 1)):
        yield ".".join(labels[start:])


def _examine_names(records: Records, addresses: Sequence[Address]) -> Iterator[Finding]:
    for address in addresses:
        names = records.names(address)
        if not names:
            advice = _("Ask whoever gave you the address for a reverse record with the name of the machine.")
            yield Finding("PTR", _("%(address)s: none") % {"address": address}, advice)
        elif not any(address in records.addresses(name) for name in names):
            advice = _(
                "Publish an address record of %(name)s for %(address)s: name and address must name each other."
            )
            yield Finding("PTR", f"{address}: {names[0]}", advice % {"name": names[0], "address": address})
        else:
            yield Finding("PTR", f"{address}: {names[0]}")


def _tags(text: str) -> dict[str, str]:
    """Parse `v=DKIM1; p=…` into names and values (RFC 6376 §3.2)."""
    pairs = (part.partition("=") for part in text.split(";"))
    return {name.strip().lower(): value.strip() for name, equals, value in pairs if equals}
