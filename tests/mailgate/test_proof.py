"""The built-in receiver's own findings about a sender, from a real DNS server (mail-requirements.md S2, S3)."""

from __future__ import annotations

import smtplib
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from gemserver.checks import check_configuration
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.receivers import proof, smtp
from gemserver.mailgate.receivers.proof import prove
from gemserver.matches.models import Seat
from tests.builders import make_match, make_user
from tests.mailgate.name_server import BROKEN, SILENT, answering
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
        # The name that a mail program shows is nobody's address.
        (mail("ana@example.org").replace(b"Ana <", b'"bo@no-policy.example" <'), STRANGER, "", "fail"),
        (mail("eve@attacker.example").replace(b"Ana <", b'"ana@example.org" <'), STRANGER, "", "none"),
        (
            mail("ana@example.org").replace(b"Ana <", b"=?utf-8?q?eve=40attacker.example?= <"),
            HOST,
            "",
            "fail",
        ),
        # One @ too many in the envelope, or in the name with which the other server greets.
        (mail(), STRANGER, "eve@attacker.example@example.org", "fail"),
        (mail(), STRANGER, '"eve@attacker.example"@example.org', "fail"),
        (signed(mail("ana@exämple.org"), "attacker.example"), STRANGER, "eve@attacker.example", "none"),
        # Refused by mail-requirements.md S5.
        (b"From: eve@attacker.example\r\n" + signed(mail()), STRANGER, "eve@attacker.example", "none"),
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


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (mail(), f"eve@{SILENT}"),
        (mail(), f"eve@{BROKEN}"),
        (signed(mail(), SILENT), "eve@attacker.example"),
        (signed(mail(), BROKEN), f"eve@{SILENT}"),
        # Names that nobody can ask for.
        (signed(mail()).replace(b" s=s;", b" s=" + b"a" * 70 + b";"), "eve@attacker.example"),
        (signed(mail()).replace(b" s=s;", b" s=a..b;"), "eve@attacker.example"),
    ],
)
def test_a_forger_with_silent_name_servers_is_still_a_forger(raw: bytes, path: str, monkeypatch) -> None:
    """Whoever signed as a domain of theirs that did not answer, too, was no forger of anybody's address."""
    monkeypatch.setattr(proof, "PATIENCE", 0.2)
    with answering(NAMES):
        assert prove(raw, STRANGER, path, "x")["dmarc"] == "fail"


@pytest.mark.slow
@pytest.mark.parametrize("trouble", [SILENT, BROKEN])
def test_a_key_that_cannot_be_asked_for_makes_no_forger(trouble: str, monkeypatch) -> None:
    """SERVFAIL was taken for a key that is not there, and the player's forwarded mail for a forged one."""
    monkeypatch.setattr(proof, "PATIENCE", 0.2)
    with answering(NAMES | {"s._domainkey.example.org": trouble}):
        assert prove(signed(mail()), STRANGER, "x@attacker.example", "x")["dmarc"] == "none"
        assert prove(signed(mail()), HOST, "ana@example.org", "x")["dmarc"] == "pass"


@pytest.mark.slow
def test_looking_up_a_sender_comes_to_an_end(monkeypatch) -> None:
    monkeypatch.setattr(proof, "LONGEST", 1)
    raw = mail(f"bo@{SILENT}")
    for _ in range(proof.MOST_SIGNATURES):
        raw = signed(raw, SILENT)
    began = time.monotonic()
    with answering(NAMES):
        assert prove(raw, STRANGER, f"bo@{SILENT}", "x")["dmarc"] == "none"
    assert time.monotonic() - began < 4


@pytest.mark.parametrize(("after", "verdict"), [(86400, "pass"), (-86400, "fail")])
def test_a_signature_counts_until_it_expires(after: int, verdict: str, monkeypatch) -> None:
    write = dkim.DKIM.gen_header

    def write_with_end(self, fields, *given, **options):
        return write(
            self,
            [*fields[:1], (b"x", str(int(time.time()) + after).encode()), *fields[1:]],
            *given,
            **options,
        )

    monkeypatch.setattr(dkim.DKIM, "gen_header", write_with_end)
    raw = signed(mail())
    assert b" x=" in raw
    with answering(NAMES):
        assert prove(raw, STRANGER, "", "x")["dmarc"] == verdict


