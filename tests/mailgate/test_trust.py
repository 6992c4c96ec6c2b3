"""Trusted verdicts on a sender, for each way in by which a mail can come.

See mail-requirements.md S2, threats 1 and 7.
"""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

import pytest

from gemserver.checks import check_configuration
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.receivers.provider_table import PROVIDERS
from gemserver.mailgate.trust import METHODS, WAYS
from gemserver.matches.models import Seat
from gemserver.notify.models import OutboxMessage
from tests.mailgate.letters import letter

pytestmark = pytest.mark.django_db

LOBBY = "play@gem.localhost"
CLAIM = "dmarc=pass header.from=example.org"
OURS = "mx.gem.example"
BEHIND_A_SERVER = ("lmtp", "pipe", "imap")


@pytest.fixture(autouse=True)
def _behind_a_mail_server(settings: Any) -> None:
    settings.MAIL_AUTH, settings.MAIL_AUTHSERV_ID = "normal", OURS


def write(way_in: str, body: str, *fields: str, author: str = "ana@example.org", **auth: str) -> InboundEmail:
    """Read a mail to the lobby that came this way, with these fields on top of it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = author, LOBBY, "x"
    mail["Date"] = clock.now()
    mail["Message-ID"] = f"<{InboundEmail.objects.count()}@client.example.org>"
    mail.set_content(body)
    raw = "".join(f"{field}\n" for field in fields).encode() + mail.as_bytes()
    source, provider = ("webhook", way_in) if way_in in PROVIDERS else (way_in, "")
    row = ingest(raw, author, LOBBY, source, auth, provider=provider)
    processing.process_stored()
    row.refresh_from_db()
    return row


def test_every_way_in_has_its_row_in_the_table() -> None:
    assert set(WAYS) == {"smtp", *BEHIND_A_SERVER, *PROVIDERS}


@pytest.mark.slow
@pytest.mark.parametrize("way_in", WAYS)
def test_a_field_that_only_the_sender_can_have_written_is_believed_nowhere(way_in: str, seat: Seat) -> None:
    """mail-requirements.md S2: if nothing else was known, the mail's own field was believed."""
    lower = "Authentication-Results: mx.elsewhere.example; none"
    row = write(way_in, "vacation 2030-01-01 2030-01-05", lower, f"Authentication-Results: {OURS}; {CLAIM}")
    assert (row.state, row.code) == ("refused", "unproved-to-lobby")


@pytest.mark.parametrize("way_in", WAYS)
def test_the_topmost_field_counts_where_a_mail_server_of_ours_wrote_it(way_in: str, seat: Seat) -> None:
    row = write(way_in, "games", f"Authentication-Results: {OURS}; {CLAIM}")
    assert row.code == ("" if way_in in BEHIND_A_SERVER else "unproved-to-lobby")
    assert row.auth["dmarc"] == ("pass" if way_in in BEHIND_A_SERVER else "none")


@pytest.mark.parametrize("way_in", WAYS)
def test_what_nobody_has_said_is_stored_as_none(way_in: str, seat: Seat) -> None:
    row = write(way_in, "games")
    assert {row.auth.get(method, "none") for method in METHODS} == {"none"}
    assert row.auth["dmarc"] == "none"
    assert row.code == "unproved-to-lobby"


@pytest.mark.slow
@pytest.mark.parametrize("way_in", WAYS)
def test_a_verdict_beside_the_mail_counts_where_the_receiver_can_have_one(way_in: str, seat: Seat) -> None:
    told = {"smtp", "amazon_ses", "sendgrid"}
    assert write(way_in, "games", dmarc="pass").code == ("" if way_in in told else "unproved-to-lobby")
    assert write(way_in, "games", dmarc="fail").code == (
        "forged-to-lobby" if way_in in told else "unproved-to-lobby"
    )


def test_a_post_of_an_unknown_provider_proves_nothing(seat: Seat) -> None:
    row = ingest(letter(seat, "bid 1", To=LOBBY), "ana@example.org", LOBBY, "webhook", {"dmarc": "pass"})
    assert row.auth["dmarc"] == "none"


