"""Open and end bot accounts, and say at which games they offer themselves for practice."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from gemserver.accounts.bans import ban_of
from gemserver.accounts.models import User
from gemserver.matches.actions.people.rename import require_good_name
from gemserver.matches.actions.tables.terms import find_meta
from gemserver.matches.locking import lock_open_account
from gemserver.matches.models import PracticeOffer
from gemserver.matches.refusal import Refused

MOST_BOTS = 5
"""Bots of one person."""


def open_bot(owner: User, name: str, *, now: datetime) -> User:
    """Make an account that is a bot from the first and for good, with this owner; only tokens act for it.

    It has neither password nor address, so nobody signs in to it. Raises Refused(not-a-person, shut, bad-name,
    name-taken, too-many-bots).
    """
    with transaction.atomic():
        owner = lock_open_account(owner.pk)
        if owner.is_bot or owner.is_guest:
            raise Refused("not-a-person", "Only a person with an account can have bots; sign up first.")
        if owner.bots.count() >= MOST_BOTS:
            raise Refused(
                "too-many-bots", "You have {most} bots already; end one that you do not use.", most=MOST_BOTS
            )
        name = " ".join(name.split())
        require_good_name(name)
        bot: User = User.objects.create_user(
            name,
            owner=owner,
            language=owner.language,
            time_zone=owner.time_zone,
            mail_mode=User.MailMode.OFF,
            date_joined=now,
        )
    return bot


def find_bot(owner: User, name: str) -> User:
    """The owner's bot of this name. Raises Refused(no-such-bot)."""
    bot: User | None = owner.bots.filter(username__iexact=name).first()
    if bot is None:
        raise Refused(
            "no-such-bot", "You have no bot called {name}; look at your list of bots.", name=name[:80]
        )
    return bot


def require_endable(bot: User) -> None:
    """Raise Refused(shut) for a bot that moderators have shut: ending it would make room for the next one."""
    if ban_of(bot):
        raise Refused(
            "shut", "A moderator has shut this bot; it can be ended when they have opened it again."
        )


def offer_practice(bot: User, games: Collection[str], *, now: datetime) -> None:
    """Offer the bot for practice at these games and no others. Raises Refused(not-a-bot, no-such-game)."""
    if not bot.is_bot:
        raise Refused("not-a-bot", "Only a bot offers itself for practice; make one on your account page.")
    for game in games:
        find_meta(game)
    with transaction.atomic():
        bot.practice_offers.exclude(game__in=games).delete()
        offers = [PracticeOffer(bot=bot, game=game, since=now) for game in games]
        PracticeOffer.objects.bulk_create(offers, ignore_conflicts=True)
