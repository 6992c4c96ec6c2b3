"""Rules about bot accounts at tables: where they may sit, beside whom, and what counts as a match among people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from gemserver.accounts.blocks import blocked_with
from gemserver.accounts.models import RequestCount, User
from gemserver.matches.models import Match, PracticeOffer, Seat

MOST_AT_ONCE = 20
"""Running matches in which a bot is still offered for practice."""
AWAKE = timedelta(minutes=15)
"""A bot that has asked nothing for so long is not offered."""


def is_one_hand(match: Match, newcomer: User) -> bool:
    """True if somebody would sit there with accounts of one person, who would see both their hands.

    Who tries bots out may let their own play each other, as long as nobody else sits there.
    """
    seated = [seat.user.family for seat in match.seats.select_related("user").exclude(user=None) if seat.user]
    hands = Counter([*seated, newcomer.family])
    return len(hands) > 1 and max(hands.values()) > 1


def is_among_people(seats: Iterable[Seat]) -> bool:
    """True if every seat is held by a person with an account."""
    return all(seat.user is not None and not seat.user.is_bot and not seat.user.is_guest for seat in seats)


def is_one_kind(seats: Sequence[Seat]) -> bool:
    """True if all seats are held by people with accounts, or all by bots with accounts. No other match is rated."""
    bots = [seat.user is not None and seat.user.is_bot for seat in seats]
    return is_among_people(seats) or all(bots)


def practice_partners(game: str, player: User, now: datetime) -> list[User]:
    """The bots with which this player can practise the game now: awake, not too busy, not blocked."""
    offers = PracticeOffer.objects.filter(bot=OuterRef("pk"), game=game)
    found = _awake(now).filter(Exists(offers)).exclude(pk__in=blocked_with(player))
    busy = Count("seats", filter=Q(seats__match__status=Match.Status.RUNNING))
    free = found.annotate(busy=busy).filter(busy__lt=MOST_AT_ONCE)
    return list(free.select_related("owner").order_by("busy", "username"))


def _awake(now: datetime) -> QuerySet[User]:
    """The bots that may play, and have asked for something lately."""
    since = int((now - AWAKE).timestamp()) // 60
    counts = RequestCount.objects.filter(account=OuterRef("pk"), minute__gte=since)
    return User.objects.filter(Exists(counts), owner__isnull=False, is_active=True)


def offered_games(bot: User) -> Sequence[str]:
    """The games at which this bot offers itself for practice."""
    return list(bot.practice_offers.values_list("game", flat=True))
