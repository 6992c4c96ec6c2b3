"""People who do anything at any time on one server, so that every feature meets every other; what must hold then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypeVar

from django.core import mail
from django.db.models import Model, QuerySet
from django.test import Client

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club, Member
from gemserver.events.models import Event, Season
from gemserver.events.sweeps import hold_events
from gemserver.events.verify import find_faults
from gemserver.inbox.erasure import erase
from gemserver.mailgate import processing
from gemserver.matches import prompts, proposals, replay, sweeps, timing, verify
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.models import Heartbeat, Holiday, Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.ratings import counting, rating
from gemserver.ratings import verify as rating_verify
from tests.builders import NOON, make_user
from tests.site.pages import signed_in

T = TypeVar("T", bound=Model)

FEWEST = 8
"""People who are there at any time; for each who goes another comes."""
SPANS = (1, 3, 20, 60, 180, 480, 1200)
"""Minutes between two acts. The server has swept all the while, but in one case of fifty: then it was down."""


class Nothing(Exception):
    """There is nothing yet that the act could be done to."""


@dataclass
class Crowd:
    """The people of a seed. `problems`: a sentence for each thing that was not as it must be, with the last acts."""

    seed: int
    now: datetime = NOON
    users: list[User] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    refused: int = 0
    chance: Random = field(init=False)
    moderator: User = field(init=False)
    _acts: list[str] = field(default_factory=list)
    _gone: dict[str, int] = field(default_factory=dict)
    """Names of erased accounts, and how many mails had been sent by then."""
    _touched: set[int] = field(default_factory=set)
    _names: int = 0

    def __post_init__(self) -> None:
        self.chance = Random(self.seed)
        self.moderator = make_user("moderator", role=Role.ADMINISTRATOR)
        self._fill_up()

    def do(self, name: str, act: Callable[[Crowd], object]) -> None:
        """Let somebody act, let time pass and the server work, and look at what the act has touched."""
        self._acts.append(f"{self.now:%d %b %H:%M} {name}")
        self._touched = set()
        try:
            act(self)
        except Refused:
            self.refused += 1
        except Nothing:
            pass
        self._pass_time()
        self.work()
        self._note(_faults_of_ends())
        for match in Match.objects.filter(pk__in=self._touched):
            self._note(faults_of_match(match))
            self._open_pages(match)

    def work(self) -> None:
        """Do what the workers of a server do."""
        processing.process_stored()
        sweeps.act_on_deadlines()
        hold_events()
        sweeps.play_bots()
        delivery.send_queued()
        self._read_mails()

    def look_at_everything(self) -> None:
        """Check what takes long: results, tables, lists, and rows that are left."""
        for match in Match.objects.exclude(started_at=None):
            self._note(faults_of_match(match))
        rating.rate_all()
        counting.count_changed()
        _, difference = rating_verify.verify()
        self._note([f"ratings: {difference}"] if difference else [])
        self._note(f"statistics: {line}" for line in counting.find_differences())
        for season in Season.objects.filter(state=Season.State.OVER):
            self._note(find_faults(season))
        self._note(_faults_of_mails(self.now))
        paths = ["/", "/matches/", "/tables/", "/clubs/", "/events/", "/players/", "/you/", "/time/"]
        paths += [f"/events/{slug}/" for slug in Event.objects.values_list("slug", flat=True)]
        for path in paths:
            self.open(self.user(), path)
        self.open(self.moderator, "/admin/")

    # --- Choices ------------------------------------------------------------------------------------

    def user(self, *but: User | None) -> User:
        return User.objects.get(pk=self.chance.choice([one.pk for one in self.users if one not in but]))

    def any_of(self, rows: QuerySet[T]) -> T:
        """One of these rows; raises Nothing. A match that it belongs to is looked at afterwards."""
        found = list(rows.order_by("pk"))
        if not found:
            raise Nothing
        row = self.chance.choice(found)
        about: Any = row if isinstance(row, Match) else getattr(row, "match", None)
        if isinstance(about, Match):
            self._touched.add(about.pk)
        return row

    def seat(self, **given: Any) -> Seat:
        """A seat that somebody holds, in a running match unless `given` says otherwise."""
        wanted = {"match__status": Match.Status.RUNNING, "user__isnull": False, **given}
        return self.any_of(Seat.objects.select_related("user", "match").filter(**wanted))

    def text_for(self, seat: Seat) -> str:
        """A move that the seat might make now."""
        position = prompts.position_to_answer(seat.match, replay.position(seat.match), seat.index)
        chance = Chance(f"{self.chance.getrandbits(256):064x}", "crowd")
        return str(seat.match.rules.write(seat.match.rules.random_move(position, seat.index, chance)))

    def play(self, seat: Seat, user: User) -> None:
        request = Request(
            seat.match.code,
            Actor.player(user),
            self.text_for(seat),
            Move.Source.WEB,
            self.key(),
            seat.prompt_ply,
        )
        submit(request, now=self.now)

    def key(self) -> str:
        """A name that was never used before: of a person, a club, an event, or a request."""
        self._names += 1
        return f"q{self._names}x{self.chance.randrange(10**6)}"

    def erase(self, user: User) -> None:
        self._touched |= set(user.seats.values_list("match", flat=True))
        self.users.remove(user)
        erase(user, now=self.now)
        self._gone[user.username] = len(mail.outbox)
        self._fill_up()

    def _fill_up(self) -> None:
        while len(self.users) < FEWEST:
            self.users.append(make_user(self.key()))

    # --- What must hold -----------------------------------------------------------------------------

    def open(self, reader: User | None, path: str) -> None:
        """Open a page, and see that it is there and names nobody whose account is erased."""
        client = signed_in(reader) if reader else Client()
        response = client.get(path)
        if response.status_code >= 500:
            self._note([f"{path} for {reader}: {response.status_code}"])
        shown = response.content.decode()
        self._note(f"{path} for {reader} names {name}, who is erased" for name in self._gone if name in shown)

    def _open_pages(self, match: Match) -> None:
        seated = [seat.user for seat in match.read_seats() if seat.user and seat.user.is_active]
        page = f"/m/{match.code}/"
        parts = [
            "",
            "deal/",
            "progress/",
            f"ply/{match.ply}/",
            "?log=all",
            "record.match",
            "orders/",
            "report/",
        ]
        self.open(self.chance.choice([*seated, self.user(), None]), page + self.chance.choice(parts))
        self.open(self.moderator, f"/admin/timeline/{match.code}/")

    def _read_mails(self) -> None:
        for place, letter in enumerate(mail.outbox):
            text = f"{letter.to} {letter.subject} {letter.body}"
            for name, since in self._gone.items():
                if place >= since and name in text:
                    self._note([f"the mail {letter.subject} to {letter.to} names {name}, who is erased"])

    def _pass_time(self) -> None:
        self.now += timedelta(minutes=self.chance.choice(SPANS))
        if self.chance.random() > 0.02:
            Heartbeat.objects.update(at=self.now - timedelta(seconds=20))

    def _note(self, found: Iterator[str] | list[str]) -> None:
        self.problems += [f"seed {self.seed}: {what}; after {self._acts[-8:]}" for what in found]


def faults_of_match(match: Match) -> Iterator[str]:
    """Yield a sentence for each fault of a match that has begun: in its record, prompts, clocks and open proposals."""
    if not match.started_at:
        return
    if difference := verify.first_difference(match):
        yield f"{match}: {difference}"
    seats = match.read_seats()
    if match.is_running and not any(seat.is_waiting for seat in seats):
        yield f"{match}: nobody is asked"
    for seat in seats:
        yield from _faults_of_seat(match, seat)
    for holiday in match.holidays.filter(outcome=Holiday.Outcome.OPEN):
        if match.is_running and proposals.is_agreed(match, holiday.agreed):
            yield f"{match}: all have agreed to days off, and they are not granted"


def _faults_of_seat(match: Match, seat: Seat) -> Iterator[str]:
    if match.is_over and (seat.is_waiting or seat.due_at or seat.remind_at or seat.rank is None):
        yield f"{match} is over, and {seat} is asked or has no rank"
    if not match.is_running or seat.bot_level:
        return
    if seat.user is None:
        yield f"{match}: nobody holds {seat}"
    elif not seat.is_waiting and seat.due_at:
        yield f"{match}: the clock of {seat} runs, who is not asked"
    elif seat.is_waiting and seat.due_at != timing.due_at(match, seat):
        yield f"{match}: {seat} is due at {timing.due_at(match, seat)}, its alarm says {seat.due_at}"
    if seat.clock_left < timedelta(0):
        yield f"{match}: the clock of {seat} is below zero"


def _faults_of_ends() -> Iterator[str]:
    """Yield a sentence for each thing that goes on though what it belongs to has ended, or has ended with nobody."""
    entering, running = Season.State.ENTERING, Season.State.RUNNING
    for season in Season.objects.filter(state=entering).select_related("event__club"):
        if season.event.closed_at or (season.event.club and season.event.club.closed_at):
            yield f"{season} takes entries though its event or club is closed"
    for event in Event.objects.filter(closed_at=None):
        if not event.seasons.filter(state__in=[entering, running]).exists():
            yield f"{event} is open and has no season"
    for club in Club.objects.filter(closed_at=None):
        active = club.members.filter(user__is_active=True)
        if not club.members.exists() or (active and not active.filter(role=Member.Role.OWNER)):
            yield f"{club} is open and nobody owns it"
    for match in Match.objects.filter(status=Match.Status.OPEN):
        if not match.seats.filter(user__isnull=False).exists():
            yield f"{match} waits with nobody"


def _faults_of_mails(now: datetime) -> Iterator[str]:
    for row in OutboxMessage.objects.exclude(last_error=""):
        yield f"{row} could not be written: {row.last_error}"
    for row in OutboxMessage.objects.filter(state=OutboxMessage.State.QUEUED, available_at__lte=now):
        yield f"{row} is due and waits"
