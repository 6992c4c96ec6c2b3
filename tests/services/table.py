"""`python -m tests.services.table WEB MAIL PASSWORD`: seats two people and a bot; prints the match's code.

A process of its own, with the settings of the servers under test.
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
django.setup()

from allauth.account.models import EmailAddress  # noqa: E402

from gemserver.accounts.models import User  # noqa: E402
from gemserver.clocks.control import TimeControl  # noqa: E402
from gemserver.lib import clock  # noqa: E402
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table  # noqa: E402
from gemserver.matches.actions.tables.open_table import open_table  # noqa: E402
from gemserver.matches.actions.tables.terms import Terms  # noqa: E402
from gemserver.matches.models import Match, Seat  # noqa: E402


def set_table(names: list[str], password: str) -> Match:
    """Make a running match of GEM in which these players have the first seats and a bot the last."""
    now = clock.now()
    users = [make_player(name, password) for name in names]
    time_control = TimeControl.per_move(timedelta(days=3))
    match = open_table(users[0], Terms(game="gem", seats=3, time_control=time_control), now=now)
    for user in users:
        join_table(match.pk, user, now=now)
    fill_with_bots(match.pk, Seat.Bot.EASY, by=users[0], now=now)
    return match


def make_player(name: str, password: str | None = None) -> User:
    """A player whose every mail is answered; a password takes a third of a second."""
    address, receipts = f"{name}@players.test", User.Receipts.ALL
    user: User = User.objects.create_user(name, address, password, receipts=receipts)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


if __name__ == "__main__":
    *given_names, given_password = sys.argv[1:]
    print(set_table(given_names, given_password).code)
