"""Promises that every mail of the server keeps, in each language, with long and foreign names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from django.conf import settings

from gemserver.lib.text.mail_address import comparable
from gemserver.notify.models import OutboxMessage
from gemserver.site.mailroom.letters import Letter
from tests.notify.every_mail import SCENES, played
from tests.quick import some

pytestmark = [pytest.mark.django_db, pytest.mark.pictures, pytest.mark.usefixtures("guessing_bots")]

WIDEST = 78
_CASES = [
    (name, language) for number, name in enumerate(SCENES) for language in some(("en", "fr", "de"), 3, number)
]
_KINDS = {
    "digest": {"digest"},
    "vacation": {"vacation-ends"},
    "bank": {"away"},
    "put-back": {"restored", "turn"},
    "clubs": {"club-mail", "club-digest", "club-notice", "receipt"},
    "seats": {"replaced", "seat-given", "turn", "started"},
    "bounces": {"cut-off"},
    "sitters": {"sit-asked", "sit-answered", "sit-over"},
    "invitations": {"invitation", "cancelled"},
    "host": {"terms-changed", "removed"},
    "season": {"season-started", "season-over", "event-decision"} | {"replace-asked", "replace-answered"},
    "season-off": {"season-off"},
    "talk": {"talk", "report", "report-answer"},
    "studies": {"hint", "review"},
    "puzzles": {"puzzle"},
    "receipts": {"receipt", "held"},
    "shut": {"banned", "cleared", "muted", "reopened"},
    "strangers": {"sign-up"},
    "codes": {"account"},
    "postmaster": {"postmaster"},
    "absent": {"timeout", "reminder"},
    "finished": {"finished"},
    "consent": {"undo", "holiday"},
}


class _Markup(HTMLParser):
    """Collects what is amiss for people who listen to a mail."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.tables: list[bool] = []
        """For each open table, true if it is mere layout."""
        self.seen: set[str] = set()
        self.language = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        if tag == "html":
            self.language = fields.get("lang") or ""
        if tag == "img" and not fields.get("alt"):
            self.faults.append("a picture without alt")
        if tag == "table":
            self.tables.append(fields.get("role") == "presentation")
        if tag == "td" and self.tables and not self.tables[-1] and "th" not in self.seen:
            self.faults.append("a table without heads, and not for layout")
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.tables.pop()


def test_every_kind_of_mail_has_a_scene() -> None:
    shown = set().union(*_KINDS.values())
    assert shown == set(settings.MAIL_KINDS)
    assert set(_KINDS) <= set(SCENES)


@pytest.mark.slow
@pytest.mark.parametrize(("scene", "language"), _CASES)
def test_mails_are_whole(scene: str, language: str) -> None:
    with played(scene, language) as rows:
        assert {row.kind for row in rows} >= _KINDS.get(scene, set())
        for row in rows:
            assert _faults(row, language) == [], row.kind


def _faults(row: OutboxMessage, language: str) -> list[str]:
    letter, markup = Letter(row), _Markup()
    markup.feed(letter.html)
    faults = list(markup.faults)
    if row.kind != "postmaster" and markup.language != language:
        faults.append(f"written in {markup.language}")
    for line in letter.text.splitlines():
        if len(line) > WIDEST and not re.fullmatch(r"\s*\S*://\S*", line):
            faults.append(f"too wide: {line}")
    for name, text in (("text", letter.text), ("HTML", letter.html), ("subject", letter.subject)):
        if found := re.search(r"%\(\w+\)|\{[{%]|\{\w+\}|None\b|&amp;(?:lt|gt|#x27)", text):
            faults.append(f"{found[0]} in the {name}")
    if row.user and letter.header("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click":
        faults.append("no one-click unsubscribe")
    if not letter.header("Feedback-ID").endswith(":gemserver"):
        faults.append("no Feedback-ID")
    if comparable(letter.reply_address) != letter.reply_address:
        faults.append("an odd reply address")
    if len(bytes(row.rendered or b"")) > (100_000 if row.kind == "digest" else 80_000):
        faults.append("too heavy")
    return faults
