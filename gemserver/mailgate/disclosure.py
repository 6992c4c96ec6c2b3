"""Decides which of a player's mails moderators may read, and when.

Until the contest it was written in has resolved, a mail may tell what others may not know: then moderators see its
headers, the verdict, the kind of each command and its code, no more. A private note stays its writer's for good. A plan
stays so until the match is over, and so does a sealed order or pick that was taken back: it tells of a hand that is
still the same when the contest is held again with another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet

from gemserver.inbox.models import InboundEmail
from gemserver.mailgate.lines.command_words import COMMAND_WORDS
from gemserver.matches import replay
from gemserver.matches.models import Match, Move, SealedOrder

PRIVATE = "note"
STANDING = "plan"


@dataclass(frozen=True)
class Disclosure:
    """Decides about the mails of one match; reads its moves once."""

    match: Match

    def may_read(self, row: InboundEmail) -> bool:
        """True if the text may be shown to somebody who has no part in the match."""
        words = {kind_of(result["line"]) for result in row.results}
        if PRIVATE in words:
            return False
        if self.match.is_over:
            return True
        if STANDING in words or not self.match.is_running:
            return False
        # Sealed orders and picks are dated by the instant of which the mail that placed them counts.
        laid = self.match.sealed_orders.filter(source=Move.Source.MAIL, placed_at=row.counts_from)
        if laid.filter(voided_at__isnull=False).exists():
            return False
        written_in = self._contexts_of(row, laid)
        return None not in written_in and self.contexts[-1] not in written_in

    @cached_property
    def contexts(self) -> Sequence[str | None]:
        """The contest that was open after each ply, from the deal on."""
        return [self.match.rules.context(step.state) for _, step in replay.steps(self.match)]

    def _contexts_of(self, row: InboundEmail, laid: QuerySet[SealedOrder]) -> set[str | None]:
        """The contests in which the mail was acted on: those of its orders and moves, else the one open at that time.

        A mail that waited counts from when it was read: it may concern a later contest than the one open at its
        receipt.
        """
        found: set[str | None] = set(laid.filter(move=None).values_list("context", flat=True))
        found |= {self._context_at(int(result["ply"]) - 1) for result in row.results if result["ply"]}
        if found:
            return found
        acted_at = row.processed_at or row.received_at
        return {self._context_at(self.match.moves.filter(voided_at=None, created_at__lte=acted_at).count())}

    def _context_at(self, ply: int) -> str | None:
        """The contest that was open after this many moves; the present one if they were taken back since."""
        return self.contexts[min(ply, len(self.contexts) - 1)]


def kind_of(line: str) -> str:
    """The command word of a line; `move` for anything else."""
    word = line.partition(" ")[0].partition("\n")[0].lower()
    return word if word in COMMAND_WORDS else "move"


def may_read(row: InboundEmail) -> bool:
    """Like `Disclosure.may_read`, for a single mail; one without a seat could be of any match, so it stays closed."""
    return row.seat is not None and Disclosure(row.seat.match).may_read(row)
