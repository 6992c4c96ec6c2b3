"""Whether a domain lets an address send in its name (RFC 7208), as far as records without macros say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Protocol, TypeAlias

from django.utils.translation import gettext as _

Address: TypeAlias = IPv4Address | IPv6Address

MOST_LOOKUPS = 10
"""§4.6.4; a record that needs more is none."""


class SpfResult(Enum):
    PASS = "+"
    FAIL = "-"
    SOFT_FAIL = "~"
    NEUTRAL = "?"


class SpfError(Exception):
    """The record cannot be used by anybody; the text says why."""


class Lookup(Protocol):
    """What is asked of the DNS."""

    def texts(self, name: str) -> list[str]: ...
    def mail_hosts(self, domain: str) -> list[str]: ...
    def addresses(self, host: str) -> list[Address]: ...


def evaluate(records: Lookup, domain: str, address: Address) -> SpfResult:
    """What the domain says about mail from this address. Raises SpfError."""
    return _Evaluation(records, address).judge(domain)


@dataclass
class _Evaluation:
    records: Lookup
    address: Address
    lookups: int = 0

    def judge(self, domain: str) -> SpfResult:
        redirect = ""
        for term in self._terms(domain):
            if term.lower().startswith("redirect="):
                redirect = term.partition("=")[2]
            elif "=" not in term.partition(":")[0].partition("/")[0] and self._matches(
                term.lstrip("+-~?"), domain
            ):
                return SpfResult(term[0]) if term[0] in "+-~?" else SpfResult.PASS
        if redirect:
            self._count()
            return self.judge(redirect)
        return SpfResult.NEUTRAL

    def _terms(self, domain: str) -> Sequence[str]:
        policies = [text for text in self.records.texts(domain) if text.lower().split(" ")[0] == "v=spf1"]
        if len(policies) != 1:
            raise SpfError(
                _("%(domain)s has %(count)d SPF records") % {"domain": domain, "count": len(policies)}
            )
        return policies[0].split()[1:]

    def _matches(self, mechanism: str, domain: str) -> bool:
        body, _slash, mask = mechanism.partition("/")
        name, _colon, value = body.partition(":")
        match name.lower():
            case "all":
                return True
            case "ip4" | "ip6":
                return self._is_within(mechanism.partition(":")[2])
            case "a":
                self._count()
                return self._is_near(self.records.addresses(value or domain), mask)
            case "mx":
                self._count()
                hosts = self.records.mail_hosts(value or domain)
                return self._is_near(
                    [found for host in hosts if host for found in self.records.addresses(host)], mask
                )
            case "include":
                self._count()
                return self.judge(value) is SpfResult.PASS
            case "exists" | "ptr":
                self._count()
                return False  # they depend on who sends to whom
            case _:
                raise SpfError(_("“%(term)s” means nothing") % {"term": mechanism})

    def _is_within(self, network: str) -> bool:
        try:
            return self.address in ip_network(network, strict=False)
        except ValueError:
            raise SpfError(_("“%(term)s” is no network") % {"term": network}) from None

    def _is_near(self, addresses: Sequence[Address], mask: str) -> bool:
        """Whether the address is one of these, or in their networks: `/24//64` for the two versions."""
        four, _slashes, six = mask.partition("/")
        prefix = four if self.address.version == 4 else six.lstrip("/")
        same = [found for found in addresses if found.version == self.address.version]
        return any(self._is_within(f"{found}/{prefix}" if prefix else str(found)) for found in same)

    def _count(self) -> None:
        self.lookups += 1
        if self.lookups > MOST_LOOKUPS:
            raise SpfError(_("it needs more than %(most)d look-ups") % {"most": MOST_LOOKUPS})
