"""A player's matches, tables and invitations, for lists on pages and in mails.

Each list takes the same number of queries however many matches there are.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from zlib import crc32

from django.db.models import DateTimeField, F, QuerySet
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate
from gemserver.clubs.selectors import invitations_of
from gemserver.lib import clock
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import replay, selectors, sitters, tables, talk
from gemserver.matches.broken_games import is_stopped, stop_broken
from gemserver.matches.models import IS_ASKED, Invitation, Match, Seat, Sitting
from gemserver.matches.offered.game_guard import UNPLAYABLE, BrokenGame
from gemserver.matches.prompts import find_latest_due, prompt_text, split_prompt

log = logging.getLogger(__name__)

MOST_FINISHED = 10
MOST_OPEN_SEATS = 5


@dataclass(frozen=True, slots=True)
class MatchCard:
    """One match in a list; `seat` is the one the reader plays, None for a stranger."""

    match: Match
    seats: tuple[Seat, ...]
    seat: Seat | None = None
    reader: User | None = None
    unread: int = 0
    """Messages of others that came since the reader last looked."""

    @property
    def played_for(self) -> str:
        """The name of the player the reader sits for; empty in the reader's own seat."""
        if self.seat is None or self.reader is None or self.seat.user_id in {None, self.reader.pk}:
            return ""
        return next((seat.name for seat in self.seats if seat == self.seat), "")

    @property
    def others(self) -> str:
        """The names of all other players."""
        return ", ".join(seat.name for seat in self.seats if seat != self.seat)

    @property
    def others_due(self) -> datetime | None:
        """The instant by which all whom the match waits for have answered, as their clocks stand."""
        return find_latest_due(self.seats)

    @property
    def question(self) -> str:
        """The question put to the reader, or a line saying who the match waits for."""
        if not is_stopped(self.match):
            try:
                return self._ask()
            except BrokenGame as error:
                stop_broken(error)
            except UNPLAYABLE as error:
                log.error("match %s has no question: %s", self.match.code, error)
        return gettext("The rules of this game have failed; the match stands still.")

    def _ask(self) -> str:
        reader = self.seat.index if self.seat else None
        view = self.match.rules.view(replay.position(self.match), reader)
        names = [seat.name for seat in self.seats]
        return split_prompt(prompt_text(self.match, view, names)).question


@dataclass(frozen=True)
class OwnMatches:
    """The matches, tables and invitations of one player (None: a stranger, who has none)."""

    reader: User | None

    @cached_property
    def invitations(self) -> list[Invitation]:
        """The reader's open invitations, one per table."""
        offered = tables.open_invitations(self.reader) if self.reader else []
        return list({invitation.match_id: invitation for invitation in offered}.values())

    @cached_property
    def club_invitations(self) -> list[Candidate]:
        """The reader's unanswered invitations into clubs."""
        return list(invitations_of(self.reader)) if self.reader else []

    @property
    def my_turn(self) -> list[MatchCard]:
        """Matches that wait for the reader, most urgent first; those without a deadline come last."""
        waiting = [card for card in self._own if card.seat and card.seat.asks_player]
        return sorted(waiting, key=lambda card: (_due(card) is None, _due(card) or card.match.created_at))

    @property
    def their_turn(self) -> list[MatchCard]:
        """Matches in which the reader waits for others."""
        return [
            card for card in self._own if card.match.is_running and card.seat and not card.seat.asks_player
        ]

    @property
    def my_tables(self) -> list[MatchCard]:
        """Tables at which the reader waits for players."""
        return [card for card in self._own if card.match.is_open]

    @cached_property
    def _own(self) -> list[MatchCard]:
        """The reader's tables and running matches, including those where they sit for somebody, the oldest first."""
        return self._own_cards(self.reader, _played_by(self.reader, clock.now())) if self.reader else []

    @property
    def progress(self) -> str:
        """The progress of these lists as one word; a page that shows another word is out of date."""
        rows = [
            *(
                (
                    card.match.pk,
                    card.match.ply,
                    len(card.seats),
                    card.seat is not None and card.seat.asks_player,
                    card.unread,
                )
                for card in self._own
            ),
            *(invitation.pk for invitation in self.invitations),
            *(f"club {invitation.club_id}" for invitation in self.club_invitations),
            *(sitting.pk for sitting in self.sitting_questions),
        ]
        return str(crc32(repr(rows).encode()))

    @cached_property
    def sitting_questions(self) -> list[Sitting]:
        """Requests to the reader to sit for another player."""
        if self.reader is None:
            return []
        asked = sitters.current(clock.now()).filter(sitter=self.reader, agreed_at=None)
        return list(asked.order_by("proposed_at", "pk"))

    @cached_property
    def finished(self) -> list[MatchCard]:
        """The reader's last finished matches, newest first."""
        if self.reader is None:
            return []
        over = Seat.objects.filter(user=self.reader, match__status=Match.Status.FINISHED)
        newest = over.select_related("match").order_by("-match__finished_at")[:MOST_FINISHED]
        return self._own_cards(self.reader, newest)

    @cached_property
    def open_seats(self) -> list[MatchCard]:
        """Matches with an absent player's seat that the reader may take over."""
        return self._cards(selectors.open_seats(self.reader)[:MOST_OPEN_SEATS]) if self.reader else []

    def _own_cards(self, reader: User, seats: Iterable[Seat]) -> list[MatchCard]:
        """The cards of these seats, with the number of messages that the reader has not seen."""
        cards = self._cards(seats)
        unread = talk.count_unread(reader, [card.match.pk for card in cards])
        return [replace(card, unread=unread.get(card.match.pk, 0)) for card in cards]

    def _cards(self, seats: Iterable[Seat]) -> list[MatchCard]:
        seats = list(seats)
        at_table = read_seats_of([seat.match_id for seat in seats])
        return [MatchCard(seat.match, at_table[seat.match_id], seat, self.reader) for seat in seats]


