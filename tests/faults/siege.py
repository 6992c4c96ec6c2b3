"""Ten thousand hostile mails and requests, of the kinds that the project guards against, while people play on.

None of them has an effect, and waiting times stay bearable for players.
"""

from __future__ import annotations

import http.client
import random
import smtplib
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING

from django.db import connection

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.matches.models import Seat
from tests.faults import crowd
from tests.faults.deeds import Deeds
from tests.faults.desks import Desk, MailDesk, WebDesk
from tests.faults.verdicts import faults_of, unfinished
from tests.mailgate.mutations import MACHINE_FIELDS, ODD_FIELDS, ODD_LINES
from tests.mailgate.test_hostile_mail import BODIES, PAGES
from tests.services.log import say
from tests.services.processes import Failed, wait_for
from tests.services.site import HOST

if TYPE_CHECKING:
    from tests.faults.__main__ import Ground

ATTACKS_PER_SECOND = 60
ATTACKERS = 3
"""Threads of each kind, mails and requests."""
QUIET = 60
"""Seconds of undisturbed play, for comparison."""
MOST = 3.0
"""Factor by which the slowest twentieth of moves may slow down."""
PEOPLE, MATCHES = 4, 30
THINKING = 0.3
LARGEST = 20_000
PATIENCE = 180
Sender = Callable[[random.Random], str]


def lay(ground: Ground, seed: int, attacks: int) -> list[str]:
    """Play in peace, then under siege; return the faults. Raises Failed."""
    # A player who answers all the time uses the limit up in a quarter of an hour, which a slow machine takes.
    ground.site.environment["MAIL_RATE_SENDER"] = "0"
    ground.site.start()
    try:
        return Siege(ground, seed).run(attacks)
    finally:
        ground.site.stop()


