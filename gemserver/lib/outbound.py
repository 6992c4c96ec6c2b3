"""Requests to addresses that other people have named: never into our own network, never large, never slow.

A name is resolved once, every address it has is judged, and the connection goes to the very address that was judged, so
that a name that changes meanwhile (rebinding) leads nowhere else. Redirects are not followed, proxies not asked, and of
an answer nothing is read behind its header.
"""

from __future__ import annotations

import ipaddress
import math
import re
import ssl
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException
from socket import SHUT_RDWR, socket
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

import idna
from django.conf import settings
from django.utils.http import parse_http_date_safe

from gemserver.lib import clock

if TYPE_CHECKING:
    from urllib3.connection import HTTPConnection

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

STEP = 3.0
"""Seconds for each of: the name server, connecting, the TLS handshake."""
LONGEST = 8.0
"""Seconds after which a connection is cut, whatever has come by then."""
AT_MOST = LONGEST + 2 * STEP
"""Seconds that a request takes at most: connecting and a handshake that begin just before it is cut."""
MOST_ADDRESSES = 3
PORTS: Mapping[str, int] = {"https": 443, "http": 80}
LONGEST_URL = 2000

_NEVER = tuple(
    ipaddress.ip_network(text)
    for text in (
        # Addresses that lead to an IPv4 address inside them: 6to4 and its relays, Teredo.
        *("2002::/16", "2001::/32", "192.88.99.0/24"),
        # Documentation, which no older Python knows to be private.
        *("3fff::/20", "2001:db8::/32"),
    )
)
_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
"""All that is given out; outside of it are mapped, compatible and translated IPv4 (NAT64), and local addresses."""


class Unsent(Exception):
    """No answer. `code`: address (not allowed), name (unknown), network (refused, broken off), tls, slow."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Answer:
    """Status of an answer, and the seconds that it asks us to wait (`Retry-After`)."""

    status: int
    retry_after: int = 0


@dataclass(frozen=True, slots=True)
class Target:
    """Where an address leads: scheme, host name in ASCII or address, port, and what the request line names."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """Scheme, host and port as RFC 6454 writes them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + ("" if self.port == PORTS[self.scheme] else f":{self.port}")


