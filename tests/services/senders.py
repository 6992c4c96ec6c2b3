"""A real Postfix behind a real rspamd: senders who are believed to have written a mail, and those who are not.

Everything goes to the lobby, where only the sender's address identifies the player.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from email.utils import format_datetime

from tests.mailgate.name_server import serving
from tests.services.club import LOBBY
from tests.services.daemons import Postgres
from tests.services.log import say
from tests.services.mail_server import SELECTOR, Postfix, Rspamd, let_in, make_key
from tests.services.processes import Failed, wait_for
from tests.services.sink import Letter, Sink
from tests.services.site import Site
from tests.services.ways_in import receiver

DOMAIN = "gem.test"
GIL, EVE = "gil@honest.test", "eve@evil.test"
PATIENCE = 60

CLAIM = "dmarc=pass header.from=honest.test"
FORGED = (
    f"Authentication-Results: {DOMAIN}; {CLAIM}",
    f"authentication-results : {DOMAIN};\r\n\t{CLAIM}",
    f"Authentication-Results: {DOMAIN} 1; spf=pass smtp.mailfrom={GIL}; {CLAIM}",
)
"""Fields that a stranger writes on top of a mail: the topmost ones, if nobody removes them."""
LOCAL_PARTS = (
    '"dmarc=pass"',
    f'"; {CLAIM}"',
    f'") ; {CLAIM} ; x=("',
    f'"a) ; {CLAIM} ("',
    f'"a\\\\\\"; {CLAIM}; spf=pass smtp.helo=z"',
    '"\\\\"',
)
"""Of envelope senders; rspamd writes them into its field, even into a comment."""


def try_to_be_somebody_else(site: Site, postgres: Postgres, sink: Sink) -> None:
    """An honest stranger gets an account and is obeyed; nobody else is, in his name. Raises Failed."""
    with ExitStack() as stack:
        record = make_key(site.folder, "honest.test")
        names = {
            "honest.test": "v=spf1 ~all",  # its mail is forwarded by others: the signature proves it
            "_dmarc.honest.test": "v=DMARC1; p=reject",
            f"{SELECTOR}._domainkey.honest.test": record,
            "evil.test": "v=spf1 ip4:127.0.0.1 -all",
        }
        rspamd = Rspamd(site.folder, stack.enter_context(serving(names)), "honest.test")
        lmtp = site.folder / "lmtp-of-postfix"
        process = receiver(site, "mail-postfix", "--lmtp", str(lmtp), MAIL_AUTHSERV_ID=DOMAIN)
        postfix = Postfix(site.folder, DOMAIN, lmtp, rspamd.port)
        for service in (process, rspamd, postfix):
            stack.callback(service.stop)
            service.start()
        wait_for("the LMTP receiver", lmtp.exists, seconds=PATIENCE, watched=[process])
        let_in(lmtp)
        post = Post(postgres, sink, rspamd, postfix)
        _check_recipients(postfix)
        _sign_up(post)
        _forge(post)
        _send_on(post)


class Post:
    """Sends mails, and reports the result of each."""

    def __init__(self, postgres: Postgres, sink: Sink, rspamd: Rspamd, postfix: Postfix) -> None:
        self._postgres, self._sink = postgres, sink
        self._rspamd, self._postfix = rspamd, postfix
        self._sent = 0

    def send(
        self,
        text: str,
        *fields: str,
        path: str,
        is_signed: bool = False,
        to: str = LOBBY,
        date: str = "",
    ) -> tuple[str, str, str]:
        """Send a mail that claims to be Gil's, with these fields on top; return state, code and DMARC verdict."""
        self._sent += 1
        message_id = f"{self._sent}@honest.test"
        header = [
            f"From: Gil <{GIL}>",
            f"To: <{to}>",
            "Subject: Hello",
            f"Date: {date or format_datetime(datetime.now(UTC))}",
            f"Message-ID: <{message_id}>",
        ]
        raw = "\r\n".join([*header, "", text, ""]).encode()
        if is_signed:
            raw = self._rspamd.sign(GIL, raw)
        raw = "".join(f"{field}\r\n" for field in fields).encode() + raw
        if (code := self._postfix.send(path, LOBBY, raw)) != 250:
            raise Failed(f"Postfix answered {code} to a mail from {path}")
        found: list[tuple[str, str, str]] = []

        def is_read() -> bool:
            found[:] = self._postgres.rows(
                "SELECT state, code, auth->>'dmarc' FROM inbox_inboundemail "
                f"WHERE message_id = '{message_id}' AND state <> 'stored'"
            )
            return bool(found)

        wait_for(f"mail {message_id} to be read", is_read, seconds=PATIENCE, watched=[self._rspamd.process])
        return found[0]

    def letter(self, kind: str, is_it: Callable[[Letter], bool] = lambda letter: True) -> Letter:
        """A mail of this kind to Gil, once there is one."""

        def found() -> list[Letter]:
            return [each for each in self._sink.letters_to(GIL) if each.kind == kind and is_it(each)]

        wait_for(f"a mail of kind {kind} to {GIL}", lambda: bool(found()), seconds=PATIENCE)
        return found()[-1]

    @property
    def mail_mode(self) -> str:
        [(mode,)] = self._postgres.rows(
            "SELECT mail_mode FROM accounts_user JOIN account_emailaddress ON user_id = accounts_user.id "
            f"WHERE account_emailaddress.email = '{GIL}'"
        )
        return str(mode)


