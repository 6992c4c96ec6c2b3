"""A signed mail that somebody forwards is not obeyed if nothing but its sender entitles it (DKIM replay)."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.models import Match, Seat
from gemserver.notify.models import OutboxMessage
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import sent_to

pytestmark = pytest.mark.django_db

LOBBY = "play@gem.localhost"
SIGNED = "v=1; a=rsa-sha256; d=example.org; s=s; h=from:to:cc:subject:date:message-id; bh=x; b=y"
OF_MICROSOFT = "v=1; a=rsa-sha256; d=example.org; s=s; h=From:Date:Subject:Message-ID:Content-Type; bh=x; b=y"


@pytest.fixture(autouse=True)
def _as_in_production(settings: Any) -> None:
    settings.MAIL_AUTH = "normal"


def write(
    *fields: str,
    at: datetime | None = None,
    to: str = LOBBY,
    body: str = "mail off",
    date: str | None = None,
    author: str = "ana@example.org",
    **auth: str,
) -> InboundEmail:
    """A proved mail of Ana's to the lobby, with these fields on top of it, written at some instant."""
    lines = [
        *fields,
        f"From: {author}",
        f"To: {to}",
        f"Date: {date or format_datetime(at or clock.now())}",
        "Subject: x",
        f"Message-ID: <{InboundEmail.objects.count()}@client.example.org>",
        "",
        body,
        "",
    ]
    verdicts = {"dmarc": "pass", **auth}
    row = ingest("\n".join(lines).encode(), "bounces@elsewhere.example", LOBBY, "smtp", verdicts)
    processing.process_stored()
    row.refresh_from_db()
    return row


def test_a_signed_mail_of_2018_to_somebody_else_is_not_obeyed_at_the_lobby(seat: Seat) -> None:
    """mail-requirements.md A6."""
    row = write(f"DKIM-Signature: {SIGNED}", date="Fri, 09 Mar 2018 10:00:00 +0000", to="friend@example.net")
    assert (row.state, row.code) == ("refused", "sent-on")
    assert User.objects.get(username="ana").mail_mode != "off"
    assert write(f"DKIM-Signature: {SIGNED}").code == ""
    assert User.objects.get(username="ana").mail_mode == "off"


def last_id(player: User) -> str:
    return str(sent_to(player)[-1].extra_headers["Message-ID"])


def test_an_answer_sent_to_the_lobby_is_for_the_match_of_the_mail_that_it_answers(seat: Seat) -> None:
    """mail-requirements.md A6: the answer to a receipt, under a subject of one's own, ended with no match."""
    player = seat.user
    assert player
    write(f"In-Reply-To: {last_id(player)}", author=player.email, body="bid 9")
    receipt = last_id(player)
    assert receipt.startswith("<a.")
    row = write(f"In-Reply-To: {receipt}", author=player.email, body="bid 1")
    assert (row.state, row.seat) == ("done", seat)
    assert seat.match.moves.get().text == "bid 1"


def test_so_is_an_answer_to_a_mail_whose_id_a_relay_has_replaced(seat: Seat) -> None:
    """mail-requirements.md H2."""
    player = seat.user
    assert player
    ours = last_id(player)
    OutboxMessage.objects.filter(message_id=ours).update(provider_id="0102@email.relay.example")
    row = write("In-Reply-To: <0102@email.relay.example>", author=player.email, body="bid 1")
    assert (row.state, row.seat) == ("done", seat)


def test_an_answer_to_somebody_elses_mail_is_a_mail_to_the_lobby_like_any_other(seat: Seat) -> None:
    """Whoever was shown a mail and wrote to us from there was not heard."""
    assert seat.user
    shown = last_id(seat.user)
    other = User.objects.exclude(pk=seat.user.pk).get(username__in=["ana", "ben"])
    row = write(f"In-Reply-To: {shown}", author=other.email, body="bid 1")
    assert (row.code, row.user, row.seat) == ("no-match", other, None)
    stranger = write(f"In-Reply-To: {shown}", author="eve@elsewhere.example", body="join gem")
    assert stranger.code == "asked-to-confirm"
    assert seat.match.moves.count() == 0


def test_the_player_is_told_once_a_day_what_to_do(seat: Seat) -> None:
    for _ in range(2):
        write(to="friend@example.net")
    (told,) = [mail for mail in sent_to(User.objects.get(username="ana")) if "NOT done" in str(mail.body)]
    assert "To or Cc" in str(told.body)
    assert told.to == ["ana@example.org"]


