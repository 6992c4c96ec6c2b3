"""Lists, parses and tries the moves of a seat in a position, as people may mean them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, pairwise
from typing import Any

from games.chance import Chance
from games.contract import Game, GameError, Seat
from games.orders import UnreadableOrder, read_orders, write_orders
from games.phrases.described_words import list_vocabulary
from games.phrases.describing import Descriptions
from games.phrases.order import SIDES
from games.phrases.phrasebook import ALL, BOTH, LANGUAGES, LEAST, read_phrasebook
from games.reading import lower

_MOST_MOVES = 400
"""Legal moves that are looked at, to learn how a move can begin, and which one was nearly written."""
_MOST_TEXTS = 500
"""Texts of which is kept how they are read in a position."""
_SIDE_LETTERS = frozenset(side[0] for side in SIDES)
_CELL = re.compile(r"[a-g]\d|-?\d+,-?\d+")
_BID = re.compile(r"bid(?: \d+)+")
_LETTERS = re.compile(r"[A-Z*][A-Z*+-]+")
_ANY_CHANCE = Chance("0" * 64, "phrasing")


@dataclass
class PlayableMoves:
    """The moves of the player of a seat in one position; `is_sealed`: they are orders for the open contest."""

    game: Game
    state: Any
    seat: Seat
    is_sealed: bool

    @cached_property
    def listed(self) -> Sequence[str]:
        """The first legal moves, in notation; of an order, those of the contest as the seat will meet it."""
        state = self._at_turn()
        moves = () if state is None else self.game.rules.legal_moves(state, self.seat)
        return [self.game.rules.write(move) for move in islice(moves, _MOST_MOVES)]

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The words with which a legal move begins."""
        return frozenset(move.partition(" ")[0] for move in self.listed)

    def has_several_verbs(self, piece: str) -> bool:
        """True for a piece that legal moves do different things with: an emerald, beside its proclamation."""
        return len(self._verbs_of.get(piece, ())) > 1

    @cached_property
    def _verbs_of(self) -> Mapping[str, Set[str]]:
        """The verbs of the legal moves by the word behind them."""
        found: dict[str, set[str]] = {}
        for verb, piece in (move.split()[:2] for move in self.listed if " " in move):
            found.setdefault(piece, set()).add(verb)
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the legal moves, without their numbers and codes."""
        return frozenset(word for move in self.listed for word in move.split() if word.isalpha())

    @cached_property
    def gem_words(self) -> frozenset[str]:
        """The words for gems and the like that may be said for the codes of moves."""
        return gem_words(self.game.package)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """All numbers of the legal moves."""
        return frozenset(word for move in self.listed for word in move.split() if word.isdecimal())

    @cached_property
    def codes(self) -> frozenset[str]:
        """The codes of several letters in the legal moves."""
        moves = [*self.listed, *((each.move for each in self.described.moves) if self.are_described else ())]
        return frozenset(word for move in moves for word in move.split() if _LETTERS.fullmatch(word))

    @cached_property
    def clause_words(self) -> frozenset[str]:
        """The verbs, and `pay`, with which another clause of a move begins."""
        return self.verbs | {"pay"}

    @cached_property
    def main_verb(self) -> str:
        """The word of the first legal move that takes more than itself; empty if none does."""
        return next((move.partition(" ")[0] for move in self.listed if " " in move), "")

    @cached_property
    def amounts(self) -> dict[str, str]:
        """The numbers that `one more`, where somebody has bid, `everything` and `both` mean here; what a pass is."""
        bids = [move for move in self.listed if move.rpartition(" ")[2].isdecimal() and move.count(" ") == 1]
        paid = {word for move in self.listed for word in move.partition(" pay ")[2].split()}
        coins = sorted(filter(str.isdecimal, paid), key=int)
        numbers = sorted(self.numbers, key=int)
        has_leader = bool(bids) and "pass" in self.verbs
        declines = {"pass": "keep"} if "keep" in self.verbs and "pass" not in self.verbs else {}
        return declines | {
            LEAST: bids[0].rpartition(" ")[2] if has_leader else LEAST,
            ALL: " ".join(coins or sorted(paid)) or ALL,  # nothing can be paid here: no word to pass over
            **{f"<all-{count}>": " ".join(coins) for count in [len(coins)]},
            BOTH: " ".join(numbers) if len(numbers) == 2 else BOTH,
        }

    @cached_property
    def have_numbers(self) -> bool:
        """True unless numbers are nothing but those of rows."""
        pairs = (pair for move in self.listed for pair in pairwise(move.split()))
        return any(word.isdecimal() and before != "row" for before, word in pairs)

    @cached_property
    def has_steps(self) -> bool:
        return any(" gem " in move for move in self.listed)

    @cached_property
    def is_paid(self) -> bool:
        return any(" pay " in move for move in self.listed)

    @cached_property
    def parse(self) -> Callable[[str], str | None]:
        """Write a text as a move; None if it is none. Many ways to read a line make the same text."""
        return lru_cache(_MOST_TEXTS)(self._parse_anew)

    @cached_property
    def is_legal(self) -> Callable[[str], bool]:
        return lru_cache(_MOST_TEXTS)(self._try)

    def can_be_made(self, canonical: str) -> bool:
        """True for a legal move; an order of a contest is tried when its turn comes."""
        return self.is_sealed or self.is_legal(canonical)

    @property
    def are_described(self) -> bool:
        """True where the game says what may be said of each."""
        return self.game.describe is not None and self.state is not None

    @cached_property
    def described(self) -> Descriptions:
        """The legal moves as players describe them."""
        assert self.game.describe is not None
        return Descriptions(self.game.package, self.game.describe(self._at_turn(), self.seat))

    @cached_property
    def by_total(self) -> Mapping[int, Sequence[str]]:
        """The bids of several numbers by their sum, with what lies there already; none where bids are amounts."""
        found: dict[int, list[str]] = {}
        bids = (
            [each for each in self.described.moves if _BID.fullmatch(each.move)] if self.are_described else []
        )
        if all(each.move.count(" ") == 1 for each in bids):
            return {}
        for each in {each.move: each for each in bids}.values():
            total = sum(map(int, each.move.split()[1:])) + self.described.laid
            found.setdefault(total, []).append(each.move)
        return found

    def fitting(self, text: str) -> Sequence[str]:
        """The legal moves with every word of a text that leaves out what only one can be, such as the cell.

        A side without its cell may tell where the card goes: *bgoo in the south* is any move of the card that can go to
        several cells.
        """
        said = [word[0] if word in SIDES else word for word in lower(text).split()]
        likely = self._by_beginning.get(tuple(said[:2]), ())
        # `place f1`, where one card alone fits.
        if len(said) == 2 and len(self.verbs) == 1 and _CELL.fullmatch(said[1]):
            likely = [
                each for pairs in self._by_beginning.values() for each in pairs if each[1][0] == said[0]
            ]
        if len(said) == 1 and self.is_paid:  # `activate it`, where nothing else can be
            likely = [(move, move.split()) for move in self.listed if move.startswith(f"{said[0]} ")]
        found = _moves_within(said, likely) if len(said) > 1 or len(likely) == 1 else []
        if said[-1:] and said[-1] in _SIDE_LETTERS and not any(map(_CELL.fullmatch, said)):
            of_card = _moves_within(said[:-1], likely)
            cells = {word for move in of_card for word in move.split() if _CELL.fullmatch(word)}
            found = of_card if found and len(cells) > 1 else found
        adds_a_step = len(found) == 1 and found[0].count("+") > said.count("+")
        return [] if adds_a_step else found

    def longer(self, begun: str) -> Sequence[str]:
        """The legal moves that only add a part; none if there are too many to look at all."""
        if len(self.listed) >= _MOST_MOVES:
            return ()
        return [move for move in self.listed if _goes_on(begun, move)]

    def words_added(self, moves: Sequence[str]) -> Set[str]:
        """The words without numbers and codes that other legal moves only add to these: the second row of a choice."""
        longer = {word for move in moves for other in self.longer(move) for word in other.split()}
        return (longer & self.words) - {word for move in moves for word in move.split()}

    @cached_property
    def _by_beginning(self) -> Mapping[tuple[str, ...], Sequence[tuple[str, Sequence[str]]]]:
        """The legal moves with their words, by the first two of them; none if there are too many to look at all."""
        found: dict[tuple[str, ...], list[tuple[str, Sequence[str]]]] = {}
        for move in self.listed if len(self.listed) < _MOST_MOVES else ():
            written = lower(move).split()
            found.setdefault(tuple(written[:2]), []).append((move, written))
        return found

    def _at_turn(self) -> Any:
        """The position in which the move will be made: of an order, the contest as the seat will meet it."""
        if self.is_sealed and self.game.sealed_pace:
            return self.game.sealed_pace.at_turn(self.state, self.seat)
        return self.state

    def _parse_anew(self, text: str) -> str | None:
        try:
            if self.is_sealed:
                return write_orders(read_orders(self.game, self.state, self.seat, text, is_sealed=True))
            return self.game.rules.write(self.game.rules.parse(self.state, self.seat, text))
        except (GameError, UnreadableOrder):
            return None

    def _try(self, canonical: str) -> bool:
        rules = self.game.rules
        try:
            rules.apply(self.state, self.seat, rules.parse(self.state, self.seat, canonical), _ANY_CHANCE)
        except GameError:
            return False
        return True


@lru_cache(maxsize=20)
def gem_words(package: str) -> frozenset[str]:
    """The words of a game's notation that descriptions in all games have too."""
    books = (read_phrasebook(package, language) for language in LANGUAGES)
    notation = {word for book in books for meant in book.meanings.values() for word in meant}
    return list_vocabulary("games") & notation


def _goes_on(begun: str, move: str) -> bool:
    """True if the move only adds a part that was left out, as `take SR` leaves out `pay 1 2`."""
    rest = move.removeprefix(f"{begun} ")
    return rest != move and rest.split()[0].isalpha() and rest.split()[0].islower()


def _moves_within(said: Sequence[str], likely: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """The moves that are written with these words in this order, others in between."""
    return [move for move, written in likely if len(said) <= len(written) and _is_within(said, written)]


def _is_within(said: Sequence[str], written: Sequence[str]) -> bool:
    """True if a move is written with these words in this order, others in between."""
    words = iter(written)
    for word in said:  # noqa: SIM110 a generator would take three times as long, for thousands of moves
        if word not in words:
            return False
    return True
