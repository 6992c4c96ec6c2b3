"""Mails are small enough for every mailbox, at full tables and late in a match."""

from __future__ import annotations

import re
from datetime import time
from email.message import Message
from functools import partial
from itertools import cycle

import pytest
from django.core import mail

from games.registry import game
from gemserver.accounts.models import User
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.models import Match
from gemserver.notify import delivery
from tests.builders import NOON, is_asked, make_match, make_user, play_until
from tests.matches.sweeping import sweep

pytestmark = [pytest.mark.django_db, pytest.mark.pictures]

MOST = 80_000
MOST_PICTURE = 40_000


def _full_table(slug: str, player: User) -> Match:
    others = game(slug).rules.meta.max_seats - 1
    return make_match(slug, players=[player], bots=others, server_part="5eed" * 16)


def _is_turn_after(ply: int, player: User, match: Match) -> bool:
    return match.ply >= ply and is_asked(player)(match)


def _pictures(letter: Message) -> list[bytes]:
    parts = [part for part in letter.walk() if part.get_content_type() == "image/png"]
    return [bytes(part.get_payload(decode=True)) for part in parts]


@pytest.mark.parametrize("slug", ["gem", "jewellers", "florentine", "gembatan", "gemessengers"])
def test_a_mail_with_its_board_takes_80_kilobytes_at_most(slug: str) -> None:
    """mail-requirements.md Q4."""
    player = make_user("ana")
    match = _full_table(slug, player)
    for turn in range(3):
        match = play_until(match, partial(_is_turn_after, turn * 20, player))
        delivery.send_queued()
    letters = [message.message() for message in mail.outbox]
    pictures = [len(picture) for letter in letters for picture in _pictures(letter)]
    assert max(len(letter.as_bytes()) for letter in letters) <= MOST
    assert len(pictures) >= 3
    assert max(pictures) <= MOST_PICTURE


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 6, 14])
def test_a_digest_stays_below_100_kilobytes_however_many_matches_wait(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mail-requirements.md Q5."""
    player = make_user("ana")
    set_mail_mode(player, User.MailMode.DIGEST, now=NOON, digest_at=time(8))
    player.refresh_from_db()
    games = ["gem", "jewellers", "florentine", "gembatan", "gemessengers"]
    for slug, _ in zip(cycle(games), range(number), strict=False):
        play_until(_full_table(slug, player), partial(_is_turn_after, 20, player))
    assert player.next_digest_at
    sweep(monkeypatch, player.next_digest_at)
    delivery.send_queued()
    (letter,) = [sent.message() for sent in mail.outbox if "<d." in sent.extra_headers["Message-ID"]]
    assert len(letter.as_bytes()) < 100_000
    assert len(_pictures(letter)) >= min(number, 4)
    assert letter.as_string().count("Ref: ") == 2 * number, "each match in the text and in the HTML"
    (text,) = [part for part in letter.walk() if part.get_content_type() == "text/plain"]
    boards = re.findall("you, (?:to act|still to pick)", bytes(text.get_payload(decode=True)).decode())
    assert len(boards) >= {1: 1, 6: 6, 14: 2}[number], "boards in words give way to pictures"
