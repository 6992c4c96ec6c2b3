"""The visitor's address, taken from headers only where they can be believed."""

from __future__ import annotations

import pytest
from django.test import RequestFactory

from gemserver.lib.web.client_address import UNKNOWN, client_address, network_of

NGINX, VISITOR = "127.0.0.1", "192.0.2.7"


def address(proxies: int, settings, forwarded: str | None, connected: str = NGINX) -> str:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(RequestFactory().get("/", headers=headers, REMOTE_ADDR=connected))


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, None, NGINX),
        (0, VISITOR, NGINX),  # without a proxy of ours the header is the visitor's own
        (1, None, NGINX),
        (1, "  ", NGINX),
        (1, VISITOR, VISITOR),
        (1, f"198.51.100.1, {VISITOR}", VISITOR),
        (1, f"198.51.100.1,,, {VISITOR}", VISITOR),
        (2, f"198.51.100.1, {VISITOR}, 10.0.0.1", VISITOR),
        (2, VISITOR, VISITOR),  # a visitor who reached the second proxy past the first
        (1, f"{VISITOR}, ", UNKNOWN),
        (1, f"{VISITOR}, somebody", UNKNOWN),
        (1, "unix:", UNKNOWN),
        (1, f"{VISITOR}:4711", VISITOR),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "[2001:db8::1]:4711", "2001:db8::1"),
        (1, "[2001:db8::1]", "2001:db8::1"),
        (1, "2001:DB8:0::1", "2001:db8::1"),
        (1, "fe80::1%eth0", "fe80::1"),
        (1, f"::ffff:{VISITOR}", VISITOR),
        (1, f"{VISITOR}\x00", UNKNOWN),
    ],
)
def test_only_what_our_own_proxies_wrote_counts(settings, proxies, forwarded, expected) -> None:
    assert address(proxies, settings, forwarded) == expected


def test_a_web_process_on_a_unix_socket_knows_visitors_by_the_header_alone(settings) -> None:
    assert address(1, settings, VISITOR, connected="") == VISITOR
    assert address(1, settings, None, connected="") == UNKNOWN
    assert address(0, settings, VISITOR, connected="") == UNKNOWN


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_one_network_of_ipv6_is_one_host(host: str, network: str) -> None:
    assert network_of(host) == network
