"""Mail from a mailbox, read from a real IMAP server (Dovecot; skipped where it is not installed)."""

from __future__ import annotations

import logging
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from imap_tools import MailBoxUnencrypted

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.receivers import imap
from gemserver.matches.models import Move, Seat
from tests.builders import make_match, make_user
from tests.mailgate import webhook_posts
from tests.mailgate.dovecot import PASSWORD, PROGRAM, Dovecot

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="needs Debian's package dovecot-imapd")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> tuple[Path, Path]:
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    return cert, key


@pytest.fixture(scope="module")
def server(certificate) -> Iterator[Dovecot]:
    server = Dovecot(certificate=certificate)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def user(server, settings, request) -> str:
    """A mailbox of this test's own, which the receiver is set to read."""
    name = f"box{abs(hash(request.node.name))}"
    settings.IMAP_HOST, settings.IMAP_PORT, settings.IMAP_TLS = "127.0.0.1", server.port, "none"
    settings.IMAP_USER, settings.IMAP_PASSWORD = name, PASSWORD
    return name


@pytest.fixture
def box(server, user) -> Iterator[MailBoxUnencrypted]:
    """The mailbox as its owner sees it."""
    with MailBoxUnencrypted("127.0.0.1", server.port).login(user, PASSWORD) as box:
        yield box


@pytest.fixture
def seat(transactional_db) -> Seat:
    match = make_match(players=[make_user("ana"), make_user("ben")], server_part="22" * 32, now=clock.now())
    return Seat.objects.get(match=match, index=0)


