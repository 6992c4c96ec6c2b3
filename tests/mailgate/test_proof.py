"""The built-in receiver's own findings about a sender, from a real DNS server (mail-requirements.md S2, S3)."""

from __future__ import annotations

import smtplib
import time
from base64 import b64encode

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from gemserver.checks import check_configuration
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.receivers import proof
from gemserver.mailgate.receivers.proof import prove
from gemserver.matches.models import Seat
from tests.builders import make_match, make_user
from tests.mailgate.name_server import answering
from tests.mailgate.test_smtp_receiver import receiving

HOST, STRANGER = "192.0.2.1", "198.51.100.7"


def make_key() -> tuple[bytes, str]:
    """A private key for signing, and the text of its DNS record."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private, f"v=DKIM1; k=rsa; p={b64encode(public).decode()}"


KEY, RECORD = make_key()

NAMES = {
    "example.org": f"v=spf1 ip4:{HOST} -all",
    "_dmarc.example.org": "v=DMARC1; p=reject",
    "s._domainkey.example.org": RECORD,
    "mail.example.org": f"v=spf1 ip4:{HOST} -all",
    "attacker.example": f"v=spf1 ip4:{STRANGER} -all",
    "s._domainkey.attacker.example": RECORD,
    "example.org-attacker.net": f"v=spf1 ip4:{STRANGER} -all",
    "strict.example": f"v=spf1 ip4:{HOST} -all",
    "_dmarc.strict.example": "v=DMARC1; p=reject; aspf=s; adkim=s",
    "guests.strict.example": f"v=spf1 ip4:{STRANGER} -all",
    "s._domainkey.guests.strict.example": RECORD,
    "no-policy.example": f"v=spf1 ip4:{HOST} -all",
    "s._domainkey.no-policy.example": RECORD,
}


def mail(author: str = "ana@example.org", text: str = "bid 1", to: str = "play@gem.localhost") -> bytes:
    return f"From: Ana <{author}>\r\nTo: {to}\r\nSubject: x\r\nMessage-ID: <1@x.y>\r\n\r\n{text}\r\n".encode()


def signed(raw: bytes, domain: str = "example.org", **options: object) -> bytes:
    signature: bytes = dkim.sign(
        raw, b"s", domain.encode(), KEY, include_headers=[b"from", b"subject"], **options
    )
    return signature + raw


@pytest.mark.parametrize(
    ("raw", "host", "path", "expected"),
    [
        (signed(mail()), STRANGER, "ana@forwarder.example", "pass"),  # forwarded: the signature holds
        (mail(), HOST, "ana@example.org", "pass"),
        (mail(), HOST, "bounces@mail.example.org", "pass"),  # of the same organisation
        (mail(), STRANGER, "ana@example.org", "fail"),
        (mail(), STRANGER, "eve@attacker.example", "fail"),  # SPF passes, for another domain
        (signed(mail(), "attacker.example"), STRANGER, "eve@attacker.example", "fail"),
        (mail(), STRANGER, "eve@example.org-attacker.net", "fail"),
        (signed(mail()).replace(b"bid 1", b"bid 3"), STRANGER, "x@forwarder.example", "fail"),
        (signed(mail(), length=True) + b"pass\r\n", STRANGER, "x@forwarder.example", "fail"),
        (signed(mail(), length=True), STRANGER, "x@forwarder.example", "fail"),
        # A domain that wants itself alone to be proved, not what others of its organisation run.
        (mail("bo@strict.example"), STRANGER, "eve@guests.strict.example", "fail"),
        (signed(mail("bo@strict.example"), "guests.strict.example"), STRANGER, "", "fail"),
        (mail("bo@strict.example"), HOST, "bo@strict.example", "pass"),
        (mail("bo@no-policy.example"), STRANGER, "bo@no-policy.example", "none"),
        (mail("bo@no-policy.example"), HOST, "bo@no-policy.example", "pass"),
        (signed(mail("bo@no-policy.example"), "no-policy.example"), STRANGER, "", "pass"),
        (mail("bo@nowhere.example"), STRANGER, "bo@nowhere.example", "none"),
        # Refused by mail-requirements.md S5.
        (mail("ana@example.org>, <eve@attacker.example"), HOST, "ana@example.org", "none"),
        (b"\r\nno header at all", HOST, "", "none"),
    ],
)
def test_only_who_may_send_for_the_authors_domain_is_proved(
    raw: bytes, host: str, path: str, expected: str
) -> None:
    with answering(NAMES):
        assert prove(raw, host, path, "mx.example.net")["dmarc"] == expected


def test_a_good_signature_among_foreign_ones_is_found() -> None:
    raw = mail()
    for domain in ("attacker.example", "example.org", "no-policy.example"):
        raw = signed(raw, domain)
    with answering(NAMES):
        assert prove(raw, STRANGER, "list@attacker.example", "x")["dmarc"] == "pass"


def test_a_hundred_signatures_are_not_all_looked_up() -> None:
    raw = b"DKIM-Signature: v=1; a=rsa-sha256; d=attacker.example; s=s; h=from; bh=x; b=x\r\n" * 100 + mail()
    with answering(NAMES):
        assert prove(raw, STRANGER, "", "x")["dmarc"] == "fail"


@pytest.mark.slow
def test_a_name_server_that_keeps_silent_proves_nothing_and_forges_nothing(monkeypatch) -> None:
    """temperror is none: nobody loses a move because DNS is slow."""
    monkeypatch.setattr(proof, "PATIENCE", 0.2)
    with answering(NAMES, silent=True):
        assert prove(signed(mail()), HOST, "ana@example.org", "x") == {
            "spf": "none",
            "dkim": "none",
            "dmarc": "none",
        }


@pytest.fixture
def seat(transactional_db, settings) -> Seat:
    settings.MAIL_AUTH, settings.SMTP_PROVES_SENDERS = "normal", True
    match = make_match(players=[make_user("ana"), make_user("ben")], server_part="22" * 32)
    return Seat.objects.get(match=match, index=0)


@pytest.mark.parametrize(("path", "code"), [("ana@example.org", ""), ("eve@attacker.example", "forged")])
def test_the_receiver_asks_before_it_stores(path: str, code: str, seat) -> None:
    names = NAMES | {"example.org": "v=spf1 ip4:127.0.0.1 -all"}
    with answering(names), receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        client.sendmail(path, [seat.reply_address], mail(to=seat.reply_address))
    processing.process_stored()
    assert InboundEmail.objects.get().code == code


def test_what_the_sender_says_of_itself_does_not_count(seat, settings) -> None:
    """mail-requirements.md threat 7."""
    settings.MAIL_AUTHSERV_ID = "mx.gem.localhost"
    forged = b"Authentication-Results: mx.gem.localhost; dmarc=pass header.from=example.org\r\n" + mail(
        to=seat.reply_address
    )
    with answering(NAMES), receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        client.sendmail("eve@attacker.example", [seat.reply_address], forged)
    processing.process_stored()
    assert InboundEmail.objects.get().code == "forged"


def test_a_slow_name_server_does_not_keep_a_mail_out_and_proves_nothing(seat, settings, monkeypatch) -> None:
    from gemserver.mailgate.receivers import smtp

    monkeypatch.setattr(smtp, "LONGEST", 0.1)
    monkeypatch.setattr(smtp, "prove", lambda *args: time.sleep(0.5))
    settings.MAIL_AUTHSERV_ID = "mx.gem.localhost"
    forged = b"Authentication-Results: mx.gem.localhost; dmarc=pass header.from=example.org\r\n"
    with receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        client.sendmail("ana@example.org", [settings.PLAY_ADDRESS], forged + mail(to=settings.PLAY_ADDRESS))
    processing.process_stored()
    stored = InboundEmail.objects.get()
    assert stored.auth["dmarc"] == "none"
    assert stored.code == "unproved-to-lobby"


def test_the_checks_want_its_packages(settings, monkeypatch) -> None:
    settings.PRODUCTION = settings.SMTP_PROVES_SENDERS = True
    assert "gemserver.E015" not in {error.id for error in check_configuration(None)}
    monkeypatch.setattr(proof, "NEEDED", (*proof.NEEDED, "a_package_nobody_has"))
    assert "gemserver.E015" in {error.id for error in check_configuration(None)}