@pytest.mark.parametrize(
    ("age", "code"),
    [
        (timedelta(0), ""),
        (timedelta(days=5), ""),  # a mail server that retried for as long as any does
        (timedelta(hours=-14), ""),  # a clock set to another zone
        (timedelta(days=8), "sent-on"),
        (timedelta(days=-2), "sent-on"),
    ],
)
def test_a_mail_without_a_token_is_of_these_days(age: timedelta, code: str, seat: Seat) -> None:
    assert write(f"DKIM-Signature: {SIGNED}", at=clock.now() - age).code == code


@pytest.mark.parametrize(
    "date", ["", "yesterday", "Fri, 99 Mar 2026 10:00:00 +0000", "x" * 5000, "\x00", "1 Jan 1 0:0 +9999"]
)
def test_a_mail_that_does_not_say_when_it_was_written_is_not_obeyed(date: str, seat: Seat) -> None:
    assert write(date=date or " ").code == "sent-on"


@pytest.mark.parametrize(
    ("fields", "to"),
    [
        ([], "friend@example.net"),
        (["Cc: other@example.net"], "friend@example.net"),
        (["Delivered-To: play@gem.localhost", "X-Original-To: play@gem.localhost"], "friend@example.net"),
        (["To: play@gem.localhost"], "friend@example.net"),  # put above the signed one
        (["Date: Fri, 06 Mar 2026 10:00:00 +0000"], LOBBY),
        (["Bcc: play@gem.localhost", "Resent-To: play@gem.localhost"], "friend@example.net"),
        ([], '"play@gem.localhost" <friend@example.net>'),
        ([], "friend@example.net (play@gem.localhost)"),
    ],
)
def test_only_to_and_cc_that_stand_once_say_for_whom_a_mail_is(
    fields: list[str], to: str, seat: Seat
) -> None:
    assert write(f"DKIM-Signature: {SIGNED}", *fields, to=to).code == "sent-on"


@pytest.mark.parametrize(
    ("fields", "to"),
    [
        ([], "Gem server <PLAY@gem.localhost>, friend@example.net"),
        (["Cc: play@gem.localhost"], "friend@example.net"),
    ],
)
def test_who_names_the_lobby_among_others_is_obeyed(fields: list[str], to: str, seat: Seat) -> None:
    assert write(f"DKIM-Signature: {SIGNED}", *fields, to=to).code == ""


@pytest.mark.parametrize(
    ("signatures", "code"),
    [
        ([], ""),
        ([SIGNED], ""),
        ([SIGNED.replace(":to", ":To ")], ""),
        ([OF_MICROSOFT], "sent-on"),
        ([SIGNED.replace(":date", "")], "sent-on"),
        ([SIGNED, OF_MICROSOFT], "sent-on"),
        (["v=1; d=example.org; b=y"], "sent-on"),
        ([SIGNED + "; h=to:date"], "sent-on"),
        ([SIGNED] * 21, "sent-on"),
    ],
)
def test_what_no_signature_covers_anybody_may_have_changed(
    signatures: list[str], code: str, seat: Seat
) -> None:
    assert write(*(f"DKIM-Signature: {each}" for each in signatures)).code == code


def test_a_signature_made_long_with_blanks_still_counts_as_one(seat: Seat) -> None:
    """Relaxed canonicalization lets anybody add them (RFC 6376 §3.4.2)."""
    long = OF_MICROSOFT.replace("; bh", f";{' ' * 9000}bh")
    row = write(f"DKIM-Signature: {long}", to=LOBBY)
    assert (row.state, row.code) == ("unreadable", "field-too-long")


def test_mail_of_the_authors_own_server_was_not_sent_on(seat: Seat) -> None:
    """Outlook's signatures do not cover To; SPF says that the mail comes directly from there."""
    raw = letter(seat, "mail off", To=LOBBY, Date=format_datetime(clock.now()), DKIM_Signature=OF_MICROSOFT)
    verdicts = {"dmarc": "pass", "spf": "pass"}
    row = ingest(raw, "ana@example.org", LOBBY, "smtp", verdicts)
    other = ingest(raw.replace(b"mail off", b"mail turns"), "x@elsewhere.example", LOBBY, "smtp", verdicts)
    processing.process_stored()
    row.refresh_from_db()
    other.refresh_from_db()
    assert (row.code, other.code) == ("", "sent-on")


