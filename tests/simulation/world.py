"""The world of a simulation: tables are opened, people come and go, the server is swept, and sometimes things break."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from heapq import heappop, heappush
from random import Random
from typing import Any
from unittest.mock import patch

from django.db import connection
from django.db.models import Min
from django.test import override_settings

from games import bots, registry
from games.bots import choose
from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.events import seasons
from gemserver.events.sweeps import hold_events
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.matches import sweeps
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.play import play_bot
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.actions.time.set_hours import set_hours, set_leads
from gemserver.matches.actions.time.take_vacation import announce_vacation
from gemserver.matches.boards import board
from gemserver.matches.models import IS_BOTS, Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.ratings import rating
from tests.builders import make_match, make_user
from tests.simulation import season_checks
from tests.simulation.checks import Checks
from tests.simulation.habits import Habit, Way, draw_habit, next_look
from tests.simulation.leagues import LEAGUES, League, begin_leagues
from tests.simulation.players import Player
from tests.simulation.post import Post, Relay
from tests.sparing_painter import SparingPainter

TICK = timedelta(minutes=5)
"""Time between sweeps: as long as possible without being taken for downtime."""
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
START = datetime(2026, 3, 5, 6, 0, tzinfo=UTC)
"""New York changes its clocks on the 8th, Paris and London on the 29th, Sydney and Lord Howe on the 5th of April."""
CONTROLS = ("1d", "2d", "3d", "1d+8h", "3d+12h", "7d+1d")


@dataclass(frozen=True, slots=True)
class Plan:
    """The extent of a simulation. `down` and `mail_down`: start and length of an outage of server and relay."""

    seed: int
    start: datetime
    days: int
    matches: int
    players: int
    down: tuple[timedelta, timedelta]
    mail_down: tuple[timedelta, timedelta]
    receipts: str = User.Receipts.REFUSALS
    """Which of their mails all players want answered: a value of `User.Receipts`."""
    leagues: tuple[League, ...] = ()

    @property
    def end(self) -> datetime:
        return self.start + self.days * DAY

    def is_down(self, now: datetime) -> bool:
        return _is_within(self.start, self.down, now)

    def is_mail_down(self, now: datetime) -> bool:
        return _is_within(self.start, self.mail_down, now)


def _is_within(start: datetime, span: tuple[timedelta, timedelta], now: datetime) -> bool:
    return start + span[0] <= now < start + span[0] + span[1]


MONTH = Plan(
    seed=1,
    start=START,
    days=32,
    matches=200,
    players=300,
    down=(9 * DAY + 3 * HOUR, 7 * HOUR),
    mail_down=(17 * DAY + 4 * HOUR, 9 * HOUR),
)
SEASONS = replace(MONTH, days=142, matches=0, players=40, leagues=LEAGUES)
FORTNIGHT = Plan(
    seed=3,
    start=START + 21 * DAY,
    days=14,
    matches=12,
    players=18,
    down=(4 * DAY + 3 * HOUR, 7 * HOUR),
    mail_down=(8 * DAY + 4 * HOUR, 9 * HOUR),
)


@dataclass
class World:
    """A simulation: `run` plays the plan from its start to its end."""

    plan: Plan
    now: datetime = field(init=False)
    post: Post = field(init=False)
    checks: Checks = field(init=False)
    players: list[Player] = field(default_factory=list)
    sweep_times: list[float] = field(default_factory=list)
    """Seconds that each sweep took."""
    queries: Counter[str] = field(default_factory=Counter)
    """Database statements by purpose, and under `… times` how often that was done."""
    _chance: Random = field(init=False)
    _coming: list[tuple[datetime, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: int = 0
    _writes: int = 0
    _writes_before: int = -1
    _next_mail: datetime = START

    def __post_init__(self) -> None:
        self.now = self.plan.start
        self._chance = Random(self.plan.seed)
        self.post = Post(is_away=lambda: self.plan.is_mail_down(self.now))
        self.checks = Checks(TICK)

    @property
    def problems(self) -> list[str]:
        return [*self.post.problems, *self.checks.problems]

    def run(self, say: Callable[[str], None] = lambda text: None) -> None:
        """Play it. Needs an empty database."""
        with self._in_place(), connection.execute_wrapper(self._note_writes):
            self._people_arrive()
            self._plan_tables()
            begin_leagues(self.plan.leagues, self, self._chance)
            while self.now < self.plan.end:
                self.now += TICK
                if not self.plan.is_down(self.now):
                    self._tick()
                if (self.now - self.plan.start) % DAY < TICK:
                    self.checks.of_all_clocks(self.now)
                    rating.rate_matches()
                    say(f"{self.now:%d %b}: {len(self.post.sent)} mails, {len(self.problems)} problems")
            self.checks.at_the_end()
            self.checks.of_ratings()
            self.checks.problems += season_checks.of_finished(TICK)

    def _tick(self) -> None:
        """Run five minutes of a server that is up."""
        while self._coming and self._coming[0][0] <= self.now:
            heappop(self._coming)[2]()
        if self.post.has_letters:
            with self._counted("mail read"):
                processing.process_stored()
            self.post.has_letters = False
        began = time.perf_counter()
        with self._counted("sweep"):
            sweeps.act_on_deadlines()
        self.sweep_times.append(time.perf_counter() - began)
        self.checks.of_deadlines(self.now)
        if self.plan.leagues:
            hold_events()
            self.checks.problems += season_checks.of_dates(self.now)
        if self._writes != self._writes_before or self.now >= self._next_mail:
            self._writes_before = self._writes
            self._work()

    def _work(self) -> None:
        """Do the work of nudges and the other sweeps, until nothing more is written."""
        sweeps.play_bots()
        with self._counted("mail sent"):
            handled = delivery.send_queued()
        if handled:
            self.checks.of_reminders()
        queued = OutboxMessage.objects.filter(state=OutboxMessage.State.QUEUED)
        self._next_mail = queued.aggregate(at=Min("available_at"))["at"] or self.plan.end
        # A bot that has just been asked is left to its nudge for some seconds, and so until the next tick.
        if Seat.objects.filter(IS_BOTS, is_waiting=True, match__status=Match.Status.RUNNING).exists():
            self._next_mail = self.now

    def later(self, at: datetime, do: Callable[[], None]) -> None:
        """Do this at the first tick from then on."""
        self._numbers += 1
        heappush(self._coming, (at, self._numbers, do))

    def _people_arrive(self) -> None:
        for number in range(self.plan.players):
            habit = draw_habit(self._chance, self.plan.days)
            user = make_user(f"player{number}", receipts=self.plan.receipts)
            set_hours(user, quiet=habit.quiet, zone=habit.zone.key, now=self.now - 2 * DAY)
            if habit.leads is not None:
                set_leads(user, habit.leads, now=self.now)
            _choose_mail(user, habit, self.now)
            player = Player(User.objects.get(pk=user.pk), habit, self._chance, self.post, self.now)
            self.players.append(player)
            self.later(next_look(habit, self.now, self._chance), partial(self._look, player))
            if habit.vacation:
                self._plan_vacation(player, *habit.vacation)
            if habit.gives_away:
                self.later(
                    self.plan.start + habit.gives_away * self.plan.days * DAY,
                    partial(self._give_seats, player),
                )
            if number % 12 == 0:
                self._plan_new_hours(player)

    def _look(self, player: Player) -> None:
        player.user = User.objects.get(pk=player.user.pk)
        player.look(self.now)
        self.later(next_look(player.habit, self.now, self._chance), partial(self._look, player))

    def _plan_vacation(self, player: Player, day: int, days: int) -> None:
        """The vacation is announced a day and a half before it begins."""

        def announce() -> None:
            first = (self.now + 2 * DAY).astimezone(player.habit.zone).date()
            announce_vacation(player.user, first, first + (days - 1) * DAY, now=self.now)
            player.away_until = self.now + (days + 2) * DAY

        self.later(
            self.plan.start + day * DAY + self._chance.randrange(1440) * timedelta(minutes=1), announce
        )

    def _give_seats(self, player: Player) -> None:
        """Ask somebody else to play each seat of this player for some days; half of these players come back early."""
        days = self._chance.randint(1, 5)
        first = self.now.astimezone(player.habit.zone).date()
        for seat in list(player.user.seats.filter(match__status=Match.Status.RUNNING).order_by("pk")):
            sitter = self._chance.choice(self.players).user
            try:
                propose_sitting(
                    seat.match_id, player.user, sitter.username, first, first + days * DAY, now=self.now
                )
            except Refused:  # somebody who plays in that match or has sat there
                continue
        stays_away = self._chance.choice([0.5, 1.5]) * days
        player.away_until = max(player.away_until or self.now, self.now + stays_away * DAY)

    def _plan_new_hours(self, player: Player) -> None:
        def change() -> None:
            set_hours(player.user, quiet=draw_habit(self._chance, 2).quiet, now=self.now)

        self.later(self.plan.start + self._chance.uniform(0.2, 0.8) * self.plan.days * DAY, change)

    def _plan_tables(self) -> None:
        """All are opened in the first half, so that beginnings and ends are seen as well as the time between."""
        for number in range(self.plan.matches):
            at = self.plan.start + self._chance.uniform(0, 0.5) * self.plan.days * DAY
            self.later(at, partial(self._open_table, number))

    def _open_table(self, number: int) -> None:
        slug = self._chance.choice(list(registry.GAMES))
        meta = registry.GAMES[slug].rules.meta
        seats = self._chance.randint(meta.min_seats, min(4, meta.max_seats))
        bots_seated = 1 if seats > 2 and self._chance.random() < 0.3 else 0
        seated = self._chance.sample(self.players, seats - bots_seated)
        match = make_match(
            slug,
            [player.user for player in seated],
            bots_seated,
            time_control=PRESETS[self._chance.choice(CONTROLS)],
            free_weekends=self._chance.random() < 0.4,
            vacation_days=self._chance.choice([None, None, 5, 0]),
            absence=self._chance.choice(list(Match.Absence)),
            is_rated=not bots_seated,
            server_part=f"{self._chance.getrandbits(256):064x}",
            now=self.now,
        )
        if number % 25 == 3:
            self.later(self.now + self._chance.uniform(1, 4) * DAY, partial(self._pause, match.pk))
        if number % 20 == 5:
            self.later(
                self.now + self._chance.uniform(1, 4) * DAY, partial(self._propose, match.pk, seated[0])
            )

    def _pause(self, match_id: int) -> None:
        if Match.objects.get(pk=match_id).is_running:
            pause_match(match_id, "A question about the rules is being settled.", now=self.now)
            self.later(self.now + 2 * DAY, lambda: resume_match(match_id, "It is settled.", now=self.now))

    def _propose(self, match_id: int, player: Player) -> None:
        seats = Match.objects.get(pk=match_id).seats.filter(user=player.user, match__status="running")
        if seats.exists():
            first = (self.now + 2 * DAY).astimezone(player.user.zone).date()
            propose_holiday(match_id, player.user, first, first + 3 * DAY, now=self.now)

    def _note_writes(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        """Count the statements that change anything, except heartbeats."""
        self._writes += sql.startswith(("INSERT", "UPDATE")) and "heartbeat" not in sql
        return execute(sql, *rest)

    @contextmanager
    def _counted(self, what: str) -> Iterator[None]:
        def count(execute: Callable[..., Any], *arguments: Any) -> Any:
            self.queries[what] += 1
            return execute(*arguments)

        self.queries[f"{what} times"] += 1
        with connection.execute_wrapper(count):
            yield

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        """The server with the time, the post and the luck of this world, with few pictures and no deep thought.

        Drawing boards is most of the work of a mail, and thinking that of a bot; neither is tested here.
        """
        luck = partial(_draw_hex, self._chance)
        Relay.post = self.post
        with ExitStack() as stack:
            for change in (
                override_settings(EMAIL_BACKEND="tests.simulation.post.Relay", KEEP_RENDERED_MAIL=False),
                patch.object(clock, "now", lambda: self.now),
                patch.object(play_bot, "token_hex", luck),
                patch.object(seasons, "token_hex", luck),
                patch.object(bots, "choose", _choose_at_random),
                patch.object(board, "png", SparingPainter(board.png)),
            ):
                stack.enter_context(change)
            yield


def _choose_at_random(level: str, *arguments: Any) -> Any:
    return choose("random", *arguments)


def _draw_hex(chance: Random, octets: int) -> str:
    return f"{chance.getrandbits(8 * octets):0{2 * octets}x}"


def _choose_mail(user: User, habit: Habit, now: datetime) -> None:
    if habit.way is Way.DIGEST:
        hour = datetime.min.replace(hour=7 + user.pk % 4, minute=30).time()
        set_mail_mode(user, User.MailMode.DIGEST, now=now, digest_at=hour)
    elif habit.way is Way.SILENT:
        set_mail_mode(user, User.MailMode.OFF, now=now)
