"""The first page: a player's turns, matches and tables; for a stranger, matches to try or watch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import translation

from games import registry
from games.contract import GameMeta
from gemserver.accounts.guests import KEPT
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.reachability import is_cut_off, lost_addresses
from gemserver.events.models import Replacement
from gemserver.events.replacements import asked_of
from gemserver.lib import clock
from gemserver.matches.demo import DEMO_NAME
from gemserver.matches.models import Match, Seat
from gemserver.matches.own_matches import MatchCard, OwnMatches, read_seats_of
from gemserver.matches.privacy import seen_by
from gemserver.site.lists.sample_board import draw_sample_board

MOST_WATCHED = 10


@dataclass(frozen=True)
class HomePage(OwnMatches):
    """The lists of the first page for one reader (None: a stranger), or for the `guest` of this session."""

    guest: User | None = None

    @property
    def sample_board(self) -> str:
        """A sample board, for readers who have no match."""
        return draw_sample_board(translation.get_language())

    @cached_property
    def lost_addresses(self) -> list[UnreachableAddress]:
        """The reader's addresses that mail bounces from."""
        return lost_addresses(self.reader) if self.reader else []

    @property
    def is_cut_off(self) -> bool:
        return self.reader is not None and bool(self.lost_addresses) and is_cut_off(self.reader)

    @property
    def games(self) -> list[GameMeta]:
        return [game.rules.meta for game in registry.GAMES.values()]

    @cached_property
    def replacement_questions(self) -> list[Replacement]:
        """Questions of organisers to the reader if they go on for a player of a season."""
        return asked_of(self.reader, clock.now()) if self.reader else []

    @property
    def progress(self) -> str:
        asked = ".".join(str(question.pk) for question in self.replacement_questions)
        return f"{super().progress}.{asked}" if asked else super().progress

    @property
    def plays_nothing(self) -> bool:
        """True if the reader has neither matches nor tables."""
        return not (self.my_turn or self.their_turn or self.my_tables)

    @property
    def offers_demo_match(self) -> bool:
        """True if the demo player of an embedded server has nothing left to play."""
        is_demo = settings.EMBEDDED and self.reader is not None and self.reader.username == DEMO_NAME
        return is_demo and not self.my_turn and not self.their_turn

    @cached_property
    def guest_matches(self) -> list[MatchCard]:
        """The matches that the guest of this session has begun, running ones first, then the newest."""
        if self.guest is None:
            return []
        seats = Seat.objects.filter(user=self.guest).select_related("match").order_by("-match__created_at")
        return sorted(self._cards(seats), key=lambda card: not card.match.is_running)

    @property
    def guest_days(self) -> int:
        """The number of days for which a guest's matches are kept."""
        return KEPT.days

    @cached_property
    def to_watch(self) -> list[MatchCard]:
        """Running matches, the newest first, without practice matches of guests."""
        running = list(_running(self.reader))
        seats = read_seats_of([match.pk for match in running])
        return [MatchCard(match, seats[match.pk]) for match in running]


def _running(reader: User | None) -> QuerySet[Match]:
    by_players = Q(created_by=None) | Q(created_by__is_guest=False)
    running = Match.objects.filter(by_players, seen_by(reader), status=Match.Status.RUNNING)
    return running.order_by("-started_at")[:MOST_WATCHED]
