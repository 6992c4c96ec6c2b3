"""The first page: what waits for a player, and what a stranger may try or watch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.conf import settings
from django.db.models import DateTimeField, Q, QuerySet
from django.utils import translation

from games import registry
from games.contract import GameMeta
from gemserver.accounts.guests import KEPT
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.reachability import is_cut_off, lost_addresses
from gemserver.lib import clock
from gemserver.lib.prepared import Given, GivenSet, Prepared
from gemserver.matches import replay, selectors, sitters, tables
from gemserver.matches.demo import DEMO_NAME
from gemserver.matches.models import Invitation, Match, Seat, Sitting
from gemserver.matches.prompts import prompt_text, split_prompt
from gemserver.matches.web.specimen import draw_specimen

MOST_FINISHED = 10
MOST_WATCHED = 10
MOST_OPEN_SEATS = 5


@dataclass(frozen=True, slots=True)
class MatchCard:
    """One match in a list; `seat` is the reader's own, None for a stranger."""

    match: Match
    seats: tuple[Seat, ...]
    seat: Seat | None = None
    reader: User | None = None

    @property
    def played_for(self) -> str:
        """The name of whose seat the reader plays for a while; empty for the reader's own."""
        if self.seat is None or self.reader is None or self.seat.user_id in {None, self.reader.pk}:
            return ""
        return next((seat.name for seat in self.seats if seat == self.seat), "")

    @property
    def others(self) -> str:
        """The names of everybody but the reader."""
        return ", ".join(seat.name for seat in self.seats if seat != self.seat)

    @property
    def question(self) -> str:
        """What the reader is asked, or who is waited for."""
        reader = self.seat.index if self.seat else None
        view = self.match.rules.view(replay.position(self.match), reader)
        names = [seat.name for seat in self.seats]
        return split_prompt(prompt_text(self.match, view, names))[0]


@dataclass(frozen=True)
class HomePage:
    """The lists of the first page for one reader (None: a stranger), or for the `guest` of this session.

    It takes the same number of queries for any number of matches.
    """

    reader: User | None
    guest: User | None = None

    @property
    def specimen(self) -> str:
        """What a board looks like, for who has none."""
        return draw_specimen(translation.get_language())

    @cached_property
    def lost_addresses(self) -> list[UnreachableAddress]:
        """The reader's addresses from which mail comes back."""
        return lost_addresses(self.reader) if self.reader else []

    @property
    def is_cut_off(self) -> bool:
        return self.reader is not None and bool(self.lost_addresses) and is_cut_off(self.reader)

    @property
    def games(self) -> list[GameMeta]:
        return [game.rules.meta for game in registry.GAMES.values()]

    @cached_property
    def invitations(self) -> list[Invitation]:
        """The seats that the reader is offered, one at each table."""
        offered = _invitations(user=self.reader.pk) if self.reader else []
        return list({invitation.match_id: invitation for invitation in offered}.values())

    @property
    def my_turn(self) -> list[MatchCard]:
        """Matches that wait for the reader, most urgent first; what has no deadline comes last."""
        waiting = [card for card in self._own if card.seat and card.seat.is_waiting]
        return sorted(waiting, key=lambda card: (_due(card) is None, _due(card) or card.match.created_at))

    @property
    def their_turn(self) -> list[MatchCard]:
        """Matches in which the reader waits for others."""
        return [
            card for card in self._own if card.match.is_running and card.seat and not card.seat.is_waiting
        ]

    @property
    def my_tables(self) -> list[MatchCard]:
        """Tables at which the reader waits for players."""
        return [card for card in self._own if card.match.is_open]

    @cached_property
    def _own(self) -> list[MatchCard]:
        """The reader's tables and running matches, and those in which they play for somebody, the oldest first."""
        return self._cards(_played(user=self.reader.pk, at=clock.now())) if self.reader else []

    @cached_property
    def sitting_questions(self) -> list[Sitting]:
        """The players who ask the reader to play for them for a while."""
        return _asked_to_sit(user=self.reader.pk, at=clock.now()) if self.reader else []

    @cached_property
    def finished(self) -> list[MatchCard]:
        """The reader's last matches that are over, newest first."""
        return self._cards(_finished(user=self.reader.pk)) if self.reader else []

    @cached_property
    def open_seats(self) -> list[MatchCard]:
        """Matches in which the reader may take an absent player's seat."""
        return self._cards(_open_seats(user=self.reader.pk)) if self.reader else []

    @property
    def plays_nothing(self) -> bool:
        """Whether there is nothing to show but where to begin."""
        return not (self.my_turn or self.their_turn or self.my_tables)

    @property
    def offers_demo_match(self) -> bool:
        """Whether the demo player of an embedded server has nothing left to play."""
        is_demo = settings.EMBEDDED and self.reader is not None and self.reader.username == DEMO_NAME
        return is_demo and not self.my_turn and not self.their_turn

    @cached_property
    def guest_matches(self) -> list[MatchCard]:
        """What the guest of this session has begun, the newest first."""
        return self._cards(_tried_out(user=self.guest.pk)) if self.guest else []

    @property
    def guest_days(self) -> int:
        """How many days a guest's matches are kept."""
        return KEPT.days

    @cached_property
    def to_watch(self) -> list[MatchCard]:
        """Running matches, the newest first; those that guests try things out in are left out."""
        running = _running()
        seats = _read_seats([match.pk for match in running])
        return [MatchCard(match, seats[match.pk]) for match in running]

    def _cards(self, seats: Sequence[Seat]) -> list[MatchCard]:
        at_table = _read_seats([seat.match_id for seat in seats])
        return [MatchCard(seat.match, at_table[seat.match_id], seat, self.reader) for seat in seats]


