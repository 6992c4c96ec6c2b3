"""Requests to other people's addresses: never into our own network, never large, never slow."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address
from pathlib import Path

import dns.resolver
import pytest
from pytest_django import Settings

from gemserver.lib import outbound
from gemserver.lib.outbound import Unsent, is_public, judge, read_target, send
from tests.channels.receivers import drip, flood, hang, receiver
from tests.operating.name_server import Zone, name_server
from tests.services.certificates import make_certificate


def post(url: str) -> outbound.Answer:
    return send("POST", url, b"{}", {"Content-Type": "application/json"})


def ask_only(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let names be asked of this name server."""
    resolver = dns.resolver.Resolver(configure=False)
    host, port = place.split(":")
    resolver.nameservers, resolver.port = [host], int(port)
    monkeypatch.setattr(dns.resolver, "default_resolver", resolver)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *(
            "100.64.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "192.88.99.1",
        ),
        *("::1", "::", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "fe80::1", "fd00::1", "fec0::1"),
        *("ff02::1", "2002:7f00:1::", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2001:0:1::1", "2001:db8::1"),
    ],
)
def test_no_address_of_ours_or_of_a_tunnel_is_public(address: str) -> None:
    assert not is_public(ip_address(address))
    with pytest.raises(Unsent, match="address"):
        judge(read_target(f"https://{f'[{address}]' if ':' in address else address}/"))


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_addresses_that_anybody_can_have_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        *(
            "ftp://example.org/",
            "file:///etc/passwd",
            "gopher://example.org/",
            "//example.org/",
            "example.org",
        ),
        *(
            "https://",
            "https://user:word@example.org/",
            "https://exa mple.org/",
            "https://example.org/\r\nX: 1",
        ),
        *("https://example.org:99999/", "https://example.org/é", "https://" + "a" * 3000, "https://[::1/"),
    ],
)
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(Unsent, match="address"):
        read_target(url)


@pytest.mark.parametrize("port", [22, 25, 6379, 8080])
def test_other_ports_are_for_those_whom_the_operator_names(port: int, settings: Settings) -> None:
    target = read_target(f"https://8.8.8.8:{port}/")
    with pytest.raises(Unsent, match="address"):
        judge(target)
    settings.HOOK_HOSTS = [f"8.8.8.8:{port}"]
    assert judge(target)


@pytest.mark.parametrize(
    ("entry", "url", "is_allowed"),
    [
        ("10.0.0.0/8", "https://10.1.2.3/", True),
        ("10.0.0.0/8", "https://10.1.2.3:8080/", False),
        ("10.0.0.0/8:8080", "https://10.1.2.3:8080/", True),
        ("10.0.0.0/8:8080", "https://10.1.2.3/", False),
        ("10.1.2.3", "http://10.1.2.4/", False),
        ("[fd00::/8]:8443", "https://[fd00::1]:8443/", True),
        ("fd00::1", "https://[fd00::2]/", False),
    ],
)
def test_an_operator_can_allow_hosts_of_their_own(
    entry: str, url: str, is_allowed: bool, settings: Settings
) -> None:
    settings.HOOK_HOSTS = [entry.replace("fd00::1", "[fd00::1]") if entry == "fd00::1" else entry]
    if is_allowed:
        assert judge(read_target(url))
    else:
        with pytest.raises(Unsent, match="address"):
            judge(read_target(url))


@pytest.mark.parametrize("entry", ["10.0.0.1/8", "host:port", "a b", "10.0.0.0/8:99999", "fd00::1", ""])
def test_an_entry_that_cannot_be_read_is_told(entry: str) -> None:
    assert outbound.wrong_exemptions([entry, "matrix.lan:8448"]) == [entry]


def test_what_is_sent_arrives(settings: Settings) -> None:
    with receiver() as there:
        settings.HOOK_HOSTS = [there.place]
        there.status, there.headers = 429, {"Retry-After": "17"}
        answer = send("PUT", there.url + "?a=1", b"body", {"X-One": "1"})
    assert (answer.status, answer.retry_after) == (429, 17)
    [got] = there.got
    assert (got.method, got.path, got.body, got.headers["x-one"]) == ("PUT", "/hook?a=1", b"body", "1")
    assert got.headers["host"] == there.place


def test_nothing_arrives_at_an_address_of_ours() -> None:
    with receiver() as there, pytest.raises(Unsent, match="address"):
        post(there.url)
    assert there.got == []


