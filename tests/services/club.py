"""Three people who never open the site: they sign up, sit down, talk and play a match of Gemessengers by mail alone.

Each writes like another kind of mail program.
"""

from __future__ import annotations

import html
import random
import re
import smtplib
from collections.abc import Callable
from datetime import timedelta

from tests.services.log import say
from tests.services.processes import Failed, wait_for
from tests.services.sink import Letter, Sink
from tests.services.site import Site

LOBBY = "play@gem.test"
TURN_LIMIT = 60
SAID = "Hello, all of you! resign"
ATTRIBUTION = "On Fri, 6 Mar 2026 at 12:00, Gem server <play@gem.test> wrote:"

Style = Callable[[str, Letter | None], tuple[str, str]]
"""The typed text and the mail it answers → the content type and the body."""


def plain_text(typed: str, answered: Letter | None) -> tuple[str, str]:
    """Above the quote, with a signature."""
    quoted = f"\n\n{ATTRIBUTION}\n{_quote(answered)}" if answered else ""
    return "text/plain; charset=utf-8", f"{typed}\n\n-- \nDora\n+420 777 123 456{quoted}\n"


def phone(typed: str, answered: Letter | None) -> tuple[str, str]:
    """HTML and nothing else, with the phone's own line and the whole mail below it."""
    lines = "".join(f"<div>{html.escape(line)}</div>" for line in typed.splitlines())
    quoted = ""
    if answered:
        original = "<br>".join(html.escape(line) for line in answered.text.splitlines())
        quoted = (
            f'<div class="gmail_quote"><div class="gmail_attr">{html.escape(ATTRIBUTION)}</div>'
            f'<blockquote class="gmail_quote">{original}</blockquote></div>'
        )
    body = f'<html><body dir="auto">{lines}<br><div>Sent from my iPhone</div>{quoted}</body></html>'
    return "text/html; charset=utf-8", body


def bottom_poster(typed: str, answered: Letter | None) -> tuple[str, str]:
    """Below the quote, as in the old days."""
    quoted = f"{ATTRIBUTION}\n{_quote(answered)}\n\n" if answered else ""
    return "text/plain; charset=utf-8; format=flowed", f"{quoted}{typed}\n"


def _quote(letter: Letter | None) -> str:
    return "\n".join(f"> {line}".rstrip() for line in letter.text.splitlines()) if letter else ""