@pytest.mark.parametrize(
    ("way_in", "field", "is_asked"),
    [
        ("lmtp", f"{OURS}; spf=fail smtp.mailfrom=dora@example.net", False),
        ("lmtp", f'{OURS}; spf=pass smtp.mailfrom="spf=fail"@example.net', True),
        ("lmtp", f"{OURS}; dmarc=fail header.from=example.net", False),
        ("lmtp", "mx.elsewhere.example; spf=fail smtp.mailfrom=dora@example.net", True),
        ("smtp", f"{OURS}; spf=fail smtp.mailfrom=dora@example.net", True),
    ],
)
def test_a_stranger_is_asked_unless_a_check_has_failed(way_in: str, field: str, is_asked: bool) -> None:
    """mail-requirements.md L9: SPF is read by the same rules as DMARC."""
    write(way_in, "join gem", f"Authentication-Results: {field}", author="dora@example.net")
    assert OutboxMessage.objects.exists() == is_asked


def test_a_field_too_long_to_be_read_hides_no_field_below_it(seat: Seat) -> None:
    """A very long field of our own server must not make the one below believed, which is the sender's."""
    signatures = "dkim=fail header.d=example.org; " * 400
    long = f"Authentication-Results: {OURS}; {signatures}dmarc=fail header.from=example.org"
    row = write("lmtp", "games", long, f"Authentication-Results: {OURS}; {CLAIM}")
    assert row.code == "forged-to-lobby"


def test_a_control_character_does_not_end_a_quote_elsewhere(seat: Seat) -> None:
    """Without it the backslash would escape another character."""
    field = f'{OURS}; spf=pass smtp.mailfrom="\\\x01\\"; {CLAIM}; x.y="@evil.example'
    assert write("lmtp", "games", f"Authentication-Results: {field}").code == "unproved-to-lobby"


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({}, set()),
        ({"MAIL_AUTHSERV_ID": "", "SMTP_HOST": "0.0.0.0", "SMTP_PROVES_SENDERS": True}, set()),
        ({"SMTP_HOST": "0.0.0.0"}, {"gemserver.E028"}),
        ({"SMTP_HOST": "192.0.2.1"}, {"gemserver.E028"}),
        ({"SMTP_HOST": "::"}, {"gemserver.E028"}),
        ({"SMTP_HOST": ""}, {"gemserver.E028"}),
        ({"SMTP_HOST": "::1"}, set()),
        ({"SMTP_PROVES_SENDERS": True}, {"gemserver.E028"}),
        ({"MAIL_AUTHSERV_ID": "mx.gem.example 1"}, {"gemserver.E029"}),
        ({"MAIL_AUTHSERV_ID": "spf=pass"}, {"gemserver.E029"}),
    ],
)
def test_settings_that_would_believe_a_field_nobody_has_cleaned_are_refused(
    changed: dict[str, Any], refused: set[str], settings: Any
) -> None:
    settings.PRODUCTION = True
    for name, value in changed.items():
        setattr(settings, name, value)
    found = {str(error.id) for error in check_configuration(None)}
    assert found & {"gemserver.E028", "gemserver.E029"} == refused


PARTIAL = "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=x; l=5; h=from:to:date:subject; bh=x; b=x"


@pytest.mark.parametrize("above", [0, 20])
@pytest.mark.parametrize("way_in", BEHIND_A_SERVER)
def test_a_signature_of_a_part_of_the_text_proves_nothing_of_the_rest(
    way_in: str, above: int, seat: Seat
) -> None:
    """RFC 6376 §8.2: whoever has the mail can add commands behind what is signed, and other signatures above it."""
    others = ["DKIM-Signature: v=1; d=example.net; h=from; b=x"] * above
    row = write(way_in, "games", f"Authentication-Results: {OURS}; {CLAIM}", *others, PARTIAL)
    assert (row.auth["dmarc"], row.code) == ("none", "unproved-to-lobby")