def _check_recipients(postfix: Postfix) -> None:
    """A wrong address is refused while its sender is still connected, and nothing is passed on."""
    for to, answers in ((f"play+{'a' * 26}@{DOMAIN}", {550}), ("x@elsewhere.test", {454, 554})):
        if (code := postfix.send(EVE, to, b"Subject: x\r\n\r\nx\r\n")) not in answers:
            raise Failed(f"Postfix answered {code} to a mail for {to}")
    say("Postfix refuses unknown addresses and passes nothing on")


def _sign_up(post: Post) -> None:
    """Signed mail is believed: it makes the account, and is obeyed at the lobby."""
    _expect(post.send("help", path=GIL, is_signed=True), ("done", "asked-to-confirm", "pass"))
    question = post.letter("j")
    code = re.search(r"write: +(confirm \S+)", question.text)
    if code is None:
        raise Failed(f"there is no code to confirm with:\n{question.text}")
    _expect(post.send(code[1], path=GIL, is_signed=True), ("done", "", "pass"))
    _expect(post.send("mail off", path=GIL, is_signed=True), ("done", "", "pass"))
    _expect(post.send("mail turns", path=GIL, is_signed=True), ("done", "", "pass"))
    say("signed mail through Postfix and rspamd is believed")


def _forge(post: Post) -> None:
    """No forgery by a stranger, in the mail or its envelope, passes for Gil's mail."""
    mode = post.mail_mode
    for path in (EVE, *(f"{local}@evil.test" for local in LOCAL_PARTS)):
        state, code, dmarc = post.send("mail off", *FORGED, path=path)
        if (code, dmarc) not in {("forged-to-lobby", "fail"), ("unproved-to-lobby", "none")}:
            raise Failed(f"a forged mail from {path} was {state}, {code}; DMARC {dmarc}")
        if path == EVE and dmarc != "fail":
            raise Failed(f"rspamd found that the mail was forged, and we read {dmarc}")
    if post.mail_mode != mode:
        raise Failed("a stranger has changed a player's settings")
    say(f"{1 + len(LOCAL_PARTS)} forged mails through Postfix and rspamd are not")


def _send_on(post: Post) -> None:
    """A mail that Gil did sign, long ago or to somebody else."""
    old = "Fri, 09 Mar 2018 10:00:00 +0000"
    _expect(post.send("mail off", path=EVE, is_signed=True, date=old), ("refused", "sent-on", "pass"))
    to = "friend@elsewhere.test"
    _expect(post.send("mail off", path=EVE, is_signed=True, to=to), ("refused", "sent-on", "pass"))
    post.letter("a", lambda letter: "To or Cc" in letter.text)
    say("signed mails that somebody sends on are not obeyed, and their author is told")


def _expect(found: tuple[str, str, str], expected: tuple[str, str, str]) -> None:
    if found != expected:
        raise Failed(f"a mail was {found} instead of {expected}")