def taking_part(user: User, at: datetime) -> QuerySet[Match]:
    """The matches and tables in which the user holds a seat or plays one as a sitter, whatever became of them."""
    own = Seat.objects.filter(user=user).order_by().values("match")
    taken = sitters.acting(at).filter(sitter=user).order_by().values("seat__match")
    return Match.objects.filter(pk__in=own.union(taken))


def _played_by(user: User, at: datetime) -> QuerySet[Seat]:
    own = Seat.objects.filter(user=user).order_by().values("pk")
    taken = sitters.acting(at).filter(sitter=user).values("seat")
    lasting = [Match.Status.OPEN, Match.Status.RUNNING]
    seats = Seat.objects.filter(pk__in=own.union(taken), match__status__in=lasting)
    return seats.select_related("match").order_by("match")


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat that waits for its player, or for the sitter who plays it."""

    code: str
    game: str
    seat: int
    holder: int | None
    prompt_ply: int
    prompted_at: datetime | None
    due_at: datetime | None


def find_turns(user: User, at: datetime) -> list[Turn]:
    """The seats that wait for this player or sitter, in the order of `my_turn`."""
    return [Turn(*row) for row in _turns(user=user.pk, at=at)]


def find_all_turns(users: Collection[int], at: datetime) -> Mapping[int, frozenset[Turn]]:
    """Everything that `find_turns` lists for each of these users (primary keys) who has a turn, in no order."""
    own = Seat.objects.filter(IS_ASKED, user__in=users).values_list("user", *_TURN)
    sat = sitters.acting(at).filter(sitter__in=users, seat__is_waiting=True, seat__is_away=False)
    found: dict[int, set[Turn]] = {}
    for user, *row in [*own, *sat.values_list("sitter", *(f"seat__{name}" for name in _TURN))]:
        found.setdefault(user, set()).add(Turn(*row))
    return {user: frozenset(turns) for user, turns in found.items()}


def find_players(matches: Collection[int]) -> set[int]:
    """The users (primary keys) who hold a seat in one of these matches, or were asked to sit there."""
    holders = Seat.objects.filter(match__in=matches, user__isnull=False).order_by().values_list("user")
    asked = Sitting.objects.filter(seat__match__in=matches).order_by().values_list("sitter")
    return {user for (user,) in holders.union(asked)}


def _find_turns() -> QuerySet[Seat]:
    own = Seat.objects.filter(IS_ASKED, user=Param("user")).order_by().values("pk")
    taken = sitters.acting(Param("at", DateTimeField())).filter(sitter=Param("user")).values("seat")
    seats = Seat.objects.filter(IS_ASKED, pk__in=own.union(taken))
    return seats.order_by(F("due_at").asc(nulls_last=True), "match__created_at", "match")


_TURN = ("match__code", "match__game", "index", "user", "prompt_ply", "prompted_at", "due_at")
"""The fields of a `Turn`, as a seat has them."""
_turns = Prepared(lambda: _find_turns().values_list(*_TURN))


def read_seats_of(matches: Collection[int]) -> Mapping[int, tuple[Seat, ...]]:
    """All seats of each of these matches (primary keys), in order."""
    found: dict[int, list[Seat]] = {match: [] for match in matches}
    for seat in Seat.objects.select_related("user").filter(match__in=found).order_by("index"):
        found[seat.match_id].append(seat)
    return {match: tuple(seats) for match, seats in found.items()}


def _due(card: MatchCard) -> datetime | None:
    return card.seat.due_at if card.seat else None
