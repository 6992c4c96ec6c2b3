"""Mails are small enough for every mailbox, at full tables and late in a match."""

from __future__ import annotations

from email.message import Message
from functools import partial

import pytest
from django.core import mail

from games.registry import game
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.models import Match
from gemserver.notify import delivery
from tests.builders import is_asked, make_match, make_user, play_until

pytestmark = pytest.mark.django_db

MOST = 80_000
MOST_PICTURE = 40_000


def _full_table(slug: str, player: User) -> Match:
    others = game(slug).rules.meta.max_seats - 1
    return make_match(slug, players=[player], bots=others, server_part="5eed" * 16, now=clock.now())


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
