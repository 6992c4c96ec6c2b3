"""Names and mails get into another mail's header only as text (mail-requirements.md O1, threat 13)."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.headerregistry import Address

import pytest
from django.core.exceptions import ValidationError
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match, Seat
from tests.builders import make_match, make_user
from tests.mailgate.letters import receive
from tests.mailgate.posting import sent_to

pytestmark = pytest.mark.django_db

INJECTED = (
    "Subject: Re: =?utf-8?q?games=0D=0ABcc=3A_evil=40example=2Ecom?=",
    "Subject: Re: games\r\n Bcc: evil@example.com",
    "From: =?utf-8?q?Ana=0ABcc=3A_evil=40example=2Ecom?= <@SENDER@>",
    'From: "Ana, evil@example.com" <@SENDER@>',
    "Message-ID: <a@b>\r\n Bcc: evil@example.com",
    "Message-ID: =?utf-8?q?=3Ca=40b=3E=0ABcc=3A_evil=40example=2Ecom?=",
    "In-Reply-To: <x@y\x0bBcc: evil@example.com>",
    "Reply-To: evil@example.com",
    "Sender: evil@example.com",
    "Return-Path: <evil@example.com>",
)


@pytest.fixture
def seat() -> Seat:
    match: Match = make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    return match.seats.select_related("user", "match").get(is_waiting=True)


def header_of(mail: EmailMultiAlternatives) -> dict[str, str]:
    parsed = message_from_bytes(mail.message().as_bytes(), policy=policy.default)
    return {name.lower(): str(value) for name, value in parsed.items()}


@pytest.mark.slow
@pytest.mark.parametrize("field", INJECTED)
def test_the_receipt_goes_to_its_player_alone(seat: Seat, field: str) -> None:
    assert seat.user
    name = field.partition(":")[0]
    usual = {
        "From": seat.user.email,
        "To": seat.reply_address,
        "Subject": "Re: games",
        "Message-ID": "<1@client.example.org>",
    }
    lines = [f"{key}: {value}" for key, value in usual.items() if key != name]
    raw = "\r\n".join([*lines, field.replace("@SENDER@", seat.user.email), "", "status", ""])
    receive(seat, raw.encode())
    receipt = sent_to(seat.user)[-1]
    assert receipt.extra_headers["Message-ID"].startswith("<a."), "the mail was answered"
    header = header_of(receipt)
    assert header["to"] == seat.user.email
    assert {"bcc", "cc"}.isdisjoint(header)
    assert all(
        "evil" not in value for key, value in header.items() if key not in {"in-reply-to", "references"}
    )


@pytest.mark.parametrize("name", ["ana\nBcc: evil@example.com", "ana\rx", "ana\x00"])
def test_no_name_has_a_line_end(name: str) -> None:
    with pytest.raises(ValidationError):
        User(username=name, email="ana@example.org").full_clean()


def test_a_subject_with_odd_names_is_one_line(seat: Seat) -> None:
    User.objects.filter(pk=seat.user_id).update(username='x", <evil@example.com>,')
    seat.user = User.objects.get(pk=seat.user_id)
    turn = sent_to(seat.user)[-1]
    assert "\n" not in str(turn.subject)
    assert header_of(turn)["to"] == str(Address(addr_spec=seat.user.email))
