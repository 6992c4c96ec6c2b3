"""A running match, everybody who may look at it, and a way to try futures of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection, transaction
from django.test import Client

from games.chance import Chance
from gemserver.accounts.guests import SESSION_KEY
from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club, Member
from gemserver.events.models import Division, Fixture, Place, Season
from gemserver.lib import clock
from gemserver.matches import prompts, replay
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.models import Match, Move, Seat
from gemserver.puzzles.models import StoredPuzzle
from gemserver.study.models import WhatIf
from tests.api.programs import token_of
from tests.builders import NOON, make_match, make_user
from tests.events.leagues import make_event, season_of
from tests.site.pages import signed_in

WHAT_IF = "planted"
"""The key of a what-if of the match."""
PUZZLE_DAY = "2026-03-01"
"""The day of a puzzle of the match, over long ago."""


@dataclass(frozen=True, slots=True)
class Observer:
    """Somebody who looks; `seat` is the one whose view they have, as its player or its sitter."""

    name: str
    client: Client
    user: User | None = None
    seat: int | None = None
    is_player: bool = False
    is_staff: bool = False
    token: str = ""
    """Their personal token, with every scope; nobody and guests have none."""


class World:
    """The match and its people. `sitter` plays the last seat for its player."""

    def __init__(self, slug: str, seats: int, options: dict[str, str]) -> None:
        self.slug = slug
        self.players = [make_user(f"player{number}") for number in range(seats)]
        self.match = make_match(slug, players=self.players, options=options, server_part="7" * 64)
        self.dice = Chance(f"{slug} {options}", "players")
        self.sent = 0
        sitter = make_user("sitter")
        self._give_last_seat_to(sitter)
        self._make_fixture()
        self._plant_what_if()
        self._plant_puzzle()
        people = [
            Observer(player.username, signed_in(player), player, seat, is_player=True, token=token_of(player))
            for seat, player in enumerate(self.players)
        ]
        stranger = make_user("stranger")
        self.observers = [
            *people,
            Observer("sitter", signed_in(sitter), sitter, seats - 1, token=token_of(sitter)),
            Observer("spectator", signed_in(stranger), stranger, token=token_of(stranger)),
            Observer("nobody", Client()),
            Observer("guest", _guest()),
            *(_staff(role) for role in (Role.MODERATOR, Role.ADMINISTRATOR)),
        ]

    def _give_last_seat_to(self, sitter: User) -> None:
        today = NOON.date()
        player = self.players[-1]
        asked = propose_sitting(
            self.match.pk, player, sitter.username, today, today + timedelta(days=9), now=NOON
        )
        agree_to_sit(asked.pk, sitter, now=NOON)

    def _make_fixture(self) -> None:
        """Let the match be one of an event, and of its club."""
        now = clock.now()
        event = make_event(make_user("olga"), self.players, game=self.slug, seats=2, season_days=112)
        season = season_of(event)
        season.state, season.secret, season.ends_at = Season.State.RUNNING, "5" * 64, now + timedelta(days=99)
        season.save()
        division = Division.objects.create(season=season, level=1)
        fixture = Fixture.objects.create(division=division, number=1, match=self.match)
        for number, entry in enumerate(season.entries.order_by("pk")):
            entry.division, entry.number = division, number
            entry.save()
            Place.objects.create(fixture=fixture, index=number, entry=entry)
        club = Club.objects.create(slug="lake", name="Lake", created_at=NOON)
        for player in self.players:
            Member.objects.create(club=club, user=player, joined_at=NOON)
        Match.objects.filter(pk=self.match.pk).update(club=club)

    def _plant_what_if(self) -> None:
        """A what-if of the running match, as if a moderator had taken back the end of a finished one."""
        WhatIf.objects.create(
            match=self.match,
            user=self.players[0],
            key=WHAT_IF,
            name="Bid higher",
            ply=0,
            seat=0,
            seed="4" * 64,
            begun_at=NOON,
            changed_at=NOON,
        )

    def _plant_puzzle(self) -> None:
        """A puzzle of the running match, planted in the same way."""
        StoredPuzzle.objects.create(
            key="7" * 16,
            game=self.slug,
            day=PUZZLE_DAY,
            match=self.match,
            ply=0,
            seat=0,
            best="pass",
            worths=[["pass", 60.0]],
            simulations=1,
            seeds=["a", "b"],
        )

    def fresh(self) -> Match:
        return Match.objects.get(pk=self.match.pk)

    def asked(self) -> list[Seat]:
        seats = Seat.objects.select_related("user", "match").filter(match=self.match, is_waiting=True)
        return list(seats.order_by("index"))

    def others(self, owner: int, *, may_know: int | None = None) -> list[Observer]:
        """All who may not know a secret of the player in seat `owner`, without the readers of seat `may_know`."""
        return [
            each
            for each in self.observers
            if not (each.is_player and each.seat == owner) and (may_know is None or each.seat != may_know)
        ]

    def send(self, seat: Seat, text: str) -> None:
        """Send a move or order as this seat's player, from the web."""
        self.sent += 1
        assert seat.user
        request = Request(
            self.match.code, Actor.player(seat.user), text, Move.Source.WEB, f"test:{self.sent}"
        )
        submit(request, now=NOON)

    def random_text(self, seat: Seat, dice: Chance | None = None) -> str:
        match = self.fresh()
        position = prompts.position_to_answer(match, replay.position(match), seat.index)
        return match.rules.write(match.rules.random_move(position, seat.index, dice or self.dice))

    def go_on(self, without: int, plies: int, *, first: int = 0) -> int:
        """Let other waiting seats answer, but not the last one, whose answer would show all; return how many did."""
        for number in range(first, first + plies):
            asked = self.asked()
            others = [seat for seat in asked if seat.index != without]
            if not others or (len(asked) == 1 and self.hides_answers):
                return number - first
            self.send(others[0], self.random_text(others[0], Chance("0" * 64, f"go on {number}")))
        return plies

    @property
    def hides_answers(self) -> bool:
        """True if the next answers lie face down, so that the last of them shows all."""
        match = self.fresh()
        position = replay.position(match)
        return prompts.has_open_contest(match, position) or match.rules.meta.has_sealed_picks


def _guest() -> Client:
    """A browser whose session has a guest account."""
    guest = User.objects.create_user("guest-1234", is_guest=True, date_joined=NOON)
    client = Client()
    session = client.session
    session[SESSION_KEY] = guest.pk
    session.save()
    return client


def _staff(role: Role) -> Observer:
    user = make_user(role.name.lower(), role=role)
    return Observer(user.username, signed_in(user), user, is_staff=True, token=token_of(user))


@contextmanager
def future() -> Iterator[None]:
    """Roll back everything that happens inside."""
    point = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(point)
        _number_rows_as_before()


def _number_rows_as_before() -> None:
    """Reset sequences, which PostgreSQL does not roll back; two futures must number their rows alike."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), apps.get_models()):
            cursor.execute(statement)
