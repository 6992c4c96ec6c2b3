"""Hosts that only the machine itself can reach."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address


def is_loopback(host: str) -> bool:
    """True for the machine itself: `localhost`, `127.0.0.1`, `::1`, `::ffff:127.0.0.1`."""
    if host == "localhost":
        return True
    try:
        ip = ip_address(host)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return ip.is_loopback
