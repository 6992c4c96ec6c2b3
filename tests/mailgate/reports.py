"""Reports on our mails, as servers write them."""

from __future__ import annotations

from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Match
from gemserver.notify import delivery
from gemserver.notify.envelope import return_address
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user


def match_of_ana_asked_by_mail() -> Match:
    """A match of Ana, who has the turn and got her mail, and Ben."""
    players = [make_user("ana"), make_user("ben")]
    match = make_match(players=players, server_part="22" * 32, absence=Match.Absence.REPLACE, now=clock.now())
    delivery.send_queued()
    return match


def turn_mail() -> OutboxMessage:
    return OutboxMessage.objects.get(kind="turn", user__username="ana")


def dsn(
    message: OutboxMessage | None,
    *,
    action: str = "failed",
    status: str = "5.1.1",
    recipient: str = "ana@example.org",
    with_header: bool = True,
) -> bytes:
    """A delivery status notification as Postfix writes it (RFC 3464)."""
    header = (
        f"Message-ID: {message.message_id}\nSubject: [GEM M1] Ana, Ben\n"
        if message and with_header
        else "Subject: x\n"
    )
    return f"""Return-Path: <>
From: MAILER-DAEMON@mx.example.org (Mail Delivery System)
To: {return_address(message) if message else "play@gem.localhost"}
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Message-ID: <20260306120000.{abs(hash((action, status, recipient)))}@mx.example.org>
Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"

--=_b
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--=_b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org
Arrival-Date: Fri, 6 Mar 2026 12:00:00 +0000 (UTC)

Final-Recipient: rfc822; {recipient}
Action: {action}
Status: {status}
Diagnostic-Code: smtp; 550 5.1.1 User unknown

--=_b
Content-Type: text/rfc822-headers

From: Gem server <play@gem.localhost>
{header}
--=_b--
""".encode()


def complaint(message: OutboxMessage) -> bytes:
    """An abuse report of a feedback loop (RFC 5965)."""
    return f"""From: <feedback@isp.example>
To: <play@gem.localhost>
Subject: FW: your turn
MIME-Version: 1.0
Message-ID: <fbl-1@isp.example>
Content-Type: multipart/report; report-type=feedback-report; boundary="=_f"

--=_f
Content-Type: text/plain

This is an email abuse report.

--=_f
Content-Type: message/feedback-report

Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Rcpt-To: <ana@example.org>

--=_f
Content-Type: message/rfc822

From: Gem server <play@gem.localhost>
Message-ID: {message.message_id}
Subject: your turn

Your turn.

--=_f--
""".encode()


def receive(raw: bytes, to: str, sender: str = "") -> InboundEmail:
    row = ingest(raw, sender, to, "smtp", {})
    processing.process_stored()
    row.refresh_from_db()
    return row
