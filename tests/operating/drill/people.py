"""People who play during the drill, through nginx and Postfix, from another process than the server's."""

from __future__ import annotations

import http.client
import random
import re
import smtplib
import ssl
import threading
import time
from pathlib import Path

from tests.operating.drill.machine import Machine
from tests.services.browser import Browser
from tests.services.club import Correspondent, plain_text
from tests.services.outages import PASSWORD
from tests.services.players import MailPlayer, WebPlayer
from tests.services.processes import Failed, wait_for
from tests.services.sink import Letter, Sink

DOMAIN = "play.example.org"
"""That of docs/operating.md: with a network of its own the drill may take any."""
LOBBY = f"play@{DOMAIN}"
SMTP, HTTPS = 25, 443
TURN_LIMIT = 120
READ_LIMIT = 90
PAUSE = 2.0
"""Seconds between two moves of people who play on during an upgrade."""
TRIES, PATIENCE = 120, 1.0
"""Attempts to hand in a mail, and seconds between them, as a mail server comes again."""


class Visitor(Browser):
    """A browser that comes by TLS, as the site's visitors do."""

    def __init__(self, certificate: Path) -> None:
        super().__init__(HTTPS, DOMAIN, https=True)
        self._trust = ssl.create_default_context(cafile=str(certificate))

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPSConnection("127.0.0.1", HTTPS, timeout=60, context=self._trust)


class PatientMailPlayer(MailPlayer):
    """Hands a mail in again while no mail server listens."""

    def _deliver(self, to: str, raw: bytes) -> None:
        for _ in range(TRIES):
            try:
                return super()._deliver(to, raw)
            except (OSError, smtplib.SMTPServerDisconnected):
                time.sleep(PATIENCE)
        raise Failed("no mail server listens")


class Table:
    """A match of GEM between somebody on the web, somebody who only writes mails, and a bot."""

    def __init__(self, machine: Machine, sink: Sink, certificate: Path, number: int, seed: int) -> None:
        chance = random.Random(seed * 1000 + number)
        self.web = WebPlayer(f"wendy{number}", "A", sink, chance, Visitor(certificate))
        self.mail = PatientMailPlayer(f"mallory{number}", "B", sink, chance, SMTP)
        names = (self.web.name, self.mail.name)
        self.code = machine.run_as_server(
            ".venv/bin/python", "-m", "tests.services.table", *names, PASSWORD
        ).split()[-1]
        self.web.sign_in(PASSWORD)
        self.longest = 0.0
        """Seconds that one of its moves took to be acknowledged."""

    @property
    def moves(self) -> int:
        return self.web.moves + self.mail.moves

    @property
    def is_over(self) -> bool:
        return self.web.is_done and self.mail.is_done

    def answer(self) -> bool:
        """Answer one mail that tells a turn, if there is one that nobody has answered."""
        for player in (self.web, self.mail):
            for letter in player.new_turns():
                began = time.monotonic()
                player.answer(letter)
                self.longest = max(self.longest, time.monotonic() - began)
                return True
        return False

    def play(self, moves: int) -> None:
        """Make so many moves. Raises Failed."""
        for _ in range(moves):
            wait_for(f"a turn at {self.code}", self.answer, seconds=TURN_LIMIT)

    def require_kept(self, machine: Machine) -> None:
        """Raise Failed unless the server has every move that was acknowledged here, each once."""

        made = self.web.moves, self.mail.moves
        try:
            wait_for("every mail to be read", lambda: self.count_kept(machine) == made, seconds=READ_LIMIT)
        except Failed:
            kept = self.count_kept(machine)
            raise Failed(f"{self.code}: web and mail made {made} moves, the server has {kept}") from None

    def count_kept(self, machine: Machine) -> tuple[int, int]:
        """The moves by web and by mail that the server has."""
        return count_moves(machine, self.code, "web"), count_moves(machine, self.code, "mail")


def count_moves(machine: Machine, code: str, source: str) -> int:
    return int(
        machine.select(
            "SELECT count(*) FROM matches_move AS move JOIN matches_match AS match ON match.id = move.match_id "
            f"WHERE match.code = '{code}' AND move.source = '{source}'"
        )
    )


class Dora:
    """Signs up by mail, opens a table with a bot and plays there by mail, as the manual asks a new operator to."""

    def __init__(self, sink: Sink) -> None:
        self._writer = Correspondent("dora", plain_text, sink, SMTP)
        self.code = ""

    def sign_up(self) -> None:
        """Have an account and a table by three mails, of which the server wrote one and read two."""
        self._writer.write(LOBBY, "new gem seats 2 bots=1")
        question = self._writer.wait_for("j")
        code = re.search(r"write: +(confirm \S+)", question.text)
        if code is None:
            raise Failed(f"there is no code to confirm with:\n{question.text}")
        self._writer.write(question.reply_to, code[1], question)
        receipt = self._writer.wait_for("a")
        table = re.search(r"\bM\d+\b", receipt.text)
        if table is None:
            raise Failed(f"the receipt names no table:\n{receipt.text}")
        self.code = table[0]

    def wait_for_turn(self) -> Letter:
        return self._writer.wait_for("t")

    def move(self, machine: Machine, letter: Letter) -> None:
        """Play the first move that the mail offers, and wait until the server has it. Raises Failed."""
        before = count_moves(machine, self.code, "mail")
        self._writer.write(letter.reply_to, letter.offered_moves[0], letter)
        wait_for(
            "dora's move", lambda: count_moves(machine, self.code, "mail") == before + 1, seconds=READ_LIMIT
        )


class Playing(threading.Thread):
    """Plays at some tables without haste until it is told to stop, whatever becomes of the server meanwhile."""

    def __init__(self, tables: list[Table]) -> None:
        super().__init__(daemon=True)
        self.tables = tables
        self.moves = 0
        self._end = threading.Event()
        self._fault: Exception | None = None

    def run(self) -> None:
        try:
            while not self._end.wait(PAUSE):
                self.moves += any(table.answer() for table in self.tables)
        except Exception as fault:  # told by `stop`, in the thread that waits
            self._fault = fault

    def stop(self) -> None:
        """End, and raise whatever went wrong meanwhile."""
        self._end.set()
        self.join(TURN_LIMIT)
        if self._fault is not None:
            raise self._fault

    def take_longest(self) -> float:
        """The longest time since the last look that a move took to be acknowledged, in seconds."""
        longest = max(table.longest for table in self.tables)
        for table in self.tables:
            table.longest = 0.0
        return longest