class Correspondent:
    """One of the three: an address, a way of writing, and the mails not answered yet."""

    def __init__(self, name: str, style: Style, sink: Sink, smtp_port: int) -> None:
        self.name = name
        self.address = f"{name}@club.test"
        self.moves = 0
        self._style = style
        self._sink = sink
        self._smtp_port = smtp_port
        self._sent = 0
        self._answered: set[str] = set()

    def letters(self, kind: str = "") -> list[Letter]:
        return [letter for letter in self._sink.letters_to(self.address) if letter.kind.startswith(kind)]

    @property
    def starts(self) -> list[Letter]:
        """The mails that say that a match has begun."""
        return [letter for letter in self.letters() if letter.tells_the_start]

    @property
    def answers(self) -> list[Letter]:
        """The mails that answer one of the writer's own; some tell the next turn too."""
        return [letter for letter in self.letters() if letter.in_reply_to.endswith("@club.test>")]

    def write(self, to: str, typed: str, answering: Letter | None = None) -> None:
        self._sent += 1
        content_type, body = self._style(typed, answering)
        fields = [
            f"From: {self.name.title()} <{self.address}>",
            f"To: <{to}>",
            f"Subject: {f'Re: {answering.subject}' if answering else 'Hello'}",
            f"Message-ID: <{self.name}.{self._sent}@club.test>",
            "MIME-Version: 1.0",
            f"Content-Type: {content_type}",
            "Content-Transfer-Encoding: 8bit",
        ]
        if answering:
            fields += [f"In-Reply-To: {answering.message_id}", f"References: {answering.message_id}"]
        raw = "\r\n".join([*fields, "", *body.split("\n")]).encode()
        say(f"mail  {self.name}: {typed.replace(chr(10), ' / ')}")
        with smtplib.SMTP("127.0.0.1", self._smtp_port, timeout=30) as server:
            server.sendmail(self.address, [to], raw)

    def sign_up(self, wish: str) -> Letter:
        """Ask the lobby for an account, send the code back, and get the receipt: the account and the wish granted."""
        self.write(LOBBY, wish)
        question = self.wait_for("j")
        code = re.search(r"write: +(confirm \S+)", question.text)
        if code is None:
            raise Failed(f"there is no code to confirm with:\n{question.text}")
        self.write(question.reply_to, code[1], question)
        receipt = self.wait_for("a")
        if "NOT" in receipt.text.splitlines()[2]:
            raise Failed(f"{self.name} asked for “{wish}” and was told:\n{receipt.text}")
        return receipt

    def wait_for(self, kind: str) -> Letter:
        """The latest mail of a kind that was not looked at yet, once there is one."""
        wait_for(f"a mail of kind {kind} to {self.name}", lambda: bool(self._new(kind)), seconds=TURN_LIMIT)
        letter = self._new(kind)[-1]
        self._answered.add(letter.message_id)
        return letter

    def play(self, chance: random.Random) -> bool:
        """Answer a turn mail, if one has come."""
        for letter in self._new("t"):
            self._answered.add(letter.message_id)
            if not letter.offered_moves:
                raise Failed(f"this turn mail offers no move:\n{letter.text}")
            self.write(letter.reply_to, chance.choice(letter.offered_moves), letter)
            self.moves += 1
            return True
        return False

    @property
    def new_turn_count(self) -> int:
        return len(self._new("t"))

    def _new(self, kind: str) -> list[Letter]:
        return [letter for letter in self.letters(kind) if letter.message_id not in self._answered]


def play_by_mail(site: Site, sink: Sink) -> str:
    """Play the whole match; return its code. Raises Failed."""
    dora, emil, fay = (
        Correspondent(name, style, sink, site.smtp_port)
        for name, style in (("dora", plain_text), ("emil", phone), ("fay", bottom_poster))
    )
    table = dora.sign_up("new gemessengers seats 3")
    found = re.search(r"\bM\d+\b", table.text)
    if found is None:
        raise Failed(f"the receipt names no table:\n{table.text}")
    code = found[0]
    say(f"dora has opened {code} by mail")
    emil.sign_up(f"join {code}")
    fay.sign_up("join gemessengers")
    club = [dora, emil, fay]
    wait_for("the mails of the start", lambda: all(player.starts for player in club), seconds=TURN_LIMIT)
    say(f"{code} has begun")
    (start,) = dora.starts
    dora.write(start.reply_to, f"say {SAID}", start)
    _play(club)
    # Talk is collected for a minute before it is mailed.
    site.clock.move(timedelta(minutes=1))
    _check_talk(dora, emil, fay)
    for player in club:
        unread = [letter for letter in player.letters("a") if "NOT" in letter.text.splitlines()[2]]
        if unread:
            raise Failed(f"{player.name} was told:\n{unread[0].text}")
    say(f"{code} was played to its end by mail alone, {sum(player.moves for player in club)} moves")
    return code


def _check_talk(speaker: Correspondent, *listeners: Correspondent) -> None:
    """Words said to the table reached the others, and no line of them can be read as a command there."""
    for listener in listeners:
        letter = listener.wait_for("k")
        said = [line for line in letter.text.splitlines() if SAID in line]
        if not said or said[0].startswith(SAID):
            raise Failed(f"{listener.name} does not read what was said:\n{letter.text}")
        if speaker.address in letter.text:
            raise Failed(f"the speaker's address was given away:\n{letter.text}")
    say("what was said reached the others")


def _play(club: list[Correspondent]) -> None:
    chance = random.Random(3)

    def is_over() -> bool:
        return all(player.letters("f") for player in club)

    def has_moved() -> bool:
        moved = [player.play(chance) for player in club]
        return any(moved) or is_over()

    while not is_over():
        wait_for("a turn mail or the end", has_moved, seconds=TURN_LIMIT)
