"""The reader of a match: what they are in it, and the match as they may see it.

Nothing here looks into a position: everything comes from `view`, `words` and the events the reader may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import CharField
from django.utils import timezone

from games.contract import Asked, Choice, Limit, seat_letter
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.matches import prompts, replay, selectors, sitters
from gemserver.matches.broken_games import is_stopped
from gemserver.matches.models import Holiday, Match, SealedOrder, Seat, Sitting
from gemserver.matches.privacy import may_see, no_such_match
from gemserver.matches.words.plans import ExplainedDoubt, explain_order_doubts, show_order, word_order


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of a match: `seat` is the one they hold, `sitting` the one under which they play another's.

    Both None: a spectator. Things for the player alone (talk, notes, consent) require `seat`.
    """

    match: Match
    seat: Seat | None = None
    sitting: Sitting | None = None

    @property
    def played(self) -> Seat | None:
        """The seat that the reader may move for, and whose view and log are shown."""
        return self.sitting.seat if self.sitting else self.seat


def find_match(code: str, user: User | AnonymousUser) -> tuple[Match, Seat | None]:
    """Read the match with this code and the reader's seat in one query, so that position and prompt fit together.

    Raises Refused(no-such-match), also for a match of which the reader may not know.
    """
    if isinstance(user, User):
        for seat in _seated(code=code, user=user.pk):
            return seat.match, seat
    for match in _called(code=code):
        if may_see(match, user):
            return match, None
    raise no_such_match()


_seated = Prepared(
    lambda: Seat.objects.select_related("match", "user").filter(
        match__code=Param("code", CharField()), user=Param("user")
    )
)
_called = Prepared(lambda: Match.objects.filter(code=Param("code", CharField())))


def find_reader(code: str, user: User | AnonymousUser, now: datetime) -> Reader:
    """Find the match with this code and the reader's role in it; raises Refused(no-such-match)."""
    match, seat = find_match(code, user)
    if seat is None and isinstance(user, User) and (sitting := sitters.sitting_of(user, code, now)):
        return Reader(sitting.seat.match, None, sitting)
    return Reader(match, seat)


