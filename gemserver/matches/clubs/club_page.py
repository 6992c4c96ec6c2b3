"""The list of clubs, and a club with its members, matches and news, as one reader may see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Prefetch

from gemserver.accounts.models import User
from gemserver.clubs.models import Candidate, Club, Member, News
from gemserver.clubs.selectors import clubs_of, invitations_of, members_of, membership
from gemserver.lib.text.markdown import render
from gemserver.matches.models import Match, Seat
from gemserver.matches.privacy import seen_by
from gemserver.matches.wins import SHARERS, Won, sum_won

PER_PAGE = 20
MOST_MATCHES = 20
"""Open tables, running and finished matches that a club's page lists, of each."""
MOST_NEWS = 10

_SEATS = Prefetch("seats", Seat.objects.select_related("user").order_by("index"))


@dataclass(frozen=True)
class ClubsPage:
    """The clubs that everybody may join or ask, and those of the reader (None: a stranger)."""

    reader: User | None
    number: str = "1"

    @cached_property
    def own(self) -> list[Club]:
        own = clubs_of(self.reader).values("pk")
        return list(Club.objects.filter(pk__in=own).annotate(size=Count("members")).order_by("name", "pk"))

    @cached_property
    def invitations(self) -> list[Candidate]:
        return list(invitations_of(self.reader)) if self.reader else []

    @cached_property
    def listed(self) -> Page[Any]:
        """The listed clubs, the largest first."""
        found = Club.objects.filter(is_private=False, closed_at=None)
        found = found.annotate(size=Count("members"))
        return Paginator(found.order_by("-size", "name", "pk"), PER_PAGE).get_page(self.number)


@dataclass(frozen=True, slots=True)
class Standing:
    """A member's finished matches in the club."""

    player: User
    won: Won


@dataclass(frozen=True, slots=True)
class NewsLine:
    """News with their text as HTML."""

    row: News

    @property
    def html(self) -> str:
        return render(self.row.text)

    @property
    def quoted(self) -> str:
        """The text with a mark before each line, so that in a mail none is read as a command."""
        return "\n".join(f"    | {line}" for line in self.row.text.splitlines())


@dataclass(frozen=True)
class ClubPage:
    """The page of one club; somebody who is only invited sees what it says about itself and nothing else."""

    club: Club
    reader: User | None

    @cached_property
    def mine(self) -> Member | None:
        """The reader's own membership."""
        return membership(self.club, self.reader)

    @property
    def is_organiser(self) -> bool:
        return self.mine is not None and self.mine.role != Member.Role.MEMBER

    @property
    def is_owner(self) -> bool:
        return self.mine is not None and self.mine.role == Member.Role.OWNER

    @property
    def is_open(self) -> bool:
        return self.club.closed_at is None

    @property
    def shows_inside(self) -> bool:
        """True if members, matches and news are shown to this reader."""
        return not self.club.is_private or self.mine is not None

    @cached_property
    def candidacy(self) -> str:
        """`asked` or `invited` if the reader is; else empty."""
        if self.reader is None or self.mine:
            return ""
        shown = [Candidate.Kind.ASKED, Candidate.Kind.INVITED]
        own = self.club.candidates.filter(user=self.reader, kind__in=shown).first()
        return own.kind if own else ""

    @property
    def about(self) -> str:
        return render(self.club.about)

    @cached_property
    def members(self) -> list[Member]:
        return list(members_of(self.club)) if self.shows_inside else []

    @property
    def heirs(self) -> list[Member]:
        """The members to whom the reader may leave the club, if it would be without an owner."""
        others = [member for member in self.members if member.user.is_active and member != self.mine]
        has_others = any(member.role == Member.Role.OWNER for member in others)
        return others if self.is_owner and self.is_open and not has_others else []

    @cached_property
    def candidates(self) -> list[Candidate]:
        """Those who ask to join and those who are invited, for organisers."""
        if not self.is_organiser:
            return []
        shown = [Candidate.Kind.ASKED, Candidate.Kind.INVITED]
        return list(
            self.club.candidates.filter(kind__in=shown).select_related("user", "by").order_by("since", "pk")
        )

    def _matches(self, status: Match.Status, order: str) -> list[Match]:
        if not self.shows_inside:
            return []
        found = Match.objects.filter(seen_by(self.reader), club=self.club, status=status)
        return list(found.order_by(order, "-pk").prefetch_related(_SEATS)[:MOST_MATCHES])

    @cached_property
    def tables(self) -> list[Match]:
        return self._matches(Match.Status.OPEN, "-created_at")

    @cached_property
    def running(self) -> list[Match]:
        return self._matches(Match.Status.RUNNING, "-started_at")

    @cached_property
    def finished(self) -> list[Match]:
        return self._matches(Match.Status.FINISHED, "-finished_at")

    @cached_property
    def news(self) -> list[NewsLine]:
        if not self.shows_inside:
            return []
        return [NewsLine(row) for row in self.club.news.select_related("author")[:MOST_NEWS]]

    @cached_property
    def standings(self) -> Sequence[Standing]:
        """The members by matches won in the club, of those who have finished one; ratings of clubs go here."""
        counts = self._counts if self.shows_inside else {}
        lines = [
            Standing(member.user, counts[member.user_id])
            for member in self.members
            if member.user_id in counts
        ]
        return sorted(lines, key=lambda line: (-line.won.wins, line.won.played, line.player.username))

    @property
    def _counts(self) -> dict[int, Won]:
        """Matches in the club, by primary key of the player."""
        seats = Seat.objects.filter(
            match__club=self.club, match__status=Match.Status.FINISHED, user__isnull=False
        )
        rows = seats.order_by().annotate(sharers=SHARERS).values("user", "sharers")
        counted: dict[int, Won] = {}
        for row in rows.annotate(number=Count("pk")):
            won = sum_won([(row["number"], row["sharers"])])
            counted[row["user"]] = counted.get(row["user"], Won()) + won
        return counted
