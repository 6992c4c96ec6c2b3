"""Threads in which the players sit: each looks for players that a match waits for, and lets them move.

If there is no answer they do what people and mail servers do: send the same form, or the same mail, again.
"""

from __future__ import annotations

import http.client
import random
import smtplib
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence

from django.db import DatabaseError, close_old_connections, connection

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.matches.models import Match, Seat
from tests.faults.crowd import PASSWORD, pick
from tests.faults.deeds import Deed, Deeds
from tests.faults.relay import Relay
from tests.services.browser import Browser, Page
from tests.services.processes import Failed
from tests.services.sink import Letter

PAUSE = 0.2
LONGEST = 120
"""Seconds in which a move must be taken, whatever happens."""
TWICE_EVERY = 10
"""One in so many forms and mails is sent a second time, although the first was taken."""


class Desk(threading.Thread, ABC):
    """Works from `start` on while `open_` is set; `idle` is set while it does nothing."""

    def __init__(self, name: str, seed: int, deeds: Deeds) -> None:
        super().__init__(name=name, daemon=True)
        self.deeds = deeds
        self.chance = random.Random(seed)
        self.open_ = threading.Event()
        self.idle = threading.Event()
        self.closing = threading.Event()
        self.fault: Exception | None = None

    def run(self) -> None:
        try:
            while not self.closing.is_set():
                if not self.open_.is_set():
                    self.idle.set()
                    self.open_.wait(PAUSE)
                    continue
                self.idle.clear()
                if not self._move_once():
                    time.sleep(PAUSE)
        except Exception as fault:  # reported to whoever waits for the desk
            self.fault = fault
            self.idle.set()
        finally:
            connection.close()

    def _move_once(self) -> bool:
        close_old_connections()
        try:
            return self.move_once()
        except DatabaseError:  # the desk looks into the server's database, which may be away
            connection.close()
            return False

    @abstractmethod
    def move_once(self) -> bool:
        """Let one player move; False if nobody is asked."""

    def pick(self, match_id: int, seat: int) -> str | None:
        return pick(match_id, seat, Chance(f"{self.chance.getrandbits(256):064x}", "a player"))

    def keep_trying(self) -> Trying:
        return Trying(self)