def test_a_redirect_is_not_followed(settings: Settings) -> None:
    with receiver() as inner, receiver() as there:
        settings.HOOK_HOSTS = [there.place]
        there.status, there.headers = 302, {"Location": inner.url}
        assert post(there.url).status == 302
    assert inner.got == []


def test_the_log_says_nothing_of_an_answer_with_a_broken_header(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n")

    with receiver() as there:
        settings.HOOK_HOSTS, there.behave = [there.place], answer
        assert post(there.url).status == 200
    assert there.got
    assert caplog.text == ""


@pytest.mark.slow
def test_a_receiver_that_hangs_or_drips_costs_seconds(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbound, "LONGEST", 1.5)
    for behave in (hang, drip):
        with receiver() as there:
            settings.HOOK_HOSTS = [there.place]
            there.behave, began = behave, time.monotonic()
            with pytest.raises(Unsent, match="slow"):
                post(there.url)
        assert time.monotonic() - began < 3, behave


def test_of_an_answer_of_100_mb_only_the_beginning_is_read(settings: Settings) -> None:
    with receiver() as there:
        settings.HOOK_HOSTS = [there.place]
        there.behave, began = flood, time.monotonic()
        assert post(there.url).status == 200
    assert time.monotonic() - began < 3


def test_one_that_refuses_or_breaks_off_is_a_failure(settings: Settings) -> None:
    with receiver() as there:
        settings.HOOK_HOSTS = [there.place]
        there.behave = lambda request: request.connection.close()
        with pytest.raises(Unsent, match="network"):
            post(there.url)
    with pytest.raises(Unsent, match="network"):
        post(there.url)


def test_a_name_that_leads_to_this_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    zone = {
        ("inner.test", "A"): ["127.0.0.1"],
        ("both.test", "A"): ["8.8.8.8", "127.0.0.1"],
        ("alias.test", "CNAME"): ["inner.test."],
        ("six.test", "AAAA"): ["::ffff:127.0.0.1"],
    }
    with name_server(zone) as place:
        ask_only(place, monkeypatch)
        for name in ("inner.test", "both.test", "alias.test", "six.test"):
            with pytest.raises(Unsent, match="address"):
                post(f"http://{name}/")
        with pytest.raises(Unsent, match="name"):
            post("http://unknown.test/")


class Rebinding(dict[tuple[str, str], list[str]]):
    """A zone that answers one address the first time, and another from then on."""

    def __init__(self, first: str, then: str) -> None:
        super().__init__({("turning.test", "A"): [first]})
        self.then, self.asked = then, 0

    def get(self, key: object, default: object = None) -> list[str] | None:  # type: ignore[override]
        if key != ("turning.test", "A"):
            return None
        self.asked += 1
        return ["127.0.0.2"] if self.asked == 1 else [self.then]


def test_a_name_that_changes_behind_our_back_leads_nowhere_else(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection goes to the very address that was judged: here 127.0.0.2, which the operator allows."""
    zone: Zone = Rebinding("127.0.0.2", "127.0.0.1")
    with (
        receiver("127.0.0.2") as judged,
        receiver("127.0.0.1", judged.port) as inner,
        name_server(zone) as place,
    ):
        ask_only(place, monkeypatch)
        settings.HOOK_HOSTS = [f"127.0.0.2:{judged.port}"]
        assert post(f"http://turning.test:{judged.port}/").status == 204
        assert judged.got[0].headers["host"] == f"turning.test:{judged.port}"
        with pytest.raises(Unsent, match="address"):
            post(f"http://turning.test:{judged.port}/")
    assert (len(judged.got), inner.got) == (1, [])


def test_tls_is_asked_for_the_name_and_not_for_the_address(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    certificate = make_certificate(tmp_path, "hooks.test")
    zone = {("hooks.test", "A"): ["127.0.0.1"], ("other.test", "A"): ["127.0.0.1"]}
    with receiver(certificate=certificate, name="hooks.test") as there, name_server(zone) as place:
        ask_only(place, monkeypatch)
        settings.HOOK_HOSTS = [f"127.0.0.1:{there.port}"]
        with pytest.raises(Unsent, match="tls"):
            post(there.url)  # nobody vouches for it
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert post(there.url).status == 204
        with pytest.raises(Unsent, match="tls"):
            post(there.url.replace("hooks.test", "other.test"))