def test_an_old_answer_without_a_token_is_not_obeyed(match: Match, seat: Seat, player: User) -> None:
    """Found by Message-ID alone (mail-requirements.md A6)."""
    turn = next(mail for mail in sent_to(player) if mail.extra_headers["Message-ID"].startswith("<t."))
    fields = [f"In-Reply-To: {turn.extra_headers['Message-ID']}"]
    assert (
        write(*fields, author=player.email, body="bid 1", at=clock.now() - timedelta(days=30)).code
        == "sent-on"
    )
    assert write(*fields, author=player.email, body="bid 1", to="friend@example.net").code == "sent-on"
    assert not match.moves.exists()
    assert write(*fields, author=player.email, body="bid 1").code == ""
    assert match.moves.get().text == "bid 1"


def test_who_has_the_token_may_write_whenever_and_to_whomever(match: Match, seat: Seat) -> None:
    raw = letter(seat, "bid 1", To="friend@example.net", Date="Fri, 09 Mar 2018 10:00:00 +0000")
    row = ingest(raw, "ana@example.org", seat.reply_address, "smtp", {"dmarc": "pass"})
    processing.process_stored()
    row.refresh_from_db()
    assert (row.state, row.code) == ("done", "")


def test_where_nobody_is_suspected_a_mail_may_be_old(seat: Seat, settings: Any) -> None:
    settings.MAIL_AUTH = "off"
    assert write(date="Fri, 09 Mar 2018 10:00:00 +0000", to="friend@example.net").code == ""
    assert not OutboxMessage.objects.filter(kind="held").exists()


def test_a_subject_put_above_the_signed_one_is_no_command(seat: Seat) -> None:
    """A signature covers the lowest field of a name (RFC 6376 §5.4.2): whoever sends the mail on adds one above."""
    assert write("Subject: mail off", f"DKIM-Signature: {SIGNED}", body="Hello!").state != "done"
    assert User.objects.get(username="ana").mail_mode != "off"


@pytest.mark.parametrize(("signed", "is_done"), [(SIGNED, True), (SIGNED.replace(":subject", ""), False)])
def test_a_subject_is_a_command_where_the_signature_covers_it(
    signed: str, is_done: bool, match: Match, seat: Seat
) -> None:
    raw = letter(seat, "Hello!", Subject="bid 1", DKIM_Signature=signed)
    receive(seat, raw, dmarc="pass")
    assert match.moves.exists() == is_done


def test_a_turn_that_its_player_forwards_does_not_come_back_with_another_subject(
    match: Match, seat: Seat, player: User
) -> None:
    """The friend has the address of the seat, and a mail of these days that the player's server has signed."""
    turn = next(mail for mail in sent_to(player) if mail.extra_headers["Message-ID"].startswith("<t."))
    head = f"---------- Forwarded message ---------\nFrom: Gem server <{LOBBY}>\nSubject: {turn.subject}\n"
    raw = letter(
        seat, f"{head}\n{turn.body}", To="friend@example.net", Subject="Fwd: x", DKIM_Signature=SIGNED
    )
    receive(seat, b"Subject: bid 1\n" + raw, dmarc="pass")
    assert not match.moves.exists()


@pytest.mark.parametrize(
    "above",
    ['Content-Type: multipart/mixed; boundary="-- Forwarded --"', "Content-Transfer-Encoding: base64"],
)
def test_the_body_of_a_signed_mail_is_not_cut_in_another_way(above: str, match: Match, seat: Seat) -> None:
    """A boundary that is a line of the text makes what stands below it the whole mail."""
    text = "What would you do?\n\n---- Forwarded --\n\nbid 1\n"
    raw = letter(seat, text, To="friend@example.net", DKIM_Signature=SIGNED)
    row = receive(seat, above.encode() + b"\n" + raw, dmarc="pass")
    assert (row.state, row.code) == ("unreadable", "malformed")
    assert not match.moves.exists()


@pytest.mark.parametrize("signed", [SIGNED, SIGNED.replace(":message-id", "")])
def test_a_mail_with_another_head_above_it_is_the_same_mail(signed: str, match: Match, seat: Seat) -> None:
    """mail-requirements.md I1."""
    raw = letter(seat, "say hello", DKIM_Signature=signed, Date=format_datetime(clock.now()))
    receive(seat, raw, dmarc="pass")
    receive(seat, b"Subject: again\nMessage-ID: <again@example.net>\n" + raw, dmarc="pass")
    assert match.messages.count() == 1


def test_a_signed_mail_under_another_id_is_the_same_mail(match: Match, seat: Seat) -> None:
    """mail-requirements.md I1: not all servers sign Message-ID."""
    signed = SIGNED.replace(":message-id", "")
    raw = letter(seat, "say hello", DKIM_Signature=signed, Message_ID="<one@example.org>")
    receive(seat, raw, dmarc="pass")
    receive(seat, raw.replace(b"<one@", b"<two@"), dmarc="pass")
    assert match.messages.count() == 1