@dataclass(frozen=True)
class SeenMatch(Reader):
    """A match that has begun, as its reader may see it now."""

    @cached_property
    def seats(self) -> list[Seat]:
        return self.match.read_seats()

    @cached_property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @property
    def reader(self) -> int | None:
        return None if self.played is None else self.played.index

    @cached_property
    def waiting(self) -> list[Seat]:
        """The seats the match waits for."""
        return [seat for seat in self.seats if seat.is_waiting]

    @property
    def my_turn(self) -> bool:
        return self.played is not None and self.played.asks_player

    @cached_property
    def sittings(self) -> list[Sitting]:
        """The sittings that are asked for, agreed to, or going on."""
        return sitters.find_current(match=self.match.pk, at=clock.now())

    @cached_property
    def open_holiday(self) -> Holiday | None:
        """The proposed holiday that the table has not settled yet."""
        return selectors.find_open_holiday(self.match, self._holidays)

    @property
    def holiday(self) -> Holiday | None:
        """The agreed holiday that the table has now or next."""
        agreed = (row for row in self._holidays if row.outcome == Holiday.Outcome.AGREED)
        return next((row for row in agreed if row.last >= timezone.localdate()), None)

    @cached_property
    def _holidays(self) -> list[Holiday]:
        return selectors.holidays_of(self.match) if self.match.is_running else []

    @property
    def is_paused(self) -> bool:
        """True while a moderator's pause stops all clocks; asked only if the clock of somebody is stopped."""
        stopped = any(seat.user_id and seat.due_at is None for seat in self.waiting)
        return self.match.is_running and stopped and selectors.is_paused(self.match)

    @cached_property
    def has_failed(self) -> bool:
        """True while the match stands still because its game has failed, so that nobody can move."""
        return self.match.is_running and is_stopped(self.match)

    @cached_property
    def position(self) -> Any:
        return replay.position(self.match)

    @cached_property
    def undrafted_view(self) -> Any:
        """The reader's view of the position as it is played."""
        return self.match.rules.view(self.position, self.reader)

    @cached_property
    def asked(self) -> Asked | None:
        """The seats that the match waits for."""
        return prompts.find_asked(self.match, self.position)

    @cached_property
    def can_answer(self) -> bool:
        """True if the reader is asked, or may still replace a sealed choice."""
        if self.played is None or self.has_failed:
            return False
        return prompts.may_answer(self.match, self.position, self.played.index)

    @cached_property
    def answered_position(self) -> Any:
        """The position whose legal moves are the reader's possible answers."""
        assert self.played is not None
        return prompts.position_to_answer(self.match, self.position, self.played.index)

    def list_steps(self, partial: str) -> Sequence[Choice]:
        """List the choices that go on from this beginning of a move. Raises GameError if it cannot be read."""
        assert self.played is not None
        return self.match.rules.steps(self.answered_position, self.played.index, partial)

    @cached_property
    def _prompt(self) -> prompts.Prompt:
        return prompts.split_prompt(prompts.prompt_text(self.match, self.undrafted_view, self.names))

    @property
    def question(self) -> str:
        return self._prompt.question

    @property
    def examples(self) -> list[str]:
        return self._prompt.moves

    @cached_property
    def note(self) -> str:
        """How the examples are written, and how many more moves there are."""
        if self.played is None:
            return self._prompt.note
        return prompts.explain_moves(
            self.match, self.position, self.played.index, self._prompt, self.examples
        )

    @property
    def asked_limit(self) -> Limit | None:
        """Asks for the number that makes an order for the whole contest; None if none is wanted."""
        return (
            None if self.played is None else prompts.ask_limit(self.match, self.position, self.played.index)
        )

    @cached_property
    def is_sealing(self) -> bool:
        """True if what the reader plays now lies face down until all have decided."""
        return self.can_answer and prompts.is_sealing(self.match, self.position)

    @cached_property
    def sealed(self) -> SealedAnswer | None:
        """The reader's answer that lies face down already and may be changed."""
        if self.played is None or not self.can_answer:
            return None
        user = self.sitting.sitter if self.sitting else self.played.user
        return find_sealed(self.match, self.played, user)

    @property
    def sealed_until(self) -> datetime | None:
        """The instant by which all are in, as the clocks stand."""
        return prompts.find_latest_due(self.seats)


@dataclass(frozen=True)
class SealedAnswer:
    """The answer of the seat that lies face down and may still be changed, for whoever gave it."""

    order: SealedOrder

    @property
    def text(self) -> str:
        """The answer in notation, as people would write it."""
        return show_order(self.order)

    @property
    def words(self) -> str:
        """The answer in words; empty where they say no more than its text."""
        return word_order(self.order)

    @cached_property
    def doubts(self) -> list[ExplainedDoubt]:
        """The parts of it that cannot become possible as things stand, each with the reason."""
        return explain_order_doubts(self.order)

    @property
    def covered(self) -> str:
        """The text that its hash covers."""
        return cover(self.order)


def cover(order: SealedOrder) -> str:
    """The text whose SHA-256 is the hash of a sealed order."""
    return f"{order.match.code}|{order.context}|{seat_letter(order.seat)}|{order.version}|{order.salt}|{order.text}"


def find_sealed(match: Match, seat: Seat, user: User | None) -> SealedAnswer | None:
    """The answer for this seat that the user has laid face down; None if nothing lies there."""
    if not (match.is_sealed_pace or match.rules.meta.has_sealed_picks) or not match.is_running:
        return None
    lying = _lying(match=match.pk, seat=seat.index, user=user.pk) if user else []
    for order in lying:
        order.match = match
    return SealedAnswer(lying[0]) if lying else None


_lying = Prepared(
    lambda: (
        SealedOrder.objects.filter(
            match=Param("match"), seat=Param("seat"), user=Param("user"), resolved_ply=None, voided_at=None
        )
        .exclude(hash="")
        .order_by("-pk")[:1]
    )
)
