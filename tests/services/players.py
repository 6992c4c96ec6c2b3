"""Two people at the table: one plays on the web, one by mail alone. Both move when a mail says it is their turn."""

from __future__ import annotations

import random
import smtplib
from collections import Counter
from collections.abc import Iterator

from tests.services.browser import Browser, Page
from tests.services.log import say
from tests.services.processes import Failed
from tests.services.sink import Letter, Sink


class Player:
    """Common to both: an address, a mailbox, and the turn mails that are not answered yet."""

    def __init__(self, name: str, seat: str, sink: Sink, chance: random.Random) -> None:
        self.name = name
        self.seat = seat
        self.address = f"{name}@players.test"
        self.sink = sink
        self.chance = chance
        self.moves = 0
        self._answered: set[str] = set()

    def letters(self) -> list[Letter]:
        return self.sink.letters_to(self.address)

    @property
    def answers(self) -> list[Letter]:
        """The mails that answer one of the player's own; some tell the next turn too."""
        return [letter for letter in self.letters() if letter.in_reply_to.endswith("@players.test>")]

    def count_letters(self) -> Counter[str]:
        """The mails that tell a start, a turn, an end, and those of the player's mails that were answered."""
        letters = self.letters()
        return Counter(
            starts=sum(letter.tells_the_start for letter in letters),
            turns=sum(letter.kind == "t" for letter in letters),
            ends=sum(letter.kind == "f" for letter in letters),
            answers=len(self.answers),
        )

    @property
    def has_new_turn(self) -> bool:
        return self.new_turn_count > 0

    @property
    def new_turn_count(self) -> int:
        return sum(
            letter.kind == "t" and letter.message_id not in self._answered for letter in self.letters()
        )

    def new_turns(self) -> Iterator[Letter]:
        for letter in self.letters():
            if letter.kind == "t" and letter.message_id not in self._answered:
                self._answered.add(letter.message_id)
                yield letter

    @property
    def is_done(self) -> bool:
        """True if the mail about the end has come."""
        return any(letter.kind == "f" for letter in self.letters())

    def pick(self, letter: Letter) -> str:
        """One of the moves that the mail offers."""
        if not letter.offered_moves:
            raise Failed(f"this turn mail offers no move:\n{letter.text}")
        return self.chance.choice(letter.offered_moves)


class WebPlayer(Player):
    """Signs in with a password; builds every other move from the choices, and types the others."""

    def __init__(self, name: str, seat: str, sink: Sink, chance: random.Random, browser: Browser) -> None:
        super().__init__(name, seat, sink, chance)
        self._browser = browser

    def sign_in(self, password: str) -> None:
        page = self._browser.get("/accounts/login/")
        page = self._browser.send(page, page.form("/accounts/login/"), login=self.name, password=password)
        if page.status != 200 or page.find_form("/accounts/login/"):
            raise Failed(f"{self.name} could not sign in: {page.text[:2000]}")
        say(f"{self.name} signed in with a password")

    def answer(self, letter: Letter) -> None:
        page = self._browser.get(letter.page)
        if self.moves == 0:
            self._be_refused(page)
        page = self._build(page) if self.moves % 2 else self._type(page, letter)
        if page.status != 200 or (page.find_form("move-bar") is not None and "refusal" in page.text):
            raise Failed(f"the move was not taken ({page.status}):\n{page.text[:3000]}")
        self.moves += 1

    def _be_refused(self, page: Page) -> None:
        page = self._browser.send(page, page.form("move-bar"), ("play", "1"), text="bid 99")
        if page.status != 422 or 'value="bid 99"' not in page.text:
            raise Failed(
                f"a bid of 99 should be refused with what was typed kept ({page.status}):\n{page.text}"
            )
        say(f"web   {self.seat}: bid 99 was refused")

    def _type(self, page: Page, letter: Letter) -> Page:
        move = self.pick(letter)
        say(f"web   {self.seat}: types {move}")
        return self._browser.send(page, page.form("move-bar"), ("play", "1"), text=move)

    def _build(self, page: Page) -> Page:
        """Press choices until a preview is shown, then play it."""
        for _ in range(20):
            command = page.form("move-bar")
            if command.fields.get("text") and not command.has_button("preview"):
                say(f"web   {self.seat}: built {command.fields['text']}")
                return self._browser.send(page, command, ("play", "1"))
            choices = page.form("choices")
            page = self._browser.send(page, choices, self.chance.choice(choices.buttons))
        raise Failed(f"no move could be built:\n{page.text[:3000]}")


class MailPlayer(Player):
    """Replies as mail programs do: the move on top, the mail quoted below."""

    def __init__(self, name: str, seat: str, sink: Sink, chance: random.Random, smtp_port: int) -> None:
        super().__init__(name, seat, sink, chance)
        self._smtp_port = smtp_port
        self.sent = 0
        """Different mails: each is to be answered with one receipt."""
        self._first: Letter | None = None

    def answer(self, letter: Letter) -> None:
        if self._first is None:
            self._first = letter
            self._reply(letter, "bid 99")
        move = self.pick(letter)
        raw = self._reply(letter, move)
        self.moves += 1
        if self.moves == 2:
            say(f"mail  {self.seat}: the same mail once more")
            self._deliver(letter.reply_to, raw)
        if self.moves == 3 and self._first:
            say(f"mail  {self.seat}: an answer to the first turn, long gone")
            self._reply(self._first, "pass")

    def be_turned_away(self) -> None:
        """Write to an address that does not exist."""
        try:
            self._deliver("play+abcdefghijklmnopqrstuvwx27@gem.test", b"Subject: x\r\n\r\nbid 1\r\n")
        except smtplib.SMTPRecipientsRefused as refusal:
            codes = [code for code, _ in refusal.recipients.values()]
            if codes == [550]:
                say("mail to an unknown address was refused with 550")
                return
        raise Failed("mail to an unknown address was not refused with 550")

    def _reply(self, letter: Letter, text: str) -> bytes:
        self.sent += 1
        quoted = "\r\n".join(f"> {line}" for line in letter.text.splitlines())
        headers = [
            f"From: {self.name.title()} <{self.address}>",
            f"To: <{letter.reply_to}>",
            f"Subject: Re: {letter.subject}",
            f"Message-ID: <{self.sent}@players.test>",
            f"In-Reply-To: {letter.message_id}",
            f"References: {letter.message_id}",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
        ]
        body = [text, "", "On Fri, 6 Mar 2026 at 12:00, Gem server <play@gem.test> wrote:", quoted, ""]
        raw = "\r\n".join([*headers, "", *body]).encode()
        say(f"mail  {self.seat}: {text}")
        self._deliver(letter.reply_to, raw)
        return raw

    def _deliver(self, to: str, raw: bytes) -> None:
        with smtplib.SMTP("127.0.0.1", self._smtp_port, timeout=30) as server:
            server.sendmail(self.address, [to], raw)
