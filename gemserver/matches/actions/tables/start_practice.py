"""Start a practice match against bots, and remove guests who have not signed up."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from games import registry
from gemserver.accounts.models import User
from gemserver.accounts.names import unmarked
from gemserver.clocks.control import TimeControl
from gemserver.matches.actions.tables.join_table import seat_newcomer, start_if_full
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms, find_meta
from gemserver.matches.bot_accounts import practice_partners
from gemserver.matches.locking import lock_open_account
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.matches.who_may_sit import require_may_be_seated

TIME = TimeControl.per_move(timedelta(days=7))


STRENGTHS = (Seat.Bot.EASY, Seat.Bot.NORMAL, Seat.Bot.HARD)
"""The bots to practise with; playing against a random one teaches nothing."""


def practise_with(user: User, game: str, name: str, *, now: datetime) -> Match:
    """Like `start_practice`, against a bot account that offers itself for this game.

    Raises Refused(shut, no-such-game, not-offered, too-many-tables).
    """
    meta = find_meta(game)
    with transaction.atomic():
        lock_open_account(user.pk)  # so that a button pressed twice begins one match
        partner = next(
            (bot for bot in practice_partners(game, user, now) if bot.username == unmarked(name)), None
        )
        if partner is None:
            raise Refused(
                "not-offered", "{name} is not free for practice just now; choose another bot.", name=name[:80]
            )
        own = Match.objects.filter(created_by=user, game=game, status=Match.Status.RUNNING, seats__user=user)
        known = own.filter(
            pk__in=Seat.objects.filter(user=partner).values("match"), access=Match.Access.INVITED
        )
        if found := known.order_by("-pk").first():
            return found
        terms = Terms(
            game=game,
            seats=meta.min_seats,
            time_control=TIME,
            access=Match.Access.INVITED,
            allows_bots=True,
            bots=[Seat.Bot.EASY] * (meta.min_seats - 2),
        )
        match = open_table(user, terms, now=now)
        require_may_be_seated(match, partner)
        seat_newcomer(match, user=partner, now=now)
        start_if_full(match, now)
    return match


def start_practice(user: User, game: str, bot: Seat.Bot = Seat.Bot.EASY, *, now: datetime) -> Match:
    """The user's running match of this game against such bots; if there is none, a new one with the fewest seats.

    Raises Refused(shut, no-such-game, too-many-tables).
    """
    with transaction.atomic():
        lock_open_account(user.pk)  # so that a button pressed twice begins one match
        running = Match.objects.filter(
            created_by=user, game=game, status=Match.Status.RUNNING, seats__user=user
        )
        running = running.filter(pk__in=Seat.objects.filter(bot=bot).values("match"))
        others = Seat.objects.filter(user__isnull=False).exclude(user=user)
        known = (
            running.exclude(pk__in=others.filter(match__created_by=user).values("match"))
            .order_by("-pk")
            .first()
        )
        if known:
            return known
        seats = registry.GAMES[game].rules.meta.min_seats if game in registry.GAMES else 2
        bots = [bot] * (seats - 1)
        terms = Terms(game=game, seats=seats, time_control=TIME, access=Match.Access.INVITED, bots=bots)
        return open_table(user, terms, now=now)


def remove_guest(guest_id: int) -> None:
    """Remove a guest and their matches against bots; an account that has signed up since is left alone."""
    with transaction.atomic():
        opened = Match.objects.filter(created_by=guest_id)
        list(opened.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
        # Last, as whoever holds one of these matches may wait for the account.
        guest = User.objects.select_for_update().filter(pk=guest_id, is_guest=True).first()
        if guest is not None:
            opened.delete()
            guest.delete()
