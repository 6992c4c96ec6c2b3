"""Mail from a mail server on the same machine (RFC 2033), over a real socket."""

from __future__ import annotations

import asyncio
import os
import smtplib
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.receivers import lmtp, smtp
from gemserver.matches.models import Seat
from tests.builders import make_match, make_user

SENDER = "ana@example.org"
UNKNOWN_TOKEN = "play+abcdefghijklmnopqrstuvwx27@gem.localhost"


@pytest.fixture
def seat(transactional_db) -> Seat:
    match = make_match(players=[make_user("ana"), make_user("ben")], server_part="22" * 32)
    return Seat.objects.get(match=match, index=0)


@pytest.fixture
def path(tmp_path, seat) -> Iterator[Path]:
    """The socket of a running receiver."""
    path = tmp_path / "lmtp"
    loop, stopping = asyncio.new_event_loop(), asyncio.Event()

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(lmtp.serve(listener, stopping))

    listener = lmtp.listen(str(path))
    thread = threading.Thread(target=run)
    thread.start()
    yield path
    loop.call_soon_threadsafe(stopping.set)
    thread.join()


@pytest.fixture
def client(path: Path) -> Iterator[smtplib.LMTP]:
    with smtplib.LMTP(str(path)) as client:
        client.ehlo()  # says LHLO
        yield client


def mail(seat: Seat, text: str = "bid 1", **fields: str) -> bytes:
    header = {
        "From": SENDER,
        "To": seat.reply_address,
        "Subject": "Re: a match",
        "Message-ID": "<1@x.y>",
        **fields,
    }
    return (
        "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in header.items()).encode()
        + f"\r\n{text}\r\n".encode()
    )


def answers_to_data(client: smtplib.LMTP, recipients: list[str], raw: bytes) -> list[int]:
    """The codes after the mail, one for each accepted recipient."""
    client.mail(SENDER)
    accepted = [address for address in recipients if client.rcpt(address)[0] == 250]
    assert client.docmd("DATA")[0] == 354
    client.send(raw + b".\r\n")
    return [client.getreply()[0] for _ in accepted]


def test_each_recipient_is_answered_by_itself(client, seat) -> None:
    other = Seat.objects.get(match=seat.match, index=1)
    assert answers_to_data(client, [seat.reply_address, UNKNOWN_TOKEN, other.reply_address], mail(seat)) == [
        250,
        250,
    ]
    assert set(InboundEmail.objects.values_list("envelope_to", flat=True)) == {
        seat.reply_address,
        other.reply_address,
    }
    assert set(InboundEmail.objects.values_list("source", flat=True)) == {"lmtp"}
    assert client.noop()[0] == 250  # no answer too many


def test_a_recipient_named_twice_is_answered_twice(client, seat) -> None:
    assert answers_to_data(client, [seat.reply_address] * 2, mail(seat)) == [250, 250]
    assert client.noop()[0] == 250
    assert InboundEmail.objects.get().copies == 2


def test_only_the_recipient_whose_mail_was_not_stored_is_put_off(client, seat, monkeypatch) -> None:
    other = Seat.objects.get(match=seat.match, index=1)
    store = smtp.ingest

    def fail_once(raw: bytes, sender: str, to: str, *rest: object) -> object:
        if to == seat.reply_address:
            raise OperationalError("the database is away")
        return store(raw, sender, to, *rest)

    monkeypatch.setattr(smtp, "ingest", fail_once)
    assert answers_to_data(client, [seat.reply_address, other.reply_address], mail(seat)) == [451, 250]
    assert InboundEmail.objects.get().envelope_to == other.reply_address


def test_a_mail_that_is_refused_as_a_whole_is_refused_for_each(client, seat, settings) -> None:
    other = Seat.objects.get(match=seat.match, index=1)
    text = "\r\n".join(["x" * 70] * (settings.MAIL_SIZE_LIMIT // 70))
    codes = answers_to_data(client, [seat.reply_address, other.reply_address], mail(seat, text))
    assert [code // 100 for code in codes] == [5, 5]
    assert answers_to_data(client, [seat.reply_address], mail(seat)) == [250]


def test_strangers_are_unknown_here_too(client) -> None:
    client.mail(SENDER)
    [(code, said)] = {client.rcpt(to) for to in (UNKNOWN_TOKEN, "someone@elsewhere.example")}
    assert (code, said.startswith(b"5.1.1 There is no such address here;")) == (550, True)


def test_greetings_of_smtp_are_not_understood(client) -> None:
    assert [client.docmd("EHLO x")[0], client.docmd("HELO x")[0]] == [500, 500]


def test_a_busy_mail_server_is_not_put_off(path, seat, settings) -> None:
    """Its connections are few and its own business; strangers' connections are counted in front of it."""
    settings.MAIL_RATE_CONNECTIONS = settings.MAIL_RATE_SENDER = 1
    for _ in range(5):
        with smtplib.LMTP(str(path)) as client:
            client.ehlo()
            assert client.mail(SENDER)[0] == 250


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"Authentication-Results": "mx.example.org; dmarc=fail header.from=example.org"}, "forged"),
        ({"Authentication-Results": "mx.example.org; dmarc=pass header.from=example.org"}, ""),
        ({"Authentication-Results": "mx.stranger.example; dmarc=fail"}, ""),
        ({}, ""),
    ],
)
def test_what_the_mail_server_found_of_the_sender_counts(fields, code: str, client, seat, settings) -> None:
    """mail-requirements.md S2: the fields of our own server, and of no other."""
    settings.MAIL_AUTH, settings.MAIL_AUTHSERV_ID = "normal", "mx.example.org"
    answers_to_data(client, [seat.reply_address], mail(seat, **fields))
    processing.process_stored()
    assert InboundEmail.objects.get().code == code


def test_the_socket_is_for_the_mail_servers_group_alone(path) -> None:
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o660


def test_a_socket_left_over_is_replaced_and_a_living_one_is_not(tmp_path, path) -> None:
    with pytest.raises(OSError, match="in use"):
        lmtp.listen(str(path))
    dead = tmp_path / "dead"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(dead))
    lmtp.listen(str(dead)).close()


@pytest.mark.parametrize("address", ["0.0.0.0:2424", "192.0.2.1:24", "[::]:24", "mail.example.org:24", ":24"])
def test_it_does_not_listen_to_the_network(address: str) -> None:
    """mail-requirements.md threat 19: anybody who could connect could also forge findings about a sender."""
    with pytest.raises(CommandError, match="can be reached from other machines"):
        call_command("mail", lmtp=address)


def test_it_listens_on_the_loopback_interface() -> None:
    for address in ("127.0.0.1:0", "[::1]:0", "localhost:0"):
        lmtp.listen(address).close()


@pytest.mark.parametrize("address", ["/nowhere/at/all", "127.0.0.1:smtp"])
def test_it_says_where_it_cannot_listen(address: str) -> None:
    with pytest.raises(CommandError, match="Choose another path"):
        call_command("mail", lmtp=address)
