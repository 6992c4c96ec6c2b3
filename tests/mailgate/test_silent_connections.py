"""Connections that say nothing, or very slowly, do not block other mail; over real sockets.

See mail-requirements.md O3.
"""

from __future__ import annotations

import smtplib
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate.receivers import smtp
from gemserver.mailgate.receivers.doors import Doors
from gemserver.matches.models import Seat
from tests.mailgate.test_lmtp_receiver import path  # noqa: F401
from tests.mailgate.test_smtp_receiver import SENDER, mail, receiving, seat  # noqa: F401

ELSEWHERE = "127.0.0.2"
PATIENCE = 10


@contextmanager
def silent(port: int, number: int, host: str = ELSEWHERE) -> Iterator[list[socket.socket]]:
    """This many connections of one host that never say anything."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE, (host, 0)))
            for _ in range(number)
        ]


def deliver(port: int, seat: Seat) -> None:  # noqa: F811
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client:
        client.sendmail(SENDER, [seat.reply_address], mail(seat))
    assert InboundEmail.objects.count() == 1


def until_closed(connection: socket.socket, dripping: bytes = b"") -> bytes:
    """The server's last words before it hangs up; meanwhile these bytes are sent again and again."""
    connection.settimeout(0.05)
    said, deadline = b"", time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if dripping:
                connection.sendall(dripping)
            if not (chunk := connection.recv(1000)):
                return said
            said += chunk
        except TimeoutError:
            continue
        except OSError:
            return said
    raise AssertionError("the connection is still open")


def test_a_hundred_silent_connections_of_one_host_keep_nobody_out(seat) -> None:  # noqa: F811
    with receiving() as port, silent(port, 100) as connections:
        deliver(port, seat)
        greetings = [connection.recv(100)[:3] for connection in connections]
    assert greetings.count(b"220") == 20
    assert greetings.count(b"421") == 80


def test_silent_connections_of_many_hosts_make_room(seat, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(smtp, "MAX_CONNECTIONS", 5)
    with receiving() as port, ExitStack() as stack:
        crowd = [stack.enter_context(silent(port, 1, f"127.0.1.{number}"))[0] for number in range(1, 6)]
        for connection in crowd:
            assert connection.recv(3) == b"220"
        deliver(port, seat)
        assert b"421" in until_closed(crowd[0])


def test_who_says_nothing_at_all_is_turned_out(seat, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(smtp, "FIRST_COMMAND", 0.2)
    with receiving() as port, silent(port, 1) as [connection]:
        until_closed(connection)


def test_who_falls_silent_after_a_command_is_turned_out(seat, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(smtp, "TIMEOUT", 0.3)
    with receiving() as port, silent(port, 1) as [connection]:
        connection.sendall(b"EHLO x\r\n")
        assert b"250" in until_closed(connection)


@pytest.mark.slow
def test_a_mail_that_comes_byte_by_byte_is_not_waited_for(seat, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(smtp, "TIMEOUT", 0.5)
    with receiving() as port, silent(port, 1) as [connection]:
        connection.sendall(b"EHLO x\r\nMAIL FROM:<a@b.example>\r\n")
        connection.sendall(f"RCPT TO:<{seat.reply_address}>\r\nDATA\r\n".encode())
        assert b"354" in until_closed(connection, dripping=b"x")
    assert not InboundEmail.objects.exists()


@pytest.mark.slow
def test_a_command_now_and_then_does_not_keep_a_connection_for_ever(seat, monkeypatch) -> None:  # noqa: F811
    monkeypatch.setattr(smtp, "LONGEST_CONVERSATION", 0.5)
    monkeypatch.setattr(smtp, "MAX_COMMANDS", 100_000)
    with receiving() as port, silent(port, 1) as [connection]:
        assert b"421" in until_closed(connection, dripping=b"NOOP\r\n")


def test_a_mail_server_in_front_is_not_counted(path: Path) -> None:  # noqa: F811
    """By LMTP all connections come from one host."""
    with ExitStack() as stack:
        for _ in range(60):
            connection = stack.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(PATIENCE)
            connection.connect(str(path))
            assert connection.recv(3) == b"220"


class Visitor:
    """A connection without a socket."""

    def __init__(self, network: str, *, is_silent: bool = True) -> None:
        self.network = network
        self.is_silent = is_silent
        self.is_out = False

    def turn_out(self) -> None:
        self.is_out = True


def test_the_one_that_has_been_silent_for_longest_goes() -> None:
    doors = Doors(per_host=0, in_all=3)
    busy, first, second = Visitor("a", is_silent=False), Visitor("b"), Visitor("c")
    assert all(doors.enter(each) for each in (busy, first, second))
    assert doors.enter(Visitor("d", is_silent=False))
    assert [each.is_out for each in (busy, first, second)] == [False, True, False]


def test_a_few_hosts_that_name_a_recipient_and_go_no_further_keep_nobody_out() -> None:
    doors = Doors(per_host=2, in_all=5)
    crowd = [Visitor(network, is_silent=False) for network in "abbcc"]
    assert all(doors.enter(each) for each in crowd)
    assert doors.enter(Visitor("d", is_silent=False))
    assert doors.enter(Visitor("e", is_silent=False))
    assert not doors.enter(Visitor("f", is_silent=False)), "each has one"
    assert [each.is_out for each in crowd] == [False, True, False, True, False]


@pytest.mark.parametrize("network", ["2001:db8:1:{}::/64", "198.51.100.{}"])
def test_one_person_with_many_networks_keeps_nobody_out(network: str) -> None:
    doors = Doors(per_host=20, in_all=100)
    crowd = [Visitor(network.format(number), is_silent=False) for number in range(100)]
    assert all(doors.enter(each) for each in crowd)
    others = [Visitor(f"203.0.{number}.7", is_silent=False) for number in range(40)]
    assert all(doors.enter(each) for each in others)
    assert not any(each.is_out for each in others)
    assert sum(each.is_out for each in crowd) == 40


def test_many_hosts_that_dawdle_make_room_one_after_the_other() -> None:
    doors = Doors(per_host=0, in_all=2, hurry=0)
    busy = [Visitor("a", is_silent=False), Visitor("b", is_silent=False)]
    assert all(doors.enter(each) for each in busy)
    assert doors.enter(Visitor("c"))
    assert [each.is_out for each in busy] == [True, False]


def test_nobody_goes_who_has_a_mail_to_hand_over() -> None:
    doors = Doors(per_host=0, in_all=2)
    busy = [Visitor("a", is_silent=False), Visitor("b", is_silent=False)]
    assert all(doors.enter(each) for each in busy)
    assert not doors.enter(Visitor("c"))
    assert not any(each.is_out for each in busy)