def test_a_key_that_is_replaced_counts_as_long_as_it_is_published() -> None:
    """Signed under both while keys change; a revoked one has an empty `p=`."""
    new_key, new_record = make_key()
    raw = dkim.sign(mail(), b"new", b"example.org", new_key, include_headers=[b"from"]) + signed(mail())
    for record, expected in ((RECORD, "pass"), ("v=DKIM1; k=rsa; p=", "fail"), (new_record, "fail")):
        with answering(NAMES | {"s._domainkey.example.org": record}):
            assert prove(signed(mail()), STRANGER, "", "x")["dmarc"] == expected
        with answering(
            NAMES | {"s._domainkey.example.org": record, "new._domainkey.example.org": new_record}
        ):
            assert prove(raw, STRANGER, "", "x")["dmarc"] == "pass"


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


@pytest.mark.slow
def test_a_slow_name_server_does_not_keep_a_mail_out_and_proves_nothing(seat, settings, monkeypatch) -> None:
    monkeypatch.setattr(proof, "PATIENCE", 0.2)
    settings.MAIL_AUTHSERV_ID = "mx.gem.localhost"
    forged = b"Authentication-Results: mx.gem.localhost; dmarc=pass header.from=example.org\r\n"
    with answering({}, silent=True), receiving() as port, smtplib.SMTP("127.0.0.1", port) as client:
        client.sendmail("ana@example.org", [settings.PLAY_ADDRESS], forged + mail(to=settings.PLAY_ADDRESS))
    processing.process_stored()
    stored = InboundEmail.objects.get()
    assert stored.auth["dmarc"] == "none"
    assert stored.code == "unproved-to-lobby"


@pytest.mark.slow
def test_a_sender_with_slow_name_servers_holds_up_no_other(seat, settings, monkeypatch) -> None:
    """One host kept all threads busy, and everybody's mail, a forged one too, was taken as unproved meanwhile."""
    monkeypatch.setattr(proof, "PATIENCE", 1)
    monkeypatch.setattr(smtp, "network_of", lambda host: next(hosts))
    settings.MAIL_RATE_CONNECTIONS = 0
    hosts = iter(["the same"] * smtp.DNS_THREADS + ["another"])
    slow = mail(f"eve@{SILENT}", to=settings.PLAY_ADDRESS)
    with answering(NAMES), receiving() as port, ExitStack() as stack:
        clients = [stack.enter_context(smtplib.SMTP("127.0.0.1", port)) for _ in range(smtp.DNS_THREADS + 1)]
        with ThreadPoolExecutor(smtp.DNS_THREADS) as pool:
            for number, client in enumerate(clients[:-1]):
                pool.submit(client.sendmail, f"eve{number}@{SILENT}", [settings.PLAY_ADDRESS], slow)
            time.sleep(0.3)
            began = time.monotonic()
            clients[-1].sendmail("eve@attacker.example", [seat.reply_address], mail(to=seat.reply_address))
            assert time.monotonic() - began < 1
    stored = InboundEmail.objects.get(envelope_to=seat.reply_address)
    assert stored.auth["dmarc"] == "fail"


@pytest.mark.slow
def test_a_mail_whose_turn_to_be_looked_up_does_not_come_is_to_come_again(seat, monkeypatch) -> None:
    monkeypatch.setattr(proof, "PATIENCE", 1)
    monkeypatch.setattr(smtp, "DNS_TURN", 0.1 - smtp.LONGEST)
    with (
        answering({}, silent=True),
        receiving() as port,
        smtplib.SMTP("127.0.0.1", port) as client,
        pytest.raises(smtplib.SMTPDataError) as refused,
    ):
        client.sendmail("ana@example.org", [seat.reply_address], mail(to=seat.reply_address))
    assert refused.value.smtp_code == 451
    assert not InboundEmail.objects.exists()


def test_the_checks_want_its_packages(settings, monkeypatch) -> None:
    settings.PRODUCTION = settings.SMTP_PROVES_SENDERS = True
    assert "gemserver.E015" not in {error.id for error in check_configuration(None)}
    monkeypatch.setattr(proof, "NEEDED", (*proof.NEEDED, "a_package_nobody_has"))
    assert "gemserver.E015" in {error.id for error in check_configuration(None)}
