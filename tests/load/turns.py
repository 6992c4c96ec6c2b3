"""Mails about turns, written and handed over to a real SMTP server, beside Django's own sending of one fixed mail."""

from __future__ import annotations

import statistics
import time
from email.mime.image import MIMEImage
from pathlib import Path

from django.core.mail import EmailMultiAlternatives
from django.core.management import call_command
from django.test import override_settings

from games.registry import GAMES
from gemserver.lib import clock
from gemserver.matches.boards import board
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.load.drain import draining
from tests.load.figures import Figure, Say

MATCHES = 20
ROUNDS = 9
"""Rounds of each kind, a second or less, in turn, so that other work on the machine hits all alike."""


def measure(say: Say, folder: Path) -> list[Figure]:
    """One mail for each of 20 matches of the five games; the fixed mail has the same parts, text, HTML and picture."""
    call_command("migrate", verbosity=0)
    players = [make_user("ana"), make_user("ben")]
    games = list(GAMES)
    for number in range(MATCHES):
        make_match(games[number % len(games)], players, now=clock.now())
    OutboxMessage.objects.exclude(kind="turn").delete()
    turns = OutboxMessage.objects.filter(kind="turn")
    letters = [letter for message in turns if (letter := delivery.write(message))]
    fixed = max(letters, key=lambda letter: len(letter.message().as_bytes()))
    size = statistics.mean(len(letter.message().as_bytes()) for letter in letters)
    say(f"{len(letters)} mails, {size / 1000:.0f} kB on the average")
    ours: list[float] = []
    again: list[float] = []
    constant: list[float] = []
    with draining(folder) as port:
        smtp = "django.core.mail.backends.smtp.EmailBackend"
        with override_settings(
            EMAIL_BACKEND=smtp, EMAIL_HOST="127.0.0.1", EMAIL_PORT=port, KEEP_RENDERED_MAIL=False
        ):
            for _ in range(ROUNDS):
                board.paint_for_mail.cache_clear()
                ours.append(_send_turns(len(letters)))
                constant.append(_send_fixed(fixed, len(letters)))
                again.append(_send_turns(len(letters)))
    peer = statistics.median(constant)
    beside = "Django's send of one fixed mail"
    return [
        Figure(
            "turn mails/s, board drawn for each",
            statistics.median(ours),
            beside,
            peer,
            "/s",
            "at least",
            0.5,
        ),
        Figure(
            "turn mails/s, board drawn before", statistics.median(again), beside, peer, "/s", "at least", 0.7
        ),
    ]


def _send_turns(number: int) -> float:
    """Mails per second."""
    OutboxMessage.objects.filter(kind="turn").update(
        state="queued", sent_at=None, available_at=clock.now(), attempts=0
    )
    began = time.perf_counter()
    delivery.send_queued()
    took = time.perf_counter() - began
    sent = OutboxMessage.objects.filter(kind="turn", state="sent").count()
    if sent != number:
        raise RuntimeError(f"{sent} of {number} mails were sent")
    return number / took


def _send_fixed(fixed: EmailMultiAlternatives, number: int) -> float:
    html = str(fixed.alternatives[0][0])
    pictures = [part.get_payload(decode=True) for part in fixed.attachments if isinstance(part, MIMEImage)]
    began = time.perf_counter()
    for _ in range(number):
        mail = EmailMultiAlternatives(fixed.subject, fixed.body, fixed.from_email, fixed.to)
        mail.attach_alternative(html, "text/html")
        for picture in pictures:
            assert isinstance(picture, bytes)
            mail.attach(MIMEImage(picture, "png"))
        mail.send()
    return number / (time.perf_counter() - began)