def mail(seat: Seat, text: str = "bid 1", number: int = 1, **fields: str) -> bytes:
    header = {
        "Return-Path": "<ana@example.org>",
        "Delivered-To": seat.reply_address,
        "From": "Ana <ana@example.org>",
        "To": "gem@example.org",
        "Subject": "Re: a match",
        "Message-ID": f"<{number}@client.example.org>",
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    lines = [f"{name}: {value}" for name, value in header.items() if value]
    return "\r\n".join([*lines, "", text, ""]).encode()


def deliver(box: MailBoxUnencrypted, raw: bytes, *, at: datetime | None = None) -> None:
    box.append(raw, "INBOX", dt=at)


def held_in(box: MailBoxUnencrypted, folder: str) -> int:
    box.client.noop()
    return int(box.folder.status(folder)["MESSAGES"]) if box.folder.exists(folder) else 0


def test_a_mail_is_stored_as_it_came_and_filed_away(box, seat) -> None:
    raw = mail(seat, "bid 1\r\n\r\nMerci, à bientôt")
    deliver(box, raw)
    with imap.connect() as ours:
        assert imap.collect(ours) == 1
        assert imap.collect(ours) == 0
    stored = InboundEmail.objects.get()
    assert bytes(stored.raw) == raw
    assert (stored.envelope_from, stored.envelope_to, stored.source) == (
        "ana@example.org",
        seat.reply_address,
        "imap",
    )
    assert (held_in(box, "INBOX"), held_in(box, "Processed")) == (0, 1)
    processing.process_stored()
    assert Move.objects.get(match=seat.match, source=Move.Source.MAIL).text == "bid 1"


def test_a_mail_counts_from_when_the_mailbox_received_it(box, seat) -> None:
    """mail-requirements.md T3: not when it was fetched, nor by its writer's clock."""
    received = clock.now().replace(microsecond=0) - timedelta(minutes=7)
    deliver(box, mail(seat, Date="Mon, 1 Jan 2001 00:00:00 +0000"), at=received)
    with imap.connect() as ours:
        imap.collect(ours)
    assert InboundEmail.objects.get().received_at == received


def test_a_clock_ahead_of_ours_gives_no_receipt_in_the_future(box, seat) -> None:
    deliver(box, mail(seat), at=datetime(2099, 1, 1, tzinfo=UTC))
    with imap.connect() as ours:
        imap.collect(ours)
    assert InboundEmail.objects.get().received_at <= clock.now()


def test_a_mail_that_could_not_be_stored_is_found_again(box, seat, monkeypatch) -> None:
    deliver(box, mail(seat))

    def fail(*args: object, **more: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(imap, "ingest", fail)
    with imap.connect() as ours, pytest.raises(OperationalError):
        imap.collect(ours)
    assert held_in(box, "INBOX") == 1
    monkeypatch.undo()
    with imap.connect() as ours:
        assert imap.collect(ours) == 1


def test_a_mail_stored_but_not_filed_away_acts_once(box, seat, monkeypatch) -> None:
    """mail-requirements.md threat 28: the process died between the commit and the move."""
    deliver(box, mail(seat))

    def die(*args: object) -> None:
        raise OSError("the connection is gone")

    monkeypatch.setattr(imap, "_file", die)
    with imap.connect() as ours, pytest.raises(OSError, match="gone"):
        imap.collect(ours)
    monkeypatch.undo()
    with imap.connect() as ours:
        imap.collect(ours)
    assert InboundEmail.objects.get().copies == 2
    assert held_in(box, "Processed") == 1


def test_the_same_mail_by_imap_and_webhook_acts_once(box, seat, settings) -> None:
    """mail-requirements.md threat 28."""
    settings.MAIL_WEBHOOKS, settings.ANYMAIL = ["postal"], webhook_posts.SETTINGS
    webhook_posts.postal(seat.reply_address, mail(seat))
    deliver(box, mail(seat))
    with imap.connect() as ours:
        imap.collect(ours)
    assert InboundEmail.objects.get().copies == 2


def test_mail_for_somebody_else_is_not_read_nor_kept(box, seat) -> None:
    """mail-requirements.md L9: for none of our addresses; it is moved aside and nobody is answered."""
    deliver(box, mail(seat, Delivered_To="", To="owner@example.org"))
    with imap.connect() as ours:
        assert imap.collect(ours) == 0
    assert not InboundEmail.objects.exists()
    assert (held_in(box, "INBOX"), held_in(box, "Rejected")) == (0, 1)


def test_too_big_a_mail_is_flagged_and_not_fetched(box, seat, settings) -> None:
    settings.MAIL_SIZE_LIMIT = 10_000
    deliver(box, mail(seat, "x" * 70 + "\r\n" * 10_000))
    with imap.connect() as ours:
        assert imap.collect(ours) == 0
        assert imap.collect(ours) == 0
    assert not InboundEmail.objects.exists()
    (left,) = box.fetch(mark_seen=False, headers_only=True)
    assert "\\Flagged" in left.flags
    assert "\\Seen" not in left.flags


def test_without_folders_mails_are_marked_as_seen(box, seat, settings) -> None:
    settings.IMAP_PROCESSED = settings.IMAP_REJECTED = imap.NOWHERE
    deliver(box, mail(seat))
    deliver(box, mail(seat, Delivered_To="", number=2))
    with imap.connect() as ours:
        assert imap.collect(ours) == 1
        assert imap.collect(ours) == 0
    assert [set(each.flags) & {"\\Seen"} for each in box.fetch(mark_seen=False)] == [{"\\Seen"}] * 2


@pytest.mark.parametrize(
    "flaw", [b"\x00\xff\xfe", b"Content-Type: message/rfc822\r\n\r\n" * 2000, b"(" * 9000]
)
def test_a_hostile_mail_stops_nothing(flaw: bytes, box, seat) -> None:
    deliver(box, mail(seat, Content_Type="multipart/mixed; boundary=x", number=1) + flaw)
    deliver(box, mail(seat, number=2))
    with imap.connect() as ours:
        assert imap.collect(ours) == 2
    processing.process_stored()
    assert InboundEmail.objects.filter(state=InboundEmail.State.DONE).exists()


@pytest.fixture
def watching(user) -> Iterator[Callable[[], None]]:
    """Start the receiver in a thread; it is stopped at the end."""
    stopping: list[bool] = []
    threads: list[threading.Thread] = []

    def start() -> None:
        thread = threading.Thread(target=imap.watch, args=(lambda: bool(stopping),))
        thread.start()
        threads.append(thread)

    yield start
    stopping.append(True)
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()


def wait_until_stored(count: int) -> None:
    end = time.monotonic() + 20
    while InboundEmail.objects.count() < count:
        assert time.monotonic() < end, "the mail was not fetched"
        time.sleep(0.05)


def test_new_mail_is_told_by_the_server(box, seat, watching) -> None:
    watching()
    deliver(box, mail(seat, number=1))
    wait_until_stored(1)
    time.sleep(1)  # it listens again
    deliver(box, mail(seat, number=2))
    wait_until_stored(2)


def test_a_server_that_does_not_tell_is_asked(box, seat, watching, settings, monkeypatch) -> None:
    settings.IMAP_POLL_SECONDS = 0.1
    connect = imap.connect

    def without_idle() -> object:
        ours = connect()
        ours.client.capabilities = tuple(each for each in ours.client.capabilities if each != "IDLE")
        return ours

    monkeypatch.setattr(imap, "connect", without_idle)
    watching()
    for number in (1, 2):
        deliver(box, mail(seat, number=number))
        wait_until_stored(number)


def test_a_lost_connection_is_made_again(box, seat, server, watching, monkeypatch, caplog) -> None:
    monkeypatch.setattr(imap, "PAUSE_FIRST", 0.1)
    connect, opened = imap.connect, []

    def remember() -> object:
        opened.append(connect())
        return opened[-1]

    monkeypatch.setattr(imap, "connect", remember)
    watching()
    deliver(box, mail(seat, number=1))
    wait_until_stored(1)
    opened[0].client.sock.shutdown(2)
    deliver(box, mail(seat, number=2))
    wait_until_stored(2)
    assert len(opened) > 1
    assert "trying again" in caplog.text


def test_a_wrong_password_is_tried_again_and_never_logged(
    seat, watching, settings, monkeypatch, caplog
) -> None:
    """mail-requirements.md threat 20."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(imap, "PAUSE_FIRST", 0.1)
    settings.IMAP_PASSWORD = "not the right one"
    watching()
    end = time.monotonic() + 20
    while "trying again" not in caplog.text:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert "not the right one" not in caplog.text


@pytest.mark.django_db
def test_a_certificate_nobody_vouches_for_is_refused(server, user, settings, certificate) -> None:
    """mail-requirements.md threat 20: a man in the middle would get the password."""
    settings.IMAP_HOST, settings.IMAP_PORT, settings.IMAP_TLS = "localhost", server.tls_port, "yes"
    with pytest.raises(OSError, match="certificate verify failed"):
        imap.connect()
    settings.IMAP_TLS_CA = str(certificate[0])
    with imap.connect() as ours:
        assert imap.collect(ours) == 0
    settings.IMAP_PORT, settings.IMAP_TLS = server.port, "starttls"
    with imap.connect() as ours:
        assert imap.collect(ours) == 0
