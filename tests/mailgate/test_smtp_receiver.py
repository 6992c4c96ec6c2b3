"""The SMTP receiver, over a real socket."""

from __future__ import annotations

import asyncio
import logging
import shutil
import smtplib
import socket
import ssl
import subprocess
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate.receivers import smtp
from gemserver.mailgate.receivers.data import read_data
from gemserver.mailgate.receivers.rates import RateLimit
from gemserver.matches.models import Seat
from tests.builders import make_match, make_user

SENDER = "ana@example.org"
UNKNOWN_TOKEN = "play+abcdefghijklmnopqrstuvwx27@gem.localhost"
UNKNOWN = (
    b"5.1.1 There is no such address here; http://localhost:8000 shows your matches and how to write to them"
)
"""The sentence in the mail by which the sender's own server tells of it."""


@contextmanager
def receiving() -> Iterator[int]:
    """A running receiver on a free port."""
    receiver = smtp.BackgroundReceiver(smtp.listen("127.0.0.1", 0))
    try:
        yield receiver.port
    finally:
        receiver.stop()


@pytest.fixture
def seat(transactional_db) -> Seat:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    return Seat.objects.get(match=match, index=0)


@pytest.fixture
def client(seat) -> Iterator[smtplib.SMTP]:
    with receiving() as port, smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        yield client


def mail(seat: Seat, text: str = "bid 3", message_id: str = "<1@example.org>") -> bytes:
    lines = [
        f"From: {SENDER}",
        f"To: {seat.reply_address}",
        "Subject: Re: a match",
        f"Message-ID: {message_id}",
        "",
        text,
        "",
    ]
    return "\r\n".join(lines).encode()


def talk(client: smtplib.SMTP, *commands: str) -> list[int]:
    """The reply codes to these commands, after a greeting."""
    client.ehlo()
    return [client.docmd(command)[0] for command in commands]


def test_a_mail_is_stored_as_it_came_before_it_is_acknowledged(client, seat) -> None:
    """mail-requirements.md I1."""
    raw = mail(seat, text=".a line with a leading dot\r\nbid 3")
    assert client.sendmail(SENDER, [seat.reply_address], raw) == {}
    stored = InboundEmail.objects.get()
    assert bytes(stored.raw) == raw
    assert (stored.envelope_from, stored.envelope_to) == (SENDER, seat.reply_address)
    assert stored.source == "smtp"
    assert stored.auth["peer"] == "127.0.0.1"


def test_every_accepted_recipient_gets_the_mail(client, seat, settings) -> None:
    other = Seat.objects.get(match=seat.match, index=1)
    addresses = [seat.reply_address, settings.PLAY_ADDRESS, other.reply_address, "postmaster@gem.localhost"]
    refused = client.sendmail(SENDER, [*addresses, UNKNOWN_TOKEN], mail(seat))
    assert list(refused) == [UNKNOWN_TOKEN]
    assert set(InboundEmail.objects.values_list("envelope_to", flat=True)) == set(addresses)


def test_one_recipient_named_twice_counts_once(client, seat) -> None:
    client.sendmail(SENDER, [seat.reply_address, seat.reply_address], mail(seat))
    assert InboundEmail.objects.get().copies == 1


def test_all_that_is_not_ours_gets_the_same_answer(client, seat) -> None:
    """mail-requirements.md L9, threats 3, 16, 19 and 22."""
    client.ehlo()
    client.mail(SENDER)
    addresses = [UNKNOWN_TOKEN, "someone@elsewhere.example", "play+x@gem.localhost", "root@gem.localhost"]
    answers = {client.rcpt(address) for address in addresses}
    assert answers == {(550, UNKNOWN)}
    assert not InboundEmail.objects.exists()


def test_a_bounce_with_its_empty_sender_is_taken(client, seat) -> None:
    """mail-requirements.md L3."""
    client.sendmail("", [seat.reply_address], mail(seat))
    assert InboundEmail.objects.get().envelope_from == ""


def test_the_bare_postmaster_is_reachable(client, seat) -> None:
    assert talk(client, f"MAIL FROM:<{SENDER}>", "RCPT TO:<postmaster>") == [250, 250]


def test_long_lines_of_html_mails_are_taken(client, seat) -> None:
    client.sendmail(SENDER, [seat.reply_address], mail(seat, text="x" * 100_000))
    assert InboundEmail.objects.count() == 1


def test_a_mail_of_empty_lines_takes_no_more_memory_than_another(client, seat) -> None:
    """Each line was an object: twenty such mails took 600 MB and half a minute, and nobody else got a word in."""
    lines = mail(seat) + b"\r\n" * 490_000
    tracemalloc.start()
    try:
        client.sendmail(SENDER, [seat.reply_address], lines)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert InboundEmail.objects.count() == 1