class Siege:
    """Some players, whose moves are timed, and the attackers."""

    def __init__(self, ground: Ground, seed: int) -> None:
        self._ground = ground
        self._seed = seed
        self._deeds = Deeds()
        self._answers: Counter[str] = Counter()
        self._lock = threading.Lock()
        people = crowd.gather(PEOPLE, PEOPLE, prefix="calm-")
        ground.relay.open_boxes(user.email for user in people.by_mail)
        # Each kind has matches of its own, so that neither waits for the other.
        for kind in (crowd.Crowd(people.on_the_web, []), crowd.Crowd([], people.by_mail)):
            crowd.deal(kind, MATCHES, random.Random(seed))
        browsers = [ground.site.browser() for _ in people.on_the_web]
        self._web = _TimedWebDesk(seed, self._deeds, people.on_the_web, browsers)
        self._mail = _TimedMailDesk(seed, self._deeds, people.by_mail, ground.relay, ground.site.smtp_port)
        self._victims = list(
            Seat.objects.filter(user__in=people.everybody).select_related("user", "match").order_by("pk")
        )
        self._guessed = crowd.make_user("calm-guessed")

    def run(self, attacks: int) -> list[str]:
        self._web.sign_in()
        wait_for("the first mails", lambda: not unfinished(), seconds=PATIENCE)
        desks: list[Desk] = [self._web, self._mail]
        for desk in desks:
            desk.start()
            desk.open_.set()
        try:
            time.sleep(QUIET)
            before = [desk.take_times() for desk in (self._web, self._mail)]
            self._attack(attacks)
            under = [desk.take_times() for desk in (self._web, self._mail)]
            for desk in desks:
                desk.open_.clear()
                desk.idle.clear()
                desk.idle.wait()
                if desk.fault:
                    raise Failed(f"{desk.name}: {desk.fault!r}")
        finally:
            for desk in desks:
                desk.closing.set()
        wait_for("the server to come round", lambda: not unfinished(), seconds=PATIENCE)
        return [*self._compare(before, under), *faults_of(self._deeds, self._ground.relay, [])]

    def _compare(self, before: list[list[float]], under: list[list[float]]) -> list[str]:
        faults = []
        for what, calm, siege in zip(("a move on the web", "a mail taken"), before, under, strict=True):
            first, second = _p95(calm, f"{what}, in peace"), _p95(siege, f"{what}, under siege")
            say(
                f"{what}, p95: {1000 * first:.0f} ms in peace ({len(calm)}), {1000 * second:.0f} ms under siege "
                f"({len(siege)}), {second / first:.1f} times as long"
            )
            if second > MOST * first:
                faults.append(f"{what} takes {second / first:.1f} times as long under siege")
        say("answers: " + ", ".join(f"{count} {what}" for what, count in self._answers.most_common()))
        states = Counter(InboundEmail.objects.values_list("state", flat=True))
        say("what was read: " + ", ".join(f"{count} {state}" for state, count in states.most_common()))
        broken = [what for what in self._answers if what.startswith("page 5")]
        return faults + [f"{self._answers[what]} requests were answered with {what}" for what in broken]

    def _attack(self, attacks: int) -> None:
        began = time.monotonic()
        kinds: list[Sender] = [self._send_mail, self._send_request]
        threads = [
            threading.Thread(
                target=self._attack_with, args=(kind, number, attacks // (ATTACKERS * len(kinds)))
            )
            for kind in kinds
            for number in range(ATTACKERS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
        say(f"{sum(self._answers.values())} attacks in {took:.0f} s, {attacks / took:.0f}/s")

    def _attack_with(self, send: Sender, number: int, times: int) -> None:
        chance = random.Random(f"{self._seed} {send.__name__} {number}")
        pause, due = ATTACKERS * 2 / ATTACKS_PER_SECOND, time.monotonic()
        for _ in range(times):
            due += pause
            time.sleep(max(0, due - time.monotonic()))
            try:
                answer = send(chance)
            except (OSError, http.client.HTTPException, smtplib.SMTPException) as error:
                answer = f"{send.__name__.removeprefix('_send_')} {type(error).__name__}"
            with self._lock:
                self._answers[answer] += 1
        connection.close()

    def _send_mail(self, chance: random.Random) -> str:
        sender, recipient, raw = write_mail(chance, self._victims)
        with smtplib.SMTP("127.0.0.1", self._ground.site.smtp_port, timeout=30) as server:
            server.ehlo()
            for command in (f"MAIL FROM:<{sender}>", f"RCPT TO:<{recipient}>"):
                code, _ = server.docmd(command)
                if code != 250:
                    return f"mail {code}"
            code, _ = server.data(raw)
        return f"mail {code}"

    def _send_request(self, chance: random.Random) -> str:
        method, path, headers, body = write_request(chance, self._victims, self._guessed)
        client = http.client.HTTPConnection("127.0.0.1", self._ground.site.port, timeout=30)
        try:
            client.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                client.putheader(name, value)
            client.putheader("Content-Length", str(len(body)))
            client.endheaders()
            with suppress(BrokenPipeError, ConnectionResetError):  # answered before all was sent
                client.send(body)
            return f"page {client.getresponse().status}"
        finally:
            client.close()


def write_mail(chance: random.Random, victims: Sequence[Seat]) -> tuple[str, str, bytes]:
    """Envelope sender, recipient and mail: spoofed, guessed, machine-made, damaged, or made to be expensive."""
    seat, size = chance.choice(victims), chance.randrange(100, LARGEST)
    assert seat.user
    stranger = f"stranger{chance.randrange(1000)}@example.net"
    # All come from one host here: a player's own address would use up this host's quota for the player.
    sender = chance.choice([stranger, stranger, stranger, ""])
    lobby, own = "play@gem.test", seat.reply_address
    guess = f"play+{''.join(chance.choices('abcdefghijklmnopqrstuvwxyz234567', k=26))}@gem.test"
    recipient = chance.choice([own, own, lobby, guess, "postmaster@gem.test", "victim@elsewhere.example"])
    author = stranger if recipient == own else chance.choice([stranger, seat.user.email])
    fields = [
        f"From: <{author}>".encode(),
        f"To: <{recipient}>".encode(),
        b"Subject: Re: [GEM " + seat.match.code.encode() + b"] resign",
        f"Message-ID: <{chance.getrandbits(64):x}@example.net>".encode(),
        b"Authentication-Results: mx.gem.test; dmarc=pass; spf=pass; dkim=pass",
        *chance.sample([*MACHINE_FIELDS, *ODD_FIELDS], chance.randrange(3)),
    ]
    content = chance.choice([_text, _page, _nested, _zipped, _many_fields])
    return sender, recipient, b"\r\n".join([*fields, *content(chance, size)])


def _text(chance: random.Random, size: int) -> list[bytes]:
    body = chance.choice(ODD_LINES) + "\n\n" + chance.choice(list(BODIES.values()))(size)
    return [b"Content-Type: text/plain; charset=utf-8", b"", body.encode()]


def _page(chance: random.Random, size: int) -> list[bytes]:
    body = f"<p>{chance.choice(ODD_LINES)}</p>" + chance.choice(list(PAGES.values()))(size)
    return [b"Content-Type: text/html; charset=utf-8", b"", body.encode()]


def _nested(chance: random.Random, size: int) -> list[bytes]:
    lines = [b"MIME-Version: 1.0"]
    for depth in range(size // 100):
        lines += [f"Content-Type: multipart/mixed; boundary=b{depth}".encode(), b"", f"--b{depth}".encode()]
    return lines


def _zipped(chance: random.Random, size: int) -> list[bytes]:
    """A small file that would unpack to a large one."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("moves.txt", bytes(1000 * size))
    head = [b"Content-Type: application/zip; name=moves.zip", b"Content-Transfer-Encoding: binary", b""]
    return [*head, file.getvalue()]


def _many_fields(chance: random.Random, size: int) -> list[bytes]:
    return [*(b"X-Field-%d: x" % number for number in range(size // 10)), b"", b"resign yes"]


def write_request(
    chance: random.Random, victims: Sequence[Seat], guessed: User
) -> tuple[str, str, dict[str, str], bytes]:
    """Method, path, headers and body: forged forms, guessed secrets, other hosts, huge and damaged input."""
    seat = chance.choice(victims)
    secret = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz234567", k=26))
    paths = [
        f"/m/{seat.match.code}/",
        f"/m/{seat.match.code}/?move={'%00' * 20}",
        f"/m/{seat.match.code}/{chance.randrange(10**12)}/",
        f"/u/{secret}/",
        "/accounts/login/",
        "/accounts/login/?next=//evil.example/",
        f"/static/../../etc/passwd?{secret}",
        f"/players/{'%F0%9F%92%A9' * 50}/",
        f"/{secret * 20}",
        "/admin/",
        "/metrics",
        "/m/M" + "9" * 30 + "/",
    ]
    headers = {"Host": HOST, "X-Forwarded-Proto": "https"} | chance.choice(
        [
            {},
            {"Host": "evil.example"},
            {"Cookie": f"sessionid={secret}; csrftoken={secret}"},
            {"Referer": "https://evil.example/"},
            {"X-Forwarded-For": ", ".join(["127.0.0.1"] * 100)},
            {f"X-Field-{number}": "x" for number in range(120)},
            {"Accept-Language": "en;q=" * 400},
            {"Content-Type": "multipart/form-data; boundary=b"},
        ]
    )
    forms = [
        b"",
        b"text=resign&prompt_ply=1&request_id=x&play=1",
        f"login={guessed.username}&password={secret}&csrfmiddlewaretoken={secret}".encode(),
        b"a=" + b"%00" * LARGEST,
        b"&".join(b"f%d=x" % number for number in range(2000)),
        b"--b\r\n" * 1000,
    ]
    method = chance.choice(["GET", "GET", "POST", "POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
    return method, chance.choice(paths), headers, chance.choice(forms) if method in {"POST", "PUT"} else b""


class _TimedWebDesk(WebDesk):
    """Measures how long a player waits for the page and for the move."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self._times: list[float] = []

    def _play(self, seat: Seat) -> None:
        began = time.perf_counter()
        super()._play(seat)
        self._times.append(time.perf_counter() - began)
        time.sleep(THINKING)

    def take_times(self) -> list[float]:
        times, self._times = self._times, []
        return times


class _TimedMailDesk(MailDesk):
    """Measures how long a mail server waits until a mail is taken."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self._times: list[float] = []

    def _deliver(self, sender: str, to: str, raw: bytes) -> None:
        began = time.perf_counter()
        super()._deliver(sender, to, raw)
        self._times.append(time.perf_counter() - began)
        time.sleep(THINKING)

    def take_times(self) -> list[float]:
        times, self._times = self._times, []
        return times


def _p95(times: Sequence[float], what: str) -> float:
    """Raises Failed if too few were timed to say it."""
    if len(times) < 20:
        raise Failed(f"{what}: only {len(times)} were timed")
    return sorted(times)[int(len(times) * 0.95)]