class Trying:
    """Iterates until the time is up; a second round is a hardship."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._until = time.monotonic() + LONGEST
        self._rounds = 0

    def __iter__(self) -> Trying:
        return self

    def __next__(self) -> int:
        if time.monotonic() > self._until:
            raise Failed(f"{self._desk.name}: a move was not taken in {LONGEST} seconds")
        if self._rounds:
            self._desk.deeds.note_hardship()
            time.sleep(PAUSE)
        self._rounds += 1
        return self._rounds


class WebDesk(Desk):
    """Players who look at the page of their match and type a move."""

    def __init__(self, seed: int, deeds: Deeds, people: Sequence[User], browsers: Sequence[Browser]) -> None:
        super().__init__(f"web desk {seed}", seed, deeds)
        self._browsers = {user.pk: browser for user, browser in zip(people, browsers, strict=True)}

    def sign_in(self) -> None:
        """Sign everybody in with their passwords. Raises Failed."""
        for user in User.objects.filter(pk__in=self._browsers):
            sign_in(self._browsers[user.pk], user)

    def move_once(self) -> bool:
        waiting = list(Seat.objects.filter(is_waiting=True, user__in=self._browsers).select_related("match"))
        if not waiting:
            return False
        self._play(self.chance.choice(waiting))
        return True

    def _play(self, seat: Seat) -> None:
        assert seat.user_id is not None
        browser, path = self._browsers[seat.user_id], f"/m/{seat.match.code}/"
        page = self._get(browser, path)
        command = page.find_form("move-bar")
        text = self.pick(seat.match_id, seat.index)
        if command is None or text is None:
            return
        for _ in self.keep_trying():
            answer = try_to(lambda: browser.send(page, command, ("play", "1"), text=text))
            if answer is None or answer.status >= 500:
                continue
            if answer.status != 200:
                self.deeds.complain(f"{path}: {text!r} was answered with {answer.status}: {_alert(answer)}")
                return
            break
        key = command.fields["request_id"]
        self.deeds.add(Deed("web", seat.match_id, seat.index, seat.user_id, key))
        if self.chance.randrange(TWICE_EVERY) == 0:
            again = try_to(lambda: browser.send(page, command, ("play", "1"), text=text))
            if again is not None and again.status not in {200, *range(500, 600)}:
                self.deeds.complain(f"{path}: the same form again was answered with {again.status}")

    def _get(self, browser: Browser, path: str) -> Page:
        for _ in self.keep_trying():
            page = try_to(lambda: browser.get(path))
            if page is not None and page.status == 200:
                return page
            if page is not None and page.status < 500:
                raise Failed(f"{path} says {page.status}")
        raise AssertionError("keep_trying ends by itself")


class MailDesk(Desk):
    """Players who answer turn mails, and the mail server that delivers their replies."""

    def __init__(self, seed: int, deeds: Deeds, people: Sequence[User], relay: Relay, port: int) -> None:
        super().__init__(f"mail desk {seed}", seed, deeds)
        self._people = {user.email: user.pk for user in people}
        self._relay = relay
        self._port = port
        self._sent = 0
        relay.open_boxes(self._people)

    def move_once(self) -> bool:
        letters = [
            (address, letter) for address in self._people for letter in self._relay.take_turns(address)
        ]
        self.chance.shuffle(letters)
        for address, letter in letters:
            try:
                if not self.open_.is_set():
                    raise DatabaseError("later")
                self._answer(address, letter)
            except DatabaseError:
                connection.close()
                self._relay.put_back(address, letter)
        return bool(letters)

    def _answer(self, address: str, letter: Letter) -> None:
        match_id, turn, seat = (int(part) for part in letter.message_id.split(".")[1:4])
        if not Match.objects.filter(pk=match_id, seats__index=seat, seats__prompt_ply=turn).exists():
            self.deeds.complain(f"{address} was asked for turn {turn} of {match_id}, which is over")
            return
        text = self.pick(match_id, seat)
        if text is None:
            self.deeds.complain(f"{address} was asked for turn {turn} of {match_id}, and is not waited for")
            return
        self._sent += 1
        key = f"{self.name.replace(' ', '-')}.{self._sent}@players.test"
        raw = reply(address, letter, text, key)
        self._deliver(address, letter.reply_to, raw)
        self.deeds.add(Deed("mail", match_id, seat, self._people[address], key))
        if self.chance.randrange(TWICE_EVERY) == 0:
            self._deliver(address, letter.reply_to, raw)

    def _deliver(self, sender: str, to: str, raw: bytes) -> None:
        for _ in self.keep_trying():
            try:
                with smtplib.SMTP("127.0.0.1", self._port, timeout=30) as server:
                    server.sendmail(sender, [to], raw)
                return
            except smtplib.SMTPRecipientsRefused as refusal:
                if any(code >= 500 for code, _ in refusal.recipients.values()):
                    raise Failed(f"mail to {to} was refused: {refusal}") from None
            except smtplib.SMTPResponseException as refusal:
                if refusal.smtp_code >= 500:
                    raise Failed(f"mail to {to} was refused: {refusal}") from None
            except (OSError, smtplib.SMTPException):
                pass


def reply(address: str, letter: Letter, text: str, message_id: str) -> bytes:
    """A reply as mail programs write it: the move on top, the mail quoted below."""
    quoted = "\r\n".join(f"> {line}" for line in letter.text.splitlines())
    headers = [
        f"From: <{address}>",
        f"To: <{letter.reply_to}>",
        f"Subject: Re: {letter.subject}",
        f"Message-ID: <{message_id}>",
        f"In-Reply-To: {letter.message_id}",
        f"References: {letter.message_id}",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
    ]
    body = [text, "", "On Fri, 6 Mar 2026 at 12:00, Gem server <play@gem.test> wrote:", quoted, ""]
    return "\r\n".join([*headers, "", *body]).encode()


def sign_in(browser: Browser, user: User) -> None:
    """Sign in with the password, by the form. Raises Failed."""
    page = browser.get("/accounts/login/")
    page = browser.send(page, page.form("/accounts/login/"), login=user.username, password=PASSWORD)
    if page.status != 200 or page.find_form("/accounts/login/"):
        raise Failed(f"{user.username} could not sign in: {page.status} {page.text[:2000]}")


def try_to(ask: object) -> Page | None:
    """The page; None if nobody answered."""
    assert callable(ask)
    try:
        page = ask()
    except (OSError, http.client.HTTPException, Failed):
        return None
    assert isinstance(page, Page)
    return page


def _alert(page: Page) -> str:
    """The error that the page shows."""
    place = page.text.find("refusal")
    return page.text[max(0, place) : place + 400]
