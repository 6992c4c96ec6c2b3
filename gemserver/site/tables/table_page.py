"""The contents of a table's page for one reader, before the match begins or after it was cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.urls import reverse

from gemserver.accounts.models import User
from gemserver.matches import replay, tables, talk
from gemserver.matches.models import Invitation, Match, Seat
from gemserver.matches.who_may_sit import find_bar_to_come, is_link
from gemserver.matches.words.clocks import clock_terms
from gemserver.matches.words.deals import has_given
from gemserver.matches.words.options import option_label, value_words
from gemserver.site.tables.table_forms import BOT_CHOICES, value_templates


@dataclass(frozen=True, slots=True)
class OptionLine:
    """One option of the game, with the value chosen for this table, and the templates that show it."""

    description: str
    value: str
    words: str
    templates: tuple[str, str]


@dataclass(frozen=True)
class TablePage:
    """The page of a table for one reader (None: a stranger), who may have followed its `link`."""

    match: Match
    reader: User | None
    link: str = ""

    @cached_property
    def seats(self) -> list[Seat]:
        return self.match.read_seats()

    @property
    def free(self) -> range:
        """The numbers of the free seats."""
        return range(len(self.seats) + 1, self.match.seat_count + 1)

    @cached_property
    def seat(self) -> Seat | None:
        """The reader's own seat, if any."""
        return next((seat for seat in self.seats if self.reader and seat.user == self.reader), None)

    @cached_property
    def host(self) -> User | None:
        """The host, who may cancel the table and give seats to bots."""
        return tables.host_of(self.match)

    @property
    def is_host(self) -> bool:
        return self.reader is not None and self.reader == self.host

    @cached_property
    def followed(self) -> list[str]:
        """The names of the players whom the reader follows and who do not sit here, to be proposed."""
        if self.reader is None:
            return []
        followed = User.objects.filter(pk__in=self.reader.follows.values("followed"), is_active=True)
        here = [seat.user_id for seat in self.seats if seat.user_id]
        return list(followed.exclude(pk__in=here).order_by("username").values_list("username", flat=True))

    @property
    def is_alone(self) -> bool:
        """True if no other person sits here, so that leaving cancels the table."""
        return [seat.user for seat in self.seats if seat.user] == [self.reader]

    @property
    def is_asked(self) -> bool:
        """True if the reader is asked to agree to terms that have changed."""
        return self.match.is_open and self.seat is not None and not self.seat.has_agreed

    @cached_property
    def may_join(self) -> bool:
        """True if the reader, or a stranger once signed in, may join."""
        if not self.match.is_open or self.seat or not self.free:
            return False
        if self.reader is None:
            return self.match.access == Match.Access.ANYONE or is_link(self.match, self.link)
        return find_bar_to_come(self.match, self.reader, link=self.link) is None

    @property
    def starts_when_full(self) -> bool:
        """True if the match begins with the last seat taken: nobody starts it by hand, and all agree to its terms."""
        return self.match.starts_when_full and all(seat.has_agreed for seat in self.seats)

    @property
    def was_removed(self) -> bool:
        """True if the host has removed the reader."""
        return self.reader is not None and tables.was_removed(self.match, self.reader)

    @cached_property
    def invitations(self) -> list[Invitation]:
        """The invitations to the table, shown only to its players."""
        if self.seat is None:
            return []
        return list(self.match.invitations.select_related("user", "invited_by").order_by("created_at"))

    @property
    def withdrawable(self) -> list[Invitation]:
        """The unanswered invitations that the reader may take back."""
        return [
            invitation
            for invitation in self.invitations
            if invitation.state == Invitation.State.OPEN
            and (self.is_host or invitation.invited_by == self.reader)
        ]

    @property
    def link_url(self) -> str:
        """The address with which anybody may join; only for players of the table."""
        return settings.SITE_URL + reverse("table-link", args=[self.match.code, self.match.link_token])

    @property
    def has_own_part(self) -> bool:
        """True if the reader gave their own part."""
        own = self.seat
        return own is not None and has_given(self.match, own)

    @property
    def progress(self) -> str:
        """The progress of the table as one word; a page that shows another word is out of date."""
        answers = sum(invitation.state != Invitation.State.OPEN for invitation in self.invitations)
        said = talk.count_messages(self.seat) if self.seat else 0
        agreed = sum(seat.has_agreed for seat in self.seats)
        terms = f"{self.match.terms_changes}-{agreed}"
        return f"{self.match.status}-{len(self.seats)}-{answers}-{said}-{terms}"

    @property
    def terms(self) -> list[str]:
        """The terms of the clocks."""
        return clock_terms(self.match)

    @property
    def options(self) -> Iterator[OptionLine]:
        """The game's options, each with its description and the chosen value."""
        chosen = replay.options(self.match)
        for option in self.match.rules.meta.options:
            value = chosen[option.name]
            yield OptionLine(
                option_label(option),
                value,
                value_words(value),
                value_templates(self.match.game, option),
            )

    @property
    def bots(self) -> list[tuple[str, Any]]:
        """The strengths of bots for a free seat, as choices of a field."""
        return BOT_CHOICES