def send(method: str, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send one request and return how it was answered. Raises Unsent."""
    target = read_target(url)
    until = time.monotonic() + LONGEST
    for address in judge(target)[:MOST_ADDRESSES]:
        if time.monotonic() >= until:
            raise Unsent("slow")
        try:
            return _ask(target, address, until, method, body, headers)
        except ConnectionError:
            continue  # nothing was sent yet
    raise Unsent("network")


def read_target(url: str) -> Target:
    """Take the address apart. Raises Unsent(address) for one that is no plain HTTP address."""
    if not re.fullmatch(rf"https?://[!-~\u00a1-\uffff]{{1,{LONGEST_URL}}}", url):
        raise Unsent("address")
    try:
        parts = urlsplit(url)
        host, port = _in_ascii(parts.hostname or ""), parts.port or PORTS[parts.scheme]
    except ValueError:  # idna's errors too
        raise Unsent("address") from None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not host or "@" in parts.netloc or not path.isascii():
        raise Unsent("address")
    return Target(parts.scheme, host, port, path)


def _in_ascii(host: str) -> str:
    with suppress(ValueError):
        return str(ipaddress.ip_address(host))
    return idna.encode(host.rstrip("."), uts46=True).decode()


def is_literal(target: Target) -> bool:
    """True if it names an address instead of a host, so that it can be judged without asking anybody."""
    with suppress(ValueError):
        return bool(ipaddress.ip_address(target.host))
    return False


def judge(target: Target) -> list[Address]:
    """The addresses of the target, all of which may be asked. Raises Unsent(address, name)."""
    found = _resolve(target.host)
    exemptions = [read_exemption(text) for text in settings.HOOK_HOSTS]
    for address in found:
        is_usual = is_public(address) and target.port in PORTS.values()
        if not is_usual and not any(each.covers(target, address) for each in exemptions):
            raise Unsent("address")
    return found


def _resolve(host: str) -> list[Address]:
    """Ask the name servers of this machine; its table of hosts is not read."""
    with suppress(ValueError):
        return [ipaddress.ip_address(host)]
    import dns.exception
    import dns.resolver

    try:
        answers = dns.resolver.get_default_resolver().resolve_name(host, lifetime=STEP)
        return [ipaddress.ip_address(text) for text in dict.fromkeys(answers.addresses())]
    except dns.exception.DNSException:
        raise Unsent("name") from None


def is_public(address: Address) -> bool:
    """True for an address that anybody on the internet can have: none of ours, of a cloud's, or of a tunnel."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _GLOBAL_IPV6:
        return False
    if any(address in network for network in _NEVER if network.version == address.version):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


@dataclass(frozen=True, slots=True)
class Exemption:
    """An entry of HOOK_HOSTS: a host or network that hooks may lead to although it is not public, or at that port."""

    host: str
    network: Network | None
    port: int | None

    def covers(self, target: Target, address: Address) -> bool:
        is_there = address in self.network if self.network else target.host == self.host
        return is_there and target.port in ([self.port] if self.port else PORTS.values())


def read_exemption(text: str) -> Exemption:
    """Read `host`, `host:8080`, `10.1.2.3`, `10.1.0.0/16:8080`, `[fd00::/8]:8080`. Raises ValueError."""
    found = re.fullmatch(r"(\[[0-9a-fA-F:./]+\]|[^\[\]:\s]+)(?::(\d{1,5}))?", text)
    if not found:
        raise ValueError(text)
    place, port = found.group(1).strip("[]").lower(), int(found.group(2) or 0)
    if port > 65535:
        raise ValueError(text)
    if re.search(r"[/:]|^[0-9.]+$", place):
        return Exemption("", ipaddress.ip_network(place), port or None)
    return Exemption(idna.encode(place, uts46=True).decode(), None, port or None)


def _ask(
    target: Target, address: Address, until: float, method: str, body: bytes, headers: Mapping[str, str]
) -> Answer:
    """Ask this very address, under the name of the target. Raises ConnectionError if it cannot be reached, Unsent."""
    from urllib3.exceptions import HTTPError, SSLError

    connection = _connection(target, address, min(STEP, until - time.monotonic()))
    try:
        try:
            connection.connect()
        except (SSLError, ssl.SSLError):
            raise Unsent("tls") from None
        except (HTTPError, OSError):
            raise ConnectionError from None
        left = until - time.monotonic()
        if left <= 0:
            raise Unsent("slow")
        try:
            with _cut_after(left, connection):
                connection.request(
                    method, target.path, body, _headers(target, headers), preload_content=False
                )
                answer = connection.getresponse()
        except (HTTPError, HTTPException, OSError, ValueError):
            raise Unsent("slow" if time.monotonic() >= until else "network") from None
        if time.monotonic() >= until:  # cut off within its header
            raise Unsent("slow")
        return Answer(answer.status, _read_wait(answer.headers.get("Retry-After", "")))
    finally:
        connection.close()


def _read_wait(text: str) -> int:
    """The seconds until then: a number of them, or a date (RFC 9110 10.2.3); 0 for anything else, and for the past."""
    if re.fullmatch(r"\d{1,9}", text):
        return int(text)
    date = parse_http_date_safe(text)
    return 0 if date is None else max(0, math.ceil(date - clock.now().timestamp()))


def _connection(target: Target, address: Address, timeout: float) -> HTTPConnection:
    from urllib3.connection import HTTPConnection, HTTPSConnection

    if target.scheme == "http":
        return HTTPConnection(str(address), target.port, timeout=timeout)
    return HTTPSConnection(
        str(address),
        target.port,
        timeout=timeout,
        ssl_context=ssl.create_default_context(),
        server_hostname=target.host,
    )


def _headers(target: Target, headers: Mapping[str, str]) -> dict[str, str]:
    return {
        "Host": target.origin.partition("://")[2],
        "User-Agent": "gemserver",
        "Accept-Encoding": "identity",
        "Connection": "close",
        **headers,
    }


@contextmanager
def _cut_after(seconds: float, connection: HTTPConnection) -> Iterator[None]:
    """Cut the connection after this time: a timeout of the socket begins anew with every byte that drips in."""
    assert connection.sock is not None
    connection.sock.settimeout(seconds)
    timer = threading.Timer(seconds, _shut, [connection.sock])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut(connected: socket) -> None:
    with suppress(OSError):
        # Not the method of a TLS socket, which would take its state from under the thread that reads.
        socket.shutdown(connected, SHUT_RDWR)


def wrong_exemptions(texts: Iterable[str]) -> list[str]:
    """Those entries of HOOK_HOSTS that cannot be read."""
    wrong = []
    for text in texts:
        try:
            read_exemption(text)
        except ValueError:
            wrong.append(text)
    return wrong
