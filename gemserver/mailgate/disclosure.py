"""What of a player's mail the people who look after the club may read, and when.

Before the contest it was written in has resolved, a mail may tell what others may not know: then they see its headers,
the verdict, the kind of each command and its code, no more. A private note stays its writer's for good, and so does a
plan until the match is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gemserver.mailgate.commands import COMMAND_WORDS
from gemserver.mailgate.models import InboundEmail
from gemserver.matches import replay
from gemserver.matches.models import Match

PRIVATE = "note"
STANDING = "plan"


@dataclass(frozen=True)
class Disclosure:
    """Decides about the mails of one match; reads its moves once."""

    match: Match

    def may_read(self, row: InboundEmail) -> bool:
        """Whether its text may be shown to somebody who has no part in the match."""
        words = {kind_of(result["line"]) for result in row.results}
        if PRIVATE in words:
            return False
        if self.match.is_over:
            return True
        if STANDING in words or not self.match.is_running:
            return False
        then = self.contexts[self._ply_at(row)]
        return then is not None and then != self.contexts[-1]

    @cached_property
    def contexts(self) -> Sequence[str | None]:
        """The contest that was open after each ply, from the deal on."""
        return [self.match.rules.context(state) for _, state, _ in replay.positions(self.match)]

    def _ply_at(self, row: InboundEmail) -> int:
        """The number of moves that had been played when the mail was acted on."""
        played = [result["ply"] for result in row.results if result["ply"]]
        if played:
            return int(min(played)) - 1
        return self.match.moves.filter(voided_at=None, created_at__lt=row.received_at).count()


def kind_of(line: str) -> str:
    """The command word of a line, `move` for anything else."""
    word = line.partition(" ")[0].partition("\n")[0].lower()
    return word if word in COMMAND_WORDS else "move"


def may_read(row: InboundEmail) -> bool:
    """The same for a single mail; one that belongs to no seat could be of any match, so it stays closed."""
    return row.seat is not None and Disclosure(row.seat.match).may_read(row)
