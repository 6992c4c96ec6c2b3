"""The commands that bring mail in: the pipe and the receiver's own process."""

from __future__ import annotations

import io
import os
import socket
import sys
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate.management.commands import receive_mail
from gemserver.matches.models import Seat
from tests.builders import make_match, make_user


@pytest.fixture
def seat(db) -> Seat:
    match = make_match(players=[make_user("ana"), make_user("ben")])
    return Seat.objects.get(match=match, index=0)


@pytest.fixture
def pipe(monkeypatch):
    """Run the command with these bytes on standard input; returns its exit status."""

    def run(raw: bytes, *arguments: str, **options: Any) -> int:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        try:
            call_command("receive_mail", *arguments, stdout=io.StringIO(), **options)
        except CommandError as error:
            return error.returncode
        return os.EX_OK

    return run


def mail(**fields: str) -> bytes:
    headers = {
        "From": "Ana <ana@example.org>",
        "Message-ID": "<1@example.org>",
        "Subject": "Re: M1",
        **fields,
    }
    return (
        "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in headers.items()).encode()
        + b"\nbid 3\n"
    )


def test_the_recipient_is_found_in_the_header(pipe, seat) -> None:
    raw = mail(To=f"Gem <{seat.reply_address}>, other@example.org")
    assert pipe(raw) == os.EX_OK
    stored = InboundEmail.objects.get()
    assert bytes(stored.raw) == raw
    assert (stored.envelope_to, stored.envelope_from, stored.source) == (
        seat.reply_address,
        "ana@example.org",
        "pipe",
    )


def test_delivered_to_comes_before_to(pipe, seat, settings) -> None:
    assert pipe(mail(To=settings.PLAY_ADDRESS, Delivered_To=seat.reply_address)) == os.EX_OK
    assert InboundEmail.objects.get().envelope_to == seat.reply_address


def test_the_envelope_comes_before_the_header(pipe, seat, settings) -> None:
    arguments = ("--to", seat.reply_address, "--from", "bounce@example.org")
    assert pipe(mail(To=settings.PLAY_ADDRESS), *arguments) == os.EX_OK
    stored = InboundEmail.objects.get()
    assert (stored.envelope_to, stored.envelope_from) == (seat.reply_address, "bounce@example.org")


def test_an_empty_return_path_stays_empty(pipe, seat) -> None:
    assert pipe(mail(To=seat.reply_address, Return_Path="<>")) == os.EX_OK
    assert InboundEmail.objects.get().envelope_from == ""


@pytest.mark.parametrize("arguments", [(), ("--to", "someone@elsewhere.example")])
def test_a_mail_for_nobody_here_is_refused(pipe, db, arguments: tuple[str, ...]) -> None:
    assert pipe(mail(To="someone@elsewhere.example"), *arguments) == os.EX_NOUSER
    assert not InboundEmail.objects.exists()


@pytest.mark.parametrize("raw", [b"", b"\n\n", b"bid 3\n"])
def test_what_has_no_header_is_no_mail(pipe, db, raw: bytes) -> None:
    assert pipe(raw) == os.EX_DATAERR


def test_a_mail_over_the_limit_is_refused(pipe, seat, settings) -> None:
    raw = mail(To=seat.reply_address)
    settings.MAIL_SIZE_LIMIT = len(raw)
    assert pipe(raw) == os.EX_OK
    assert pipe(raw + b"x") == os.EX_DATAERR


def test_a_database_error_asks_for_another_try(pipe, seat, monkeypatch) -> None:
    def fail(*args: object) -> None:
        raise OperationalError("the database is away")

    monkeypatch.setattr(receive_mail, "ingest", fail)
    assert pipe(mail(To=seat.reply_address)) == os.EX_TEMPFAIL


def test_the_receiver_says_that_its_port_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CommandError, match=f"{port}.*another --port"):
            call_command("mail", host="127.0.0.1", port=port)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "set IMAP_HOST, IMAP_USER and IMAP_PASSWORD"),
        ({"IMAP_HOST": "mail.example.org", "IMAP_USER": "gem"}, "set IMAP_HOST, IMAP_USER and IMAP_PASSWORD"),
        (
            {
                "IMAP_HOST": "mail.example.org",
                "IMAP_USER": "gem",
                "IMAP_PASSWORD": "secret",
                "IMAP_TLS": "none",
            },
            "send the password in clear",
        ),
    ],
)
def test_a_mailbox_is_not_read_without_name_password_and_tls(
    values: dict[str, str], sentence: str, settings
) -> None:
    """mail-requirements.md threat 20."""
    for name, value in values.items():
        setattr(settings, name, value)
    with pytest.raises(CommandError, match=sentence):
        call_command("mail", imap=True)
