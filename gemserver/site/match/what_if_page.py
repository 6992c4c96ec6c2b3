"""The contents of the pages of what-ifs; the templates only lay them out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from games.contract import Asked, Choice, seat_letter
from games.record import RESIGN
from games.what_if import Branch, Chosen, Reached, Tried
from gemserver.lib.text.translator import translator
from gemserver.matches import replay
from gemserver.matches.models import Match, Seat
from gemserver.matches.words.moves import name_move, say_move
from gemserver.site.match.built_move import BuiltAside
from gemserver.site.match.picture import Picture
from gemserver.study.models import WhatIf
from gemserver.study.what_if import LONGEST_NAME, reach, read_branch

MOST_IN_WORDS = 120
"""Moves of a tree that are listed in words; the others in notation, as anybody may ask for the page of a large tree,
and words take up to a millisecond each."""


@dataclass(frozen=True, slots=True)
class LineOfMoves:
    """A line of the tree: `leaves` is the move that it is an alternative to; None where it begins in the match."""

    number: int
    leaves: ShownMove | None
    moves: Sequence[ShownMove]


@dataclass(frozen=True, slots=True)
class ShownMove:
    """A move of a line in words, with the number that it would have in the match."""

    tried: Tried
    ply: int
    words: str

    @property
    def letter(self) -> str:
        return seat_letter(self.tried.seat)

    @property
    def is_by_bot(self) -> bool:
        return self.tried.chosen == Chosen.BOT


@dataclass(frozen=True)
class WhatIfPage(BuiltAside):
    """A what-if at one of its positions, the same for all readers; who has begun it (`is_own`) can go on.

    `may_share`: others may look at it, too. `begun` is a move that is still being built, `typed` one that was refused.
    """

    what_if: WhatIf
    number: int
    is_own: bool
    may_share: bool
    begun: str = ""
    typed: str = ""
    refusal: str = ""
    report_refusal: str = ""

    @property
    def match(self) -> Match:
        return self.what_if.match

    @property
    def address(self) -> str:
        """The address of this position."""
        return self.address_of(self.number)

    def address_of(self, number: int) -> str:
        return reverse("match-what-if-move", args=[self.match.code, self.what_if.key, number])

    @property
    def name(self) -> str:
        return self.what_if.name or gettext("What if …")

    @property
    def longest_name(self) -> int:
        return LONGEST_NAME

    @cached_property
    def tree(self) -> Branch:
        return read_branch(self.what_if)

    @cached_property
    def reached(self) -> Reached:
        """Raises Refused like `reach`."""
        return reach(self.tree, self.number)

    @cached_property
    def seats(self) -> list[Seat]:
        return self.match.read_seats()

    @cached_property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @property
    def hand(self) -> str:
        """The name of the one seat that is played by hand; empty if all are."""
        return "" if self.what_if.seat is None else self.names[self.what_if.seat]

    @property
    def actor(self) -> str:
        """The name of the seat for which a move can be tried here; empty for none."""
        return "" if self.reached.actor is None else self.names[self.reached.actor]

    @property
    def waits_for_bots(self) -> bool:
        """True if the bots have not come to the end of their answer."""
        return not self.reached.is_over and self.reached.actor is None

    @property
    def has_hidden(self) -> bool:
        return self.match.rules.meta.has_hidden

    # The board, and a move that is being built on it

    @property
    def seed(self) -> str:
        return self.what_if.seed

    @property
    def ply(self) -> int:
        return self.what_if.ply + len(self.reached.line)

    @property
    def reader(self) -> int | None:
        """The seat whose view is shown: the one that is played by hand, or that is to act."""
        return self.reached.actor if self.what_if.seat is None else self.what_if.seat

    @property
    def reader_shown(self) -> str:
        """The name of the player whom the board calls “you”, for anybody else; empty if it calls nobody so."""
        return "" if self.is_own or self.reader is None else self.names[self.reader]

    @property
    def asked(self) -> Asked | None:
        return None

    @property
    def can_answer(self) -> bool:
        return self.is_own and self.reached.actor is not None

    @property
    def answered_position(self) -> Any:
        return self.reached.state

    @cached_property
    def undrafted_view(self) -> Any:
        return self.match.rules.view(self.reached.state, self.reader)

    @cached_property
    def view(self) -> Any:
        """The position, or the one that the finished steps of a move would make."""
        ahead = self.ahead if self.can_answer else None
        return self.undrafted_view if ahead is None else self.match.rules.view(ahead, self.reader)

    @cached_property
    def picture(self) -> Picture:
        last_moves = {} if self.begun else self.reached.last_moves
        return Picture(self.match, self.view, self.names, None, last_moves)

    def list_steps(self, partial: str) -> Sequence[Choice]:
        assert self.reached.actor is not None
        return self.match.rules.steps(self.reached.state, self.reached.actor, partial)

    # What was tried

    @property
    def happened(self) -> list[str]:
        """The consequences of the last move by hand and of all that followed, as far as they can be known here."""
        line = self.reached.line
        begun = [place for place, played in enumerate(line) if played.move.chosen == Chosen.BY_HAND]
        hand, words = self.what_if.seat, self.match.words
        return [
            words.describe(event, translator(), self.names, hand if self.is_own else None)
            for played in line[begun[-1] if begun else 0 :]
            for event in played.events
            if event.visible_to(played.move.seat if hand is None else hand)
        ]

    @property
    def before(self) -> int | None:
        """The number of the move before the last one of the line; None at the branch."""
        return self.reached.line[-1].move.before if self.reached.line else None

    @cached_property
    def next_moves(self) -> list[Tried]:
        """The moves that were tried from here."""
        return self.tree.list_next(self.number)

    @cached_property
    def line_numbers(self) -> frozenset[int]:
        """The numbers of the moves that lead to this position."""
        return frozenset(move.number for move in self.reached.path)

    @cached_property
    def lines(self) -> list[LineOfMoves]:
        """All lines, each from where it leaves an earlier one."""
        firsts: dict[int, ShownMove] = {}
        lines = []
        for number, line in enumerate(self.tree.list_lines(), start=1):
            leaves = firsts.get(line[0].before)
            shown = [self._shown[move.number] for move in line]
            for move in shown:
                firsts.setdefault(move.tried.before, move)
            lines.append(LineOfMoves(number, leaves, shown))
        return lines

    @cached_property
    def _shown(self) -> dict[int, ShownMove]:
        """All moves that were tried, by their numbers."""
        positions, rules = self.tree.find_positions(MOST_IN_WORDS), self.match.rules
        plies: dict[int, int] = {0: self.what_if.ply}
        shown = {}
        for move in self.tree.moves:
            plies[move.number] = plies[move.before] + 1
            position = positions.get(move.number)
            words = move.text if position is None else name_move(rules, position, move.seat, move.text)
            shown[move.number] = ShownMove(move, plies[move.number], words)
        return shown

    @cached_property
    def real_move(self) -> tuple[str, str] | None:
        """The name of the player who moved next in the match, and the move; None after its end, or a resignation.

        For the page of the branch, whose position is that of the match.
        """
        move = replay.moves(self.match).filter(ply=self.what_if.ply + 1).exclude(text=RESIGN).first()
        if move is None:
            return None
        return self.names[move.seat], say_move(self.match.rules, self.reached.state, move.seat, move.text)
