"""The players and their matches, written straight to the database of the server under test.

Django has to be set up with the server's environment before this is imported.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import timedelta

from allauth.account.models import EmailAddress

from games import registry
from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match, Seat
from gemserver.matches.prompts import position_to_answer

PASSWORD = "correct horse battery staple"
THREE_DAYS = TimeControl.per_move(timedelta(days=3))
BOT_EVERY, SEALED_EVERY, MAILS_EVERY = 5, 2, 3
"""One match in so many has a bot; one auction in so many is at sealed pace; one web player in so many wants mails
too."""


@dataclass
class Crowd:
    """All players: some on the web, some by mail alone."""

    on_the_web: list[User]
    by_mail: list[User]
    matches: list[int] = field(default_factory=list)

    @property
    def everybody(self) -> list[User]:
        return [*self.on_the_web, *self.by_mail]


def gather(web: int, mail: int, prefix: str = "") -> Crowd:
    """Make this many players of either kind, with names that begin with `prefix`."""
    modes = [User.MailMode.TURNS if number % MAILS_EVERY == 0 else User.MailMode.OFF for number in range(web)]
    return Crowd(
        [make_user(f"{prefix}web{number}", mail_mode=mode) for number, mode in enumerate(modes)],
        [make_user(f"{prefix}mail{number}") for number in range(mail)],
    )


def make_user(name: str, **fields: object) -> User:
    fields.setdefault("receipts", User.Receipts.ALL)
    user: User = User.objects.create_user(name, f"{name}@players.test", PASSWORD, **fields)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def deal(crowd: Crowd, count: int, chance: random.Random) -> None:
    """Begin this many matches of all games, at table and sealed pace, with and without bots; everybody has a seat."""
    games = sorted(registry.GAMES)
    ring = crowd.everybody
    chance.shuffle(ring)
    for number in range(count):
        game = games[number % len(games)]
        size = 2 + number // len(games) % 2
        people = [ring[(number * 3 + place) % len(ring)] for place in range(size)]
        crowd.matches.append(_begin(game, people, has_bot=number % BOT_EVERY == 0, number=number))


def _begin(game: str, people: list[User], *, has_bot: bool, number: int) -> int:
    now = clock.now()
    meta = registry.game(game).rules.meta
    seats = max(meta.min_seats, min(meta.max_seats, len(people) + has_bot))
    is_sealed = registry.game(game).sealed_pace is not None and number // 5 % SEALED_EVERY
    options = {"pace": "sealed"} if is_sealed else {}
    terms = Terms(game=game, seats=seats, options=options, time_control=THREE_DAYS, starts_when_full=False)
    match = open_table(None, terms, now=now)
    for user in people[:seats]:
        join_table(match.pk, user, now=now)
    if seats > len(people):
        fill_with_bots(match.pk, Seat.Bot.EASY, by=None, now=now)
    start_match(match.pk, by=None, now=now)
    return match.pk


def pick(match_id: int, seat: int, chance: Chance) -> str | None:
    """A move that this seat may make now, in notation; None if it is not asked."""
    match = Match.objects.get(pk=match_id)
    if not Seat.objects.filter(match=match, index=seat, is_waiting=True).exists():
        return None
    position = position_to_answer(match, replay.position(match), seat)
    return match.rules.write(match.rules.random_move(position, seat, chance))
