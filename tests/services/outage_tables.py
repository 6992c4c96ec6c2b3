"""`python -m tests.services.outage_tables WEB MAIL PASSWORD`: sets up the matches of `tests.services.outages`.

Prints a JSON object: the keys of the matches by their part in the story. A process of its own, with the settings of the
servers under test.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
django.setup()

from allauth.account.models import EmailAddress  # noqa: E402
from django.db import transaction  # noqa: E402

from gemserver.accounts.models import User  # noqa: E402
from gemserver.clocks.control import PRESETS  # noqa: E402
from gemserver.lib import clock  # noqa: E402
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode  # noqa: E402
from gemserver.matches.models import Match  # noqa: E402
from tests.builders import is_asked, make_match, play_until  # noqa: E402

DAY, HALF, MINUTE = timedelta(days=1), timedelta(hours=12), timedelta(minutes=1)
CROWD = 50
"""Seats that are due at once: a sweep that takes long enough to be killed in the middle."""


def seat_people(web: str, mail: str, password: str) -> dict[str, list[int]]:
    """Seat two people who answer, two who never do, and two who never do and want no mail."""
    now = clock.now()
    nora, omar = _sign_up(web, password), _sign_up(mail, password)
    absent = [_sign_up(f"{name}@players.test", password) for name in ("pim", "pam")]
    silent = [_sign_up(f"{name}@players.test", password) for name in ("shy", "shier")]
    for user in silent:
        set_mail_mode(user, User.MailMode.OFF, now=now)
    return {
        "played": [_deal([nora, omar], now, "1d+8h", first=first) for first in (nora, nora, omar, omar)],
        # Reminders come when half of the time is left.
        "reminded first": _deal_many(2, absent, now - HALF + 10 * MINUTE),
        "due first": _deal_many(2, absent, now - DAY + 15 * MINUTE),
        "reminded later": _deal_many(2, absent, now - HALF + 26 * MINUTE),
        "due later": _deal_many(CROWD, silent, now - DAY + 30 * MINUTE),
    }


def _sign_up(address: str, password: str) -> User:
    """A player whose every mail is answered."""
    name, receipts = address.partition("@")[0], User.Receipts.ALL
    user: User = User.objects.create_user(name, address, password, receipts=receipts)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def _deal_many(count: int, players: Sequence[User], at: datetime) -> list[int]:
    return [_deal(players, at, "1d") for _ in range(count)]


def _deal(players: Sequence[User], at: datetime, control: str, first: User | None = None) -> int:
    # At once, for the worker would mail about a turn before it is played here.
    with transaction.atomic():
        match: Match = make_match("gem", players, time_control=PRESETS[control], now=at)
        if first:
            match = play_until(match, is_asked(first), now=at)
    return match.pk


if __name__ == "__main__":
    print(json.dumps(seat_people(*sys.argv[1:])))
