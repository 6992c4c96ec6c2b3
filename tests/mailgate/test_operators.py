"""Mail to postmaster and abuse reaches people, and machines cannot loop it (RFC 5321 §4.5.1, RFC 2142)."""

from __future__ import annotations

import pytest
from django.core import mail as outbox

from gemserver.checks import check_configuration
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import operators, processing
from gemserver.mailgate.addresses import find_recipient, is_own_address
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Seat
from gemserver.notify import delivery
from tests.builders import make_match, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def two_operators(settings) -> None:
    settings.OPERATORS = ["oda@admin.example", "olaf@admin.example"]


def letter(
    number: int = 1, *, text: str = "Your server sends me mail I never asked for.", **fields: str
) -> bytes:
    header = {
        "From": "Nora <nora@isp.example>",
        "To": "postmaster@gem.localhost",
        "Subject": "A question",
        "Message-ID": f"<{number}@isp.example>",
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    return "".join(f"{name}: {value}\n" for name, value in header.items()).encode() + f"\n{text}\n".encode()


def receive(
    raw: bytes, to: str = "postmaster@gem.localhost", sender: str = "nora@isp.example"
) -> InboundEmail:
    row = ingest(raw, sender, to, "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    delivery.send_queued()
    return row


@pytest.mark.parametrize(
    "to", ["postmaster@gem.localhost", "Postmaster@GEM.localhost", "postmaster", "abuse@gem.localhost"]
)
def test_it_reaches_every_operator(to: str) -> None:
    row = receive(letter(), to)
    assert (row.state, row.code) == ("done", "passed-on")
    assert sorted(sent.to[0] for sent in outbox.outbox) == ["oda@admin.example", "olaf@admin.example"]
    passed = outbox.outbox[0]
    assert passed.subject.endswith("] A question")
    assert "> Your server sends me mail I never asked for." in passed.body
    assert passed.reply_to == ["nora@isp.example"]
    assert passed.extra_headers["X-Gemserver-Loop"]


def test_the_same_mail_is_passed_on_once() -> None:
    for _ in range(3):
        receive(letter())
    assert len(outbox.outbox) == 2


@pytest.mark.parametrize(
    ("fields", "sender"),
    [
        ({"Auto_Submitted": "auto-replied"}, "nora@isp.example"),
        ({"From": "MAILER-DAEMON@isp.example"}, "nora@isp.example"),
        ({"Precedence": "bulk"}, "nora@isp.example"),
        ({"X_Gemserver_Loop": "gem.localhost"}, "nora@isp.example"),
        ({}, ""),
    ],
)
def test_what_a_machine_wrote_goes_no_further(fields: dict[str, str], sender: str) -> None:
    """mail-requirements.md L2-L7: an operator's vacation notice would be passed on to its own author."""
    assert receive(letter(**fields), sender=sender).state == "dropped"
    assert not outbox.outbox


def test_what_was_passed_on_does_not_come_round_again() -> None:
    """mail-requirements.md L7: the operator's mailbox sends everything back here."""
    receive(letter())
    again = outbox.outbox[0].message().as_bytes()
    outbox.outbox.clear()
    assert receive(again, sender="oda@admin.example").state == "dropped"
    assert not outbox.outbox


def test_an_operator_at_one_of_our_addresses_is_left_out_and_refused_by_the_checks(settings) -> None:
    settings.OPERATORS = ["postmaster@gem.localhost"]
    receive(letter())
    assert not outbox.outbox
    settings.PRODUCTION = True
    assert "gemserver.E014" in {error.id for error in check_configuration(None)}


def test_a_flood_is_not_passed_on_but_kept(monkeypatch) -> None:
    monkeypatch.setattr(operators, "PER_HOUR", 3)
    states = [receive(letter(number)).code for number in range(5)]
    assert states == ["passed-on"] * 3 + ["too-many-for-operators"] * 2
    assert InboundEmail.objects.count() == 5
    assert len(outbox.outbox) == 3 * 2


def test_tokens_in_it_are_hidden() -> None:
    """mail-requirements.md A8: a player who complains quotes the mail with the address of the seat."""
    match = make_match(players=[make_user("ana"), make_user("ben")], now=clock.now())
    seat = Seat.objects.get(match=match, index=0)
    delivery.send_queued()
    outbox.outbox.clear()
    receive(letter(text=f"> Reply-To: {seat.reply_address}", Subject=f"{seat.reply_address}"))
    passed = outbox.outbox[0]
    assert seat.token not in passed.body + passed.subject + str(passed.alternatives)


def test_commands_to_postmaster_are_no_commands() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], server_part="22" * 32, now=clock.now())
    receive(letter(text="bid 1", From="ana@example.org"), sender="ana@example.org")
    assert not match.moves.exists()


@pytest.mark.parametrize(
    ("address", "is_own"),
    [
        ("play@gem.localhost", True),
        ("PLAY+ABCDEFGHIJKLMNOPQRSTUVWX27@gem.localhost", True),
        ("me+abcdefghijklmnopqrstuvwx27@gem.localhost", True),
        ("b+17-abcdefghij@gem.localhost", True),
        ("abuse@gem.localhost", True),
        ("ana@gem.localhost", False),
        ("ana+games@gem.localhost", False),
        ("play+ana@gem.localhost", False),
        ("play@example.org", False),
    ],
)
def test_players_may_have_their_mailbox_at_the_same_domain(address: str, is_own: bool) -> None:
    """mail-requirements.md L7 drops mail from our own addresses, not from everybody who shares their domain."""
    assert is_own_address(address) is is_own


def test_only_these_names_are_the_operators() -> None:
    for address in ("webmaster@gem.localhost", "postmaster@elsewhere.example", "abuse", "root@gem.localhost"):
        assert find_recipient(address) is None
