"""The network address of the visitor, behind any number of proxies."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "0.0.0.0"
"""RFC 1122 §3.2.1.3 has it for "no address". Visitors who cannot be told apart share their limits."""


def client_address(request: HttpRequest) -> str:
    """Return the visitor's IP address; an IPv4 address that arrives in IPv6 form is written as IPv4.

    Each of our proxies appends the address of its client to `X-Forwarded-For`, so only the last `PROXY_COUNT` entries
    count; those before them were written by the visitor. Where gunicorn listens on a UNIX socket there is no other
    address, and without the header it is `UNKNOWN`.
    """
    proxies: int = settings.ALLAUTH_TRUSTED_PROXY_COUNT
    forwarded = request.headers.get("X-Forwarded-For", "") if proxies else ""
    if not forwarded.strip():
        return _read(request.META.get("REMOTE_ADDR", "")) or UNKNOWN
    entries = forwarded.rsplit(",", proxies)[-proxies:]
    return _read(entries[0]) or UNKNOWN


def network_of(host: str) -> str:
    """The smallest network that one person has: an IPv4 address or an IPv6 /64. Other texts are returned as is."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ip_network((address, 64), strict=False))
    return str(address)


def _read(text: str) -> str:
    """The address in `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` or `[2001:db8::1]:4711`; empty for anything else."""
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    return str(address)