async def read_all(*pieces: bytes, most: int = 1000) -> tuple[bytes | None, bytes]:
    """Send data in these pieces; return the mail that is read of it, and the bytes that are left to be read."""
    reader = asyncio.StreamReader()
    task = asyncio.ensure_future(read_data(reader, most))
    for piece in pieces:
        reader.feed_data(piece)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    data = await task
    reader.feed_eof()
    return data, await reader.read()


@pytest.mark.parametrize(
    ("sent", "data", "behind"),
    [
        (b".\r\n", b"", b""),
        (b"\r\n.\r\n", b"\r\n", b""),
        (b"a\r\n.\r\n", b"a\r\n", b""),
        (b"a\r\n.\r\nQUIT\r\n", b"a\r\n", b"QUIT\r\n"),
        (b"..\r\n...a\r\n.b\r\n.\r\n", b".\r\n..a\r\nb\r\n", b""),
        # No end, as RFC 5321 has it: else a second mail could stand in the first one.
        (b"a\n.\nb\r\n.\r\n", b"a\n.\nb\r\n", b""),
        (b"a\r\n.\nb\n.\r\nc\r.\r\r\n.\r\n", b"a\r\n\nb\n.\r\nc\r.\r\r\n", b""),
        (b"x" * 998 + b"\r\n.\r\n", b"x" * 998 + b"\r\n", b""),
        (b"x" * 999 + b"\r\n.\r\nNOOP\r\n", None, b"NOOP\r\n"),
        (b"x" * 5000 + b"\r\n.\r\n.\r\n", None, b".\r\n"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 10_000])
def test_data_ends_where_the_protocol_says_however_it_is_cut(
    sent: bytes, data: bytes | None, behind: bytes, size: int
) -> None:
    pieces = [sent[at : at + size] for at in range(0, len(sent), size)]
    assert asyncio.run(read_all(*pieces)) == (data, behind)


def test_a_mail_over_the_size_limit_is_refused_and_the_next_one_taken(client, seat, settings) -> None:
    """mail-requirements.md M1."""
    lines = "\r\n".join(["x" * 70] * (settings.MAIL_SIZE_LIMIT // 70))
    client.ehlo()
    assert client.docmd(f"MAIL FROM:<{SENDER}> SIZE={settings.MAIL_SIZE_LIMIT + 1}")[0] == 552
    client.mail(SENDER)  # without announcing the size
    client.rcpt(seat.reply_address)
    assert client.data(mail(seat, text=lines))[0] == 552
    assert not InboundEmail.objects.exists()
    client.sendmail(SENDER, [seat.reply_address], mail(seat))
    assert InboundEmail.objects.count() == 1


def test_an_eleventh_recipient_is_asked_to_wait(client, seat, settings) -> None:
    """mail-requirements.md O3."""
    client.ehlo()
    client.mail(SENDER)
    codes = [client.rcpt(settings.PLAY_ADDRESS)[0] for _ in range(11)]
    assert codes == [250] * 10 + [452]


def test_the_same_mail_again_is_counted_and_not_stored_again(client, seat) -> None:
    """mail-requirements.md I1."""
    for _ in range(3):
        client.sendmail(SENDER, [seat.reply_address], mail(seat))
    assert InboundEmail.objects.get().copies == 3


def test_a_database_error_leaves_the_mail_with_its_sender(client, seat, monkeypatch) -> None:
    """mail-requirements.md I1."""

    def fail(*args: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(smtp, "ingest", fail)
    with pytest.raises(smtplib.SMTPDataError, match=r"4\.3\.0"):
        client.sendmail(SENDER, [seat.reply_address], mail(seat))
    monkeypatch.setattr(smtp, "find_recipient", fail)
    client.rset()
    assert talk(client, f"MAIL FROM:<{SENDER}>", f"RCPT TO:<{seat.reply_address}>") == [250, 451]
    monkeypatch.undo()
    client.rset()
    client.sendmail(SENDER, [seat.reply_address], mail(seat))
    assert InboundEmail.objects.count() == 1


def test_too_many_mails_for_one_seat_are_put_off(seat, settings) -> None:
    """mail-requirements.md O3."""
    settings.MAIL_RATE_ADDRESS = 2
    with receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        for number in range(2):
            client.sendmail(SENDER, [seat.reply_address], mail(seat, message_id=f"<{number}@example.org>"))
        asked = talk(client, f"MAIL FROM:<{SENDER}>", f"RCPT TO:<{seat.reply_address.upper()}>")
        other = Seat.objects.get(match=seat.match, index=1)
        assert [*asked, client.rcpt(other.reply_address)[0]] == [250, 451, 250]


def test_too_many_mails_of_one_sender_are_put_off(seat, settings) -> None:
    """mail-requirements.md O3."""
    settings.MAIL_RATE_SENDER = 1
    with receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        asked = talk(
            client, f"MAIL FROM:<{SENDER}>", "RSET", f"MAIL FROM:<{SENDER}>", "MAIL FROM:<ben@example.org>"
        )
        assert asked == [250, 250, 451, 250]


def test_a_host_that_writes_to_the_lobby_under_ever_new_names_is_put_off(seat, settings) -> None:
    """A thousand mails of a megabyte a minute were stored of one host."""
    settings.MAIL_RATE_SENDER, settings.MAIL_RATE_CONNECTIONS = 3, 10
    with receiving() as port, smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.ehlo()
        for number in range(4):
            client.mail(f"eve{number}@example.net")
            assert client.rcpt(settings.PLAY_ADDRESS)[0] == (250 if number < 3 else 451)
            client.rset()
        client.mail(SENDER)
        assert client.rcpt(seat.reply_address)[0] == 250
    settings.MAIL_RATE_CONNECTIONS = 0  # a relay of ours brings the mail of all
    with receiving() as port, smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.ehlo()
        client.mail("eve5@example.net")
        assert client.rcpt(settings.PLAY_ADDRESS)[0] == 250


def test_too_many_connections_of_one_host_are_put_off(seat, settings) -> None:
    """mail-requirements.md O3."""
    settings.MAIL_RATE_CONNECTIONS = 2
    with receiving() as port:
        codes = []
        for _ in range(3):
            with smtplib.SMTP("127.0.0.1", port) as client:
                codes += talk(client, f"MAIL FROM:<{SENDER}>")
        assert codes == [250, 250, 451]


def test_only_so_many_connections_are_open_at_once(seat, monkeypatch) -> None:
    monkeypatch.setattr(smtp, "MAX_CONNECTIONS", 1)
    with receiving() as port:
        with smtplib.SMTP("127.0.0.1", port) as client:
            talk(client, f"MAIL FROM:<{SENDER}>", f"RCPT TO:<{seat.reply_address}>")
            with pytest.raises(smtplib.SMTPConnectError, match=r"4\.3\.2"):
                smtplib.SMTP("127.0.0.1", port)
        wait_for_a_place(port)


def test_a_client_that_leaves_in_the_middle_disturbs_nobody(client, seat) -> None:
    with socket.create_connection(("127.0.0.1", client.sock.getpeername()[1])) as rude:
        rude.sendall(
            b"EHLO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<%s>\r\nDATA\r\nhalf" % seat.reply_address.encode()
        )
        rude.recv(100)
    client.sendmail(SENDER, [seat.reply_address], mail(seat))
    assert InboundEmail.objects.get().envelope_from == SENDER


def test_no_reply_address_reaches_the_log(client, seat, caplog) -> None:
    """mail-requirements.md A8."""
    caplog.set_level(logging.DEBUG)
    client.sendmail(SENDER, [seat.reply_address, UNKNOWN_TOKEN], mail(seat))
    assert seat.token not in caplog.text


def test_a_rate_limit_begins_anew_with_each_window() -> None:
    now = 0.0
    limit = RateLimit(2, seconds=60, clock=lambda: now)
    assert [limit.allows("a"), limit.allows("a"), limit.allows("a"), limit.allows("b")] == [
        True,
        True,
        False,
        True,
    ]
    now = 60.0
    assert limit.allows("a")


def test_a_limit_of_nought_is_none() -> None:
    limit = RateLimit(0, seconds=60)
    assert all(limit.allows("a") for _ in range(1000))


@pytest.fixture
def certificate(tmp_path, settings) -> None:
    """A certificate of our own, offered by receivers that are started from now on."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    subprocess.run([*command, "-keyout", key, "-out", cert], check=True, capture_output=True)
    settings.SMTP_TLS_CERT, settings.SMTP_TLS_KEY = str(cert), str(key)


def unverified() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def test_mail_comes_over_tls_when_there_is_a_certificate(seat, certificate) -> None:
    with receiving() as port, smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.starttls(context=unverified())
        client.ehlo()
        assert "auth" not in client.esmtp_features
        client.sendmail(SENDER, [seat.reply_address], mail(seat))
    assert InboundEmail.objects.count() == 1


def test_a_certificate_that_cannot_be_read_is_named(settings) -> None:
    settings.SMTP_TLS_CERT = "/nowhere/cert.pem"
    with (
        smtp.listen("127.0.0.1", 0) as listener,
        pytest.raises(ImproperlyConfigured, match=r"SMTP_TLS_CERT='/nowhere/cert.pem'.* Name the files"),
    ):
        asyncio.run(smtp.serve(listener, asyncio.Event()))


def test_a_failed_handshake_gives_its_place_free(seat, certificate, monkeypatch) -> None:
    monkeypatch.setattr(smtp, "MAX_CONNECTIONS", 2)
    with receiving() as port:
        for _ in range(5):
            client = smtplib.SMTP("127.0.0.1", port, timeout=10)
            client.docmd("STARTTLS")
            client.sock.sendall(b"this is no handshake\r\n")
            client.close()
            wait_for_a_place(port)


def wait_for_a_place(port: int) -> None:
    """Wait until the receiver takes a connection; it notices the end of others in its own time."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            smtplib.SMTP("127.0.0.1", port).close()
            return
        except smtplib.SMTPConnectError:
            time.sleep(0.05)
    pytest.fail("the place was not given free")