_USER, _AT = Given("user"), Given("at", DateTimeField())

_invitations = Prepared(lambda: tables.open_invitations(_USER))
_open_seats = Prepared(lambda: selectors.open_seats(_USER)[:MOST_OPEN_SEATS])
_asked_to_sit = Prepared(
    lambda: sitters.current(_AT).filter(sitter=_USER, agreed_at=None).order_by("proposed_at")
)


def _find_played() -> QuerySet[Seat]:
    own = Seat.objects.filter(user=_USER).order_by().values("pk")
    taken = sitters.acting(_AT).filter(sitter=_USER).values("seat")
    lasting = [Match.Status.OPEN, Match.Status.RUNNING]
    seats = Seat.objects.filter(pk__in=own.union(taken), match__status__in=lasting)
    return seats.select_related("match").order_by("match")


def _find_running() -> QuerySet[Match]:
    by_players = Q(created_by=None) | Q(created_by__is_guest=False)
    running = Match.objects.filter(by_players, status=Match.Status.RUNNING)
    return running.order_by("-started_at")[:MOST_WATCHED]


def _held() -> QuerySet[Seat]:
    return Seat.objects.filter(user=_USER).select_related("match")


_played = Prepared(_find_played)
_running = Prepared(_find_running)
_finished = Prepared(
    lambda: (
        _held().filter(match__status=Match.Status.FINISHED).order_by("-match__finished_at")[:MOST_FINISHED]
    )
)
_tried_out = Prepared(lambda: _held().order_by("-match__created_at"))


def _read_seats(matches: Collection[int]) -> Mapping[int, tuple[Seat, ...]]:
    """All seats of each of these matches (primary keys), in order."""
    found: dict[int, list[Seat]] = {match: [] for match in matches}
    for seat in _seats(matches=found) if found else []:
        found[seat.match_id].append(seat)
    return {match: tuple(seats) for match, seats in found.items()}


_seats = Prepared(
    lambda: Seat.objects.select_related("user").filter(match__in=GivenSet("matches")).order_by("index")
)


def _due(card: MatchCard) -> datetime | None:
    return card.seat.due_at if card.seat else None
