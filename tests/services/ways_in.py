"""A match whose people write by LMTP, as Postfix hands mail over, and by a mailbox that is read over IMAP."""

from __future__ import annotations

import imaplib
import random
import smtplib
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

from tests.mailgate import dovecot
from tests.services.log import say
from tests.services.players import MailPlayer, Player
from tests.services.processes import Failed, Process, wait_for
from tests.services.sink import Sink
from tests.services.site import ROOT, Site

MAILBOX = "play"
PASSWORD = "correct horse battery staple"
PATIENCE = 60
ALL_AT_ONCE_AFTER = 4
"""Moves after which one mail arrives by every way in at the same time."""

Carrier = Callable[[str, str, bytes], None]
"""Sender, recipient, mail → delivered; raises Failed."""


class Writer(MailPlayer):
    """Writes like `MailPlayer`; the first of the carriers takes the mails, once all of them at once."""

    def __init__(
        self, name: str, seat: str, sink: Sink, chance: random.Random, carriers: Sequence[Carrier]
    ) -> None:
        super().__init__(name, seat, sink, chance, smtp_port=0)
        self._carriers = carriers

    def _deliver(self, to: str, raw: bytes) -> None:
        if self.moves != ALL_AT_ONCE_AFTER:
            self._carriers[0](self.address, to, raw)
            return
        say(f"mail  {self.seat}: the same mail by {len(self._carriers)} ways at once")
        with ThreadPoolExecutor() as pool:
            for carried in [pool.submit(carry, self.address, to, raw) for carry in self._carriers]:
                carried.result()


def play_by_lmtp_and_imap(site: Site, sink: Sink) -> tuple[str, list[Player]]:
    """Play the match; return its code and its people once everybody has got each mail once. Raises Failed."""
    with ExitStack() as stack:
        by_lmtp = _start_lmtp(site, stack)
        carriers = [by_lmtp, _by_smtp(site)]
        if by_imap := _start_imap(site, stack):
            carriers.append(by_imap)
        chance = random.Random(11)
        lou = Writer("lou", "A", sink, chance, carriers)
        imo = Writer("imo", "B", sink, chance, carriers[::-1])
        code = site.python("-m", "tests.services.table", lou.name, imo.name, PASSWORD).strip()
        say(f"{code}: {lou.name} writes by LMTP, {imo.name} by {'IMAP' if by_imap else 'SMTP'}")
        players = [lou, imo]
        while not all(player.is_done for player in players):
            wait_for(
                "a turn mail or the end", lambda: _has_news(players), seconds=PATIENCE, watched=site.watched
            )
            for player in players:
                for letter in player.new_turns():
                    player.answer(letter)
        _check_mails(players)
    _check_logs(site, sink)
    return code, list(players)


def _has_news(players: Sequence[Player]) -> bool:
    return any(player.has_new_turn for player in players) or all(player.is_done for player in players)


def _check_mails(players: Sequence[MailPlayer]) -> None:
    """One receipt for each different mail, however often and by however many ways it came; one mail for each turn."""
    for player in players:
        expected = Counter(starts=1, turns=player.moves, answers=player.sent, ends=1)

        try:
            wait_for("all mails", partial(_has_got, player, expected), seconds=30)
        except Failed:
            raise Failed(f"{player.name} should have got {expected}, got {player.count_letters()}") from None
        say(f"{player.name}: {player.moves} moves, {player.sent} mails, as many receipts")


def _has_got(player: Player, expected: Counter[str]) -> bool:
    return player.count_letters() == expected


def _check_logs(site: Site, sink: Sink) -> None:
    """The receivers did not fail, and no reply address stands in their logs."""
    tokens = {letter.reply_to.partition("+")[2].partition("@")[0] for letter in sink.letters} - {""}
    for log in site.folder.glob("mail-*.log"):
        text = log.read_text(errors="replace")
        if "Traceback" in text or any(token in text for token in tokens):
            raise Failed(f"{log.name} should have no error and no reply token:\n{text}")


def _start_lmtp(site: Site, stack: ExitStack) -> Carrier:
    path = site.folder / "lmtp"
    process = receiver(site, "mail-lmtp", "--lmtp", str(path))
    stack.callback(process.stop)
    process.start()
    wait_for("the LMTP receiver", path.exists, seconds=PATIENCE, watched=[process])

    def carry(sender: str, to: str, raw: bytes) -> None:
        """One conversation, in which Postfix has a second recipient that does not exist."""
        with smtplib.LMTP(str(path), timeout=30) as server:
            server.ehlo_or_helo_if_needed()
            said = [server.mail(sender), server.rcpt(to), server.rcpt(f"play+{'a' * 26}@gem.test")]
            codes = [code for code, _ in (*said, server.data(b"Delivered-To: x@gem.test\r\n" + raw))]
        if codes != [250, 250, 550, 250]:
            raise Failed(f"LMTP was answered {codes}")

    return carry


def _by_smtp(site: Site) -> Carrier:
    def carry(sender: str, to: str, raw: bytes) -> None:
        with smtplib.SMTP("127.0.0.1", site.smtp_port, timeout=30) as server:
            server.sendmail(sender, [to], raw)

    return carry


def _start_imap(site: Site, stack: ExitStack) -> Carrier | None:
    """A mailbox at a real IMAP server, and the process that reads it; None where there is no Dovecot."""
    if dovecot.PROGRAM is None:
        say("no IMAP: Dovecot is not installed (Debian: dovecot-imapd)")
        return None
    server = dovecot.Dovecot()
    server.start()
    stack.callback(server.stop)
    mailbox = {
        "IMAP_HOST": "127.0.0.1",
        "IMAP_PORT": str(server.port),
        "IMAP_TLS": "none",
        "IMAP_USER": MAILBOX,
        "IMAP_PASSWORD": dovecot.PASSWORD,
        "IMAP_POLL_SECONDS": "1",
    }
    process = receiver(site, "mail-imap", "--imap", **mailbox)
    stack.callback(process.stop)
    process.start()

    def carry(sender: str, to: str, raw: bytes) -> None:
        with imaplib.IMAP4("127.0.0.1", server.port, timeout=30) as client:
            client.login(MAILBOX, dovecot.PASSWORD)
            status, _ = client.append("INBOX", "", "", b"Return-Path: <%s>\r\n%s" % (sender.encode(), raw))
        if status != "OK":
            raise Failed(f"the mailbox answered {status}")

    return carry


def receiver(site: Site, name: str, *arguments: str, **environment: str) -> Process:
    """A `mail` process of its own, with these settings besides the site's."""
    command = [sys.executable, "manage.py", "mail", *arguments]
    return Process(name, command, site.folder, environment={**site.environment, **environment}, cwd=ROOT)
