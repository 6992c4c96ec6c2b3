"""The demo for newcomers who run a server of their own: a player, and a running match in which it is their turn."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction

from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match, Seat

DEMO_NAME = "demo"
_BOTS = (Seat.Bot.EASY, Seat.Bot.NORMAL)
_TIME = TimeControl.per_move(timedelta(days=30))
_MOST_BOT_MOVES = 50


def prepare_demo() -> Match:
    """Return the demo player's running match, a new one if there is none; it is then the demo player's turn.

    Everything goes through the actions that players use; calling it again changes nothing.
    """
    with transaction.atomic():
        demo = demo_user()
        match = Match.objects.filter(status=Match.Status.RUNNING, seats__user=demo).order_by("pk").first()
        match = match or _start_match(demo)
    _let_bots_move(match, demo)
    return match


def demo_user() -> User:
    """The demo player, created if missing; nobody can sign in as it with a password."""
    demo = User.objects.filter(username=DEMO_NAME).first()
    if demo is None:
        demo = User.objects.create_user(DEMO_NAME, f"{DEMO_NAME}@{settings.MAIL_DOMAIN}")
    EmailAddress.objects.get_or_create(
        user=demo, email=demo.email, defaults={"verified": True, "primary": True}
    )
    return demo


def _start_match(demo: User) -> Match:
    terms = Terms(game="gem", seats=1 + len(_BOTS), time_control=_TIME, bots=_BOTS)
    return open_table(demo, terms, now=clock.now())


def _let_bots_move(match: Match, demo: User) -> None:
    for _ in range(_MOST_BOT_MOVES):
        waiting = match.seats.filter(is_waiting=True)
        if waiting.filter(user=demo).exists() or not waiting.exclude(bot="").exists():
            return
        sweeps.play_bots(match.pk)
