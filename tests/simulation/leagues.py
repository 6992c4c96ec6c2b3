"""Leagues of a simulation: people enter, withdraw, stay away, come back and are replaced, season after season."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Protocol

from gemserver.accounts.models import User
from gemserver.events.actions.enter import enter
from gemserver.events.actions.event_terms import EventTerms
from gemserver.events.actions.open_event import open_event
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.actions.withdraw import withdraw
from gemserver.events.models import Entry, Event, Season
from tests.builders import make_user
from tests.simulation.players import Player

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
ENTRY_DAYS = 3
"""Days before the first season, and between two, in which people enter."""


@dataclass(frozen=True, slots=True)
class League:
    """A league to be played. `early_leavers` enter the first season and withdraw before it starts."""

    slug: str
    game: str
    seats: int
    season_days: int
    players: int
    division_size: int
    seasons: int = 3
    exchanged: int = 0
    early_leavers: int = 0
    options: Mapping[str, str] = field(default_factory=dict)

    def terms(self, now: datetime) -> EventTerms:
        """The terms of its event, if it is opened now."""
        return EventTerms(
            slug=self.slug,
            name=self.slug,
            game=self.game,
            seats=self.seats,
            options=self.options,
            format=Event.Format.LEAGUE,
            season_days=self.season_days,
            starts_at=now + ENTRY_DAYS * DAY,
            division_size=self.division_size,
            exchanged=self.exchanged,
            entry_days=ENTRY_DAYS,
        )


LEAGUES = (
    League("seven", "gembatan", 4, 42, 7, 7),
    League("eight", "florentine", 4, 42, 8, 8),
    League("thirteen", "gembatan", 4, 42, 13, 13),
    League("two-levels", "florentine", 4, 42, 14, 7, exchanged=2, early_leavers=1),
    League("sealed", "jewellers", 2, 28, 4, 4, options={"pace": "sealed"}),
)


class Calendar(Protocol):
    """The world, as far as a league needs it."""

    players: list[Player]

    @property
    def now(self) -> datetime: ...

    def later(self, at: datetime, do: Callable[[], None]) -> None: ...


@dataclass
class Course:
    """The course of one league in a world."""

    league: League
    world: Calendar
    chance: Random
    event: Event = field(init=False)
    members: list[Player] = field(init=False)
    """Those who want to play in it; who has left the world for good is followed by another."""

    def begin(self) -> None:
        """Open the event, choose its players, and plan what they do."""
        league, now = self.league, self.world.now
        self.event = open_event(make_user(f"host-{league.slug}"), league.terms(now), now=now)
        self.members = self.chance.sample(self.world.players, league.players + league.early_leavers)
        for number in range(1, league.seasons + 1):
            start = now + ENTRY_DAYS * DAY + (number - 1) * timedelta(days=league.season_days + ENTRY_DAYS)
            self.world.later(start - 2.5 * DAY, self._plan_entries)
            if number == 1:
                self.world.later(start - 4 * HOUR, self._leave_early)
            if number == 2:
                self.world.later(start + 8 * DAY, self._withdraw)
                self.world.later(start + 12 * DAY, self._replace)

    @property
    def season(self) -> Season:
        return self.event.seasons.get(state__in=[Season.State.ENTERING, Season.State.RUNNING])

    def _plan_entries(self) -> None:
        """Everybody enters within two days, by mail or on the site."""
        gone = [member for member in self.members if member.has_left(self.world.now)]
        for member in gone:
            self.members[self.members.index(member)] = self._newcomer()
        for member in self.members:
            at = self.world.now + self.chance.uniform(0, 2) * DAY
            self.world.later(at, partial(self._enter, member))

    def _newcomer(self) -> Player:
        stays = [one for one in self.world.players if not one.has_left(self.world.now)]
        return self.chance.choice([one for one in stays if one not in self.members])

    def _enter(self, member: Player) -> None:
        if member.writes:
            member.command(f"enter {self.league.slug}")
        else:
            enter(self.event.pk, member.user, now=self.world.now)

    def _leave_early(self) -> None:
        for _ in range(self.league.early_leavers):
            self._leave(self.members.pop())

    def _withdraw(self) -> None:
        """Somebody has had enough in the middle of a season; who is gone without a word says nothing."""
        self._leave(self.chance.choice(self._playing()))

    def _leave(self, member: Player) -> None:
        if member.writes:
            member.command(f"withdraw {self.league.slug}")
        else:
            withdraw(self.event.pk, member.user, now=self.world.now)

    def _replace(self) -> None:
        """The organiser puts a newcomer in for somebody, who has left or is away if there is such a player."""
        playing = self._playing()
        absent = [one for one in playing if one.has_left(self.world.now) or one.is_away(self.world.now)]
        former, newcomer = self.chance.choice(absent or playing), self._newcomer()
        entry = Entry.objects.get(season=self.season, player=former.user)
        organiser = User.objects.get(username=f"host-{self.league.slug}")
        propose_replacement(
            entry.pk, newcomer.user, by=organiser, reason="Away too long.", now=self.world.now
        )
        enter(self.event.pk, newcomer.user, now=self.world.now)
        self.members[self.members.index(former)] = newcomer

    def _playing(self) -> list[Player]:
        entered = Entry.objects.filter(season=self.season, withdrawn_at=None).values_list("player", flat=True)
        return [member for member in self.members if member.user.pk in set(entered)]


def begin_leagues(leagues: Sequence[League], world: Calendar, chance: Random) -> None:
    """Open all of them."""
    for league in leagues:
        Course(league, world, chance).begin()
