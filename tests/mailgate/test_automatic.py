"""Mails that are never acted upon nor answered, and mails that only look like these (mail-requirements.md L2-L7)."""

from __future__ import annotations

import pytest

from gemserver.mailgate.header import ParsedMail
from gemserver.mailgate.parse import parse


def mail(*fields: str, sender: str = "ana@example.net") -> ParsedMail:
    return parse("\r\n".join((f"From: {sender}", *fields, "", "bid 3")).encode())


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ("Auto-Submitted: auto-replied", "auto-submitted"),
        ("Auto-Submitted: AUTO-Generated; owner=x", "auto-submitted"),
        ("Auto-Submitted:", "auto-submitted"),
        ("Return-Path: <>", "null-sender"),
        ("Return-Path: < >", "null-sender"),
        ("Content-Type: multipart/report; boundary=b", "report"),
        ("X-Failed-Recipients: a@b.c", "report"),
        ("Auto-Submitted: no\r\nAuto-Submitted: auto-replied", "auto-submitted"),
        ("X-Autoreply: no\r\nX-Autoreply: yes", "autoreply"),
        ("X-Autoreply: yes", "autoreply"),
        ("X-Autorespond: Re: hello", "autoreply"),
        ("X-AutoReply-From: a@b.c", "autoreply"),
        ("X-Mail-Autoreply: 1", "autoreply"),
        ("X-FC-MachineGenerated: true", "autoreply"),
        ("Delivered-To: Autoresponder", "autoreply"),
        ("Precedence: bulk", "precedence"),
        ("Precedence: Junk", "precedence"),
        ("Precedence: auto_reply", "precedence"),
        ("X-Precedence: bulk", "precedence"),
        ("X-Gemserver-Loop: 1f3a", "loop"),
    ],
)
def test_machines_are_known_by_what_they_say(field: str, reason: str) -> None:
    """mail-requirements.md L2, L3, L4, L7."""
    assert mail(field).automatic == reason


@pytest.mark.parametrize(
    "field",
    [
        "Auto-Submitted: no",
        "Auto-Submitted: No (really)",
        "X-Auto-Response-Suppress: All",
        "X-Auto-Response-Suppress: None",
        "X-Autoreply: no",
        "Return-Path: <ana@example.net>",
        "Precedence: normal",
        "Precedence: list",
    ],
)
def test_people_are_not_taken_for_machines(field: str) -> None:
    """mail-requirements.md L5."""
    assert mail(field).automatic is None


@pytest.mark.parametrize(
    "sender",
    [
        "MAILER-DAEMON@example.net",
        "postmaster@example.net",
        "no-reply@example.net",
        "noreply+17@example.net",
        "do-not-reply@example.net",
        "bounces+abc=def@example.net",
        "bounce-17@example.net",
        "autoreply@example.net",
    ],
)
def test_addresses_of_machines(sender: str) -> None:
    """mail-requirements.md L3."""
    assert mail(sender=sender).automatic == "robot-sender"


@pytest.mark.parametrize(
    "sender", ["bounty@example.net", "norepli@example.net", "postmasters.son@example.net"]
)
def test_addresses_that_only_resemble_them(sender: str) -> None:
    assert mail(sender=sender).automatic is None


@pytest.mark.parametrize(
    "field", ["Precedence: list", "List-Id: <gems.lists.example>", "List-Post: <mailto:gems@lists.example>"]
)
def test_a_list_is_told_apart_because_a_token_may_excuse_it(field: str) -> None:
    """mail-requirements.md L4. Only the first of these fields was known."""
    assert mail(field).from_list
    assert mail(field).automatic is None
    assert not mail("Precedence: bulk").from_list


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: [GEM M17] Ana, Ben",
        "Out of Office",
        "Abwesenheitsnotiz: hello",
        "[Auto-Reply] Re: [Table talk] GEM M17",
        "Auto: Re: [Table talk] GEM M17",
        "Out-of-Office: back on Monday",
        "OOO: [Table talk] GEM M17",
        "I'm away Re: [Table talk] GEM M17",
        "Away from my mail",
        "Automated response",
        "Automatische E-Mail-Antwort: Tischgespräch",
        "Ausser Haus",
        "Ich bin nicht im Büro",
        "Urlaubsabwesenheit",
        "Absent(e) du bureau",
        "Notification d\u2019absence : [GEM M17]",
        "Message automatique",
        "AW: Automatische Antwort",
        "Réponse automatique : [GEM M17]",
        "=?utf-8?q?Automatick=C3=A1_odpov=C4=9B=C4=8F?=",
        "Re: Mimo kancelář",
        "Respuesta automática",
        "Risposta automatica",
        "Autosvar",
        "Automatisch antwoord",
        "Odpowiedź automatyczna",
    ],
)
def test_subjects_of_vacation_notices_are_a_reason_to_ask(subject: str) -> None:
    """mail-requirements.md L6."""
    read = mail(f"Subject: {subject}")
    assert read.looks_automatic
    assert read.automatic is None


@pytest.mark.parametrize(
    "subject",
    [
        "Re: [GEM M17] Ana, Ben",
        "my move",
        "",
        "Out of coins",
        "Auto-moves?",
        "Absence",
        "I'm awaiting your move",
    ],
)
def test_other_subjects_are_none(subject: str) -> None:
    assert not mail(f"Subject: {subject}").looks_automatic
