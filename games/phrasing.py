"""Reads a move as a person says it: `Hi Ben, I bid three. Good luck!` is `bid 3`.

The notation stays the only language of records and programs; what is found here is written in it. A text is read
only if every word of it is known: a word of the notation, one that the game's phrases translate into it, or one that
says nothing of a move. So a sentence with anything else in it (a condition, a question, a past) is no move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, TypeAlias

from games.chance import Chance
from games.contract import Game, GameError, Seat
from games.describing import Descriptions
from games.orders import UnreadableOrder, read_orders, write_orders
from games.phrase_comments import parts_with_move
from games.phrase_lines import (
    LONGEST,
    NUMBERS,
    Core,
    excludes,
    find_core,
    find_parts,
    is_broken_off,
    says_how_many,
    tells_time,
)
from games.phrase_order import (
    SIDES,
    turn_round,
    with_kinds_named,
    with_payment_behind,
    with_sides_behind,
    with_step_words,
    with_verbs_in_front,
)
from games.phrase_sentences import sentences_with_move, without_address
from games.phrase_targets import without_target
from games.phrase_words import (
    POLITE,
    Word,
    mend_slip,
    translations,
    without_name_behind,
    without_place_left,
    without_total,
)
from games.phrasebook import (
    ALL,
    ASIDE,
    BOTH,
    LANGUAGES,
    LEAST,
    common_words,
    fold_word,
    plain_word,
    read_phrasebook,
)
from games.reading import lower

_MOST_MOVES = 400
"""Legal moves that are looked at, to learn how a move can begin, and which one was nearly written."""
MOST_SUGGESTED = 3
_LEAST_TURNED = 3
"""Words of a move that may stand in another order: `at 3 I bid` is no bid."""
_LEAST_COMMENTED = 3
"""Words of a move beside a comment: `Le rubis, ma pierre préférée` may tell of a stone."""
_LONGEST_COMMENTED = 24
"""Words of a move beside a comment."""
_MOST_TEXTS = 500
"""Texts of which is kept how they are read in a position."""
_LONGEST_SLIP = 6
"""Words of a line with a slip that is looked for among the legal moves."""

_OF_ONE_MOVE = re.compile(r"[a-z]\d|\d,|^\*|^row$", re.IGNORECASE)
"""Matches a cell, a row, and the card of a proclamation."""
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s*([,+])\s*(?=-?\d)")
_PLEASE = POLITE | {"s il vous plaît", "s il te plaît", "s il vous plait", "s il te plait"}
_ASSENT = frozenset(("ok", "okay", "yes", "oui", "ja"))
"""May stand before a number; before a name, as in `ok Ruby`, they answer somebody."""
BARE = common_words("(bare)") | common_words(ASIDE)
CHOICES, PAYMENT = common_words("(choice)"), common_words("(payment)")
_ANY_CHANCE = Chance("0" * 64, "phrasing")

_Way: TypeAlias = tuple[str, Sequence[Word], bool]
"""A language, the words of a line as it means them, and whether they may lack their verb."""


@dataclass
class PhraseReader:
    """Reads what the player of a seat writes in one position; `is_sealed`: it is an order for the open contest."""

    game: Game
    state: Any
    seat: Seat
    is_sealed: bool = False

    def find(self, text: str, names: Iterable[str] = (), *, is_alone: bool = True) -> str | None:
        """Return, in notation, the one move that the text can mean; None if there is none, or more than one.

        `names`: those of the players, who may be addressed. `is_alone`: the text is all that its writer wrote; only
        then a number alone is a move. A move that is not legal is found only if no legal one can be meant.

        >>> from games.match import Match
        >>> match = Match.new("gem", seats=3, seed="example")
        >>> reader = PhraseReader(match.game, match.state, match.state.turn)
        >>> reader.find("Hi Ben, I bid three. Good luck!", names=["Ben"])
        'bid 3'
        >>> reader.find("Should I bid 3?")
        """
        for said in self._with_target(text):
            if found := self._find_all(said, names, is_alone=is_alone):
                return found[0] if len(found) == 1 else None
        return None

    def _find_all(self, text: str, names: Iterable[str], *, is_alone: bool) -> Sequence[str]:
        """The moves that the text can mean."""
        core = find_core(text, names)
        found: Sequence[str] = ()
        if core is not None and not core.is_question:
            found = self._read(core, is_alone=is_alone) or self._read_mended(core, is_alone=is_alone)
        if is_alone and len(found) != 1:
            told = self._read_told(text, names, is_certain=True)
            found = told if not found or (len(told) == 1 and told[0] in found) else found
        return found or self._read_beside_talk(text, names)

    def _with_target(self, text: str) -> Iterator[str]:
        """The text as it stands, and read without the name of what is up for auction."""
        yield text
        if self.game.describe is not None and self.state is not None and len(text) <= LONGEST:
            yield from without_target(text, self.game.package, self._described.targets)

    def _read_beside_talk(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The moves of the one sentence of a line that has them, as if it stood on a line of its own."""
        known = {*map(fold_word, names)}
        if self.game.describe is None or self.state is None or len(text) > LONGEST:
            return ()
        found: dict[str, None] = {}
        for sentence in sentences_with_move(without_address(text, names), known | self._described.phrases):
            core = find_core(sentence, names)
            if core is not None and not core.is_question:
                found |= dict.fromkeys(self._read(core, is_alone=False))
        return tuple(found)

    def _read_told(self, text: str, names: Iterable[str], *, is_certain: bool) -> Sequence[str]:
        """The moves that a line describes, or says beside a comment."""
        known = {*map(fold_word, names)}
        if self.game.describe is None or self.state is None:
            return ()
        for parts in find_parts(text, names):
            if found := self._read_described(parts, known, is_certain) or self._read_commented(
                parts, known, is_certain
            ):
                return found
        return ()

    def _read_described(
        self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool
    ) -> Sequence[str]:
        """The moves that a line describes, which is all that its writer wrote."""
        words = ["somebody" if fold_word(word) in known else word for part in parts for word in part]
        if not words or is_broken_off(words):
            return ()
        return self._described.find(words, is_certain=is_certain)

    def _read_commented(
        self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool
    ) -> Sequence[str]:
        """The moves of a line that has comments before or behind its move."""
        if len(parts) < 2:
            return ()
        avoid = known | self._described.phrases
        parts = [without_name_behind(part, known) for part in parts]
        beside = {
            declines: [
                said
                for said in parts_with_move(parts, declines=declines, avoid=avoid, is_certain=is_certain)
                if not is_certain or declines or sum(map(len, said)) >= _LEAST_COMMENTED or _is_number(said)
            ]
            for declines in (False, True)
        }
        ways = [*beside[False], *(said for said in beside[True] if said not in beside[False])]
        found = [
            move
            for said in ways
            for move in self._read_parts(said, known, is_certain)
            if said in beside[move in self._described.declining]
        ]
        return [*dict.fromkeys(found)]

    def _read_parts(self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool) -> Sequence[str]:
        """The legal moves of a part of a line that says nothing else."""
        words = [word for part in parts for word in part]
        if len(words) > _LONGEST_COMMENTED:
            return ()
        found = self._read(Core(words, is_question=False), is_alone=True)
        legal = [move for move in found if self.is_sealed or self._is_legal(move)]
        return legal or self._read_described(parts, known, is_certain)

    @cached_property
    def _described(self) -> Descriptions:
        """The legal moves as players describe them."""
        assert self.game.describe is not None
        state = self.state
        if self.is_sealed and self.game.sealed_pace:
            state = self.game.sealed_pace.at_turn(state, self.seat)
        return Descriptions(self.game.package, self.game.describe(state, self.seat))

    def complete(self, text: str) -> str | None:
        """Return the one legal move that a text in notation can mean which leaves a part out, as `take SR` may."""
        canonical = None if self.is_sealed else self._parse(text)
        if canonical is None or self._is_legal(canonical):
            return None
        longer = self._longer(canonical)
        return longer[0] if len(longer) == 1 else None

    def _read_mended(self, core: Core, *, is_alone: bool) -> Sequence[str]:
        """The moves of a line with a slip that leaves no doubt of the word; one for a move alone, only if it is all."""
        whole_moves = frozenset(move for move in self._listed if move.replace(" ", "").isalpha())
        meant = self._said | self._clause_words | whole_moves
        found = [
            move
            for words in mend_slip(self.game, core.words, meant, sure=frozenset())
            for move in self._read(replace(core, words=words), is_alone=is_alone)
            if is_alone or " " in move
        ] or [
            move
            for words in mend_slip(self.game, core.words, meant, sure=self._clause_words)
            for move in self._read(replace(core, words=words), is_alone=False)
            if " " in move
        ]
        return [*dict.fromkeys(found)]

    def suggest(self, text: str, names: Iterable[str] = ()) -> Sequence[str]:
        """Return up to three moves, in notation, that the writer of an unreadable text may have meant."""
        if told := self._read_told(text, names, is_certain=False):
            return told[:MOST_SUGGESTED]
        core = find_core(text, names)
        if core is None or len(core.words) > _LONGEST_SLIP:
            return ()
        if read := self._read(core, is_alone=True, as_counted=True):
            return read[:MOST_SUGGESTED]
        for words in mend_slip(self.game, core.words, self._said):
            if read := self._read(replace(core, words=words), is_alone=True):
                return read[:MOST_SUGGESTED]
        written = lower(" ".join(core.words))
        longer = [move for move in self._listed if lower(move).startswith(f"{written} ")]
        return longer[:MOST_SUGGESTED] or get_close_matches(written, self._listed, MOST_SUGGESTED, 0.75)

    @cached_property
    def _listed(self) -> Sequence[str]:
        """The first legal moves, in notation; of an order, those of the contest as the seat will meet it."""
        state = self.state
        if self.is_sealed and self.game.sealed_pace:
            state = self.game.sealed_pace.at_turn(state, self.seat)
        moves = () if state is None else self.game.rules.legal_moves(state, self.seat)
        return [self.game.rules.write(move) for move in islice(moves, _MOST_MOVES)]

    @cached_property
    def _verbs(self) -> frozenset[str]:
        """The words with which a legal move begins."""
        return frozenset(move.partition(" ")[0] for move in self._listed)

    @cached_property
    def _said(self) -> frozenset[str]:
        """All words of the legal moves, without their numbers and codes."""
        return frozenset(word for move in self._listed for word in move.split() if word.isalpha())

    @cached_property
    def _clause_words(self) -> frozenset[str]:
        """The verbs, and `pay`, with which another clause of a move begins."""
        return self._verbs | {"pay"}

    @cached_property
    def _amounts(self) -> dict[str, str]:
        """The numbers that `one more`, where somebody has bid, `everything` and `both` mean here."""
        bids = [move for move in self._listed if move.rpartition(" ")[2].isdecimal() and move.count(" ") == 1]
        paid = {word for move in self._listed for word in move.partition(" pay ")[2].split()}
        numbers = sorted(
            {word for move in self._listed for word in move.split() if word.isdecimal()}, key=int
        )
        has_leader = bool(bids) and "pass" in self._verbs
        return {
            LEAST: bids[0].rpartition(" ")[2] if has_leader else LEAST,
            ALL: " ".join(sorted(paid)) or ALL,  # nothing can be paid here: no word to pass over
            BOTH: " ".join(numbers) if len(numbers) == 2 else BOTH,
        }

    @cached_property
    def _main_verb(self) -> str:
        """The word of the first legal move that takes more than itself; empty if none does."""
        return next((move.partition(" ")[0] for move in self._listed if " " in move), "")

    def _read(self, core: Core, *, is_alone: bool, as_counted: bool = False) -> Sequence[str]:
        """The moves that the words can mean: as they stand, or if they make none so, in another order.

        `as_counted`: *six cards* are read as a 6 too, to offer it.
        """
        if excludes(core.words) or tells_time(core.words) or (not as_counted and says_how_many(core.words)):
            return ()
        ways = {
            (
                language,
                spoken,
                core.is_announced or self._may_lack_verb(core.words, words, is_alone=is_alone),
            ): None
            for language, words in translations(self.game, core.words)
            if (spoken := (*without_total(without_place_left(words)),))
        }
        legal, begun, others = self._read_ways(ways, self._arrange)
        if legal or len(begun) == 1 or others:
            return legal or begun or others
        legal, begun_anew, others = self._read_ways(ways, self._arrange_anew)
        return legal or begun or begun_anew or others

    def _read_ways(
        self, ways: Iterable[_Way], arrange: Callable[..., Iterator[str]]
    ) -> tuple[Sequence[str], ...]:
        """The moves that the words can mean: the legal ones, those of which they leave a part out, and the others."""
        legal: dict[str, None] = {}
        begun: dict[str, None] = {}
        others: dict[str, None] = {}
        for language, words, may_lack_verb in ways:
            dropped_here = read_phrasebook(self.game.package, language).dropped
            for text in arrange(words, language, may_lack_verb=may_lack_verb):
                canonical = self._parse(text)
                if canonical is None:
                    begun |= dict.fromkeys(self._fitting(text))
                    continue
                if not _is_meant(words, canonical, dropped_here):
                    continue
                if self.is_sealed or self._is_legal(canonical):
                    legal[canonical] = None
                elif longer := self._longer(canonical):
                    begun |= dict.fromkeys(longer)
                else:
                    others[canonical] = None
        return tuple(legal), tuple(begun), tuple(others)

    def _fitting(self, text: str) -> Sequence[str]:
        """The legal moves with every word of a text that leaves out what only one can be, such as the cell."""
        said = [word[0] if word in SIDES else word for word in lower(text).split()]
        likely = self._by_beginning.get(tuple(said[:2]), ())
        found = [move for move, written in likely if len(said) <= len(written) and _is_within(said, written)]
        adds_a_step = len(found) == 1 and found[0].count("+") > said.count("+")
        return [] if adds_a_step else found

    @cached_property
    def _by_beginning(self) -> Mapping[tuple[str, ...], Sequence[tuple[str, Sequence[str]]]]:
        """The legal moves with their words, by the first two of them; none if there are too many to look at all."""
        found: dict[tuple[str, ...], list[tuple[str, Sequence[str]]]] = {}
        for move in self._listed if len(self._listed) < _MOST_MOVES else ():
            written = lower(move).split()
            found.setdefault(tuple(written[:2]), []).append((move, written))
        return found

    def _longer(self, begun: str) -> Sequence[str]:
        """The legal moves that only add a part; none if there are too many to look at all."""
        if len(self._listed) >= _MOST_MOVES:
            return ()
        return [move for move in self._listed if _goes_on(begun, move)]

    def _arrange(self, words: Sequence[Word], language: str, *, may_lack_verb: bool) -> Iterator[str]:
        """The texts that the words can make: as they stand, with a German verb from the end in front, or one added."""
        spoken = [word.text for word in words if word.text]
        if not spoken:
            return
        orders = [spoken]
        if spoken[0] not in self._verbs:
            if spoken[-1] in self._clause_words and language == "de" and len(spoken) > 1:
                orders.append(with_verbs_in_front(spoken, self._clause_words))
            elif may_lack_verb:
                orders += [[verb, *spoken] for verb in self._verbs_lacking(spoken)]
        orders += [with_sides_behind(order) for order in orders]
        if self._tells_payment(words):
            orders += [with_payment_behind(order, self._main_verb) for order in orders]
        yield from self._write(orders)

    def _arrange_anew(self, words: Sequence[Word], language: str, *, may_lack_verb: bool) -> Iterator[str]:
        """The texts that the words make with the verb in front, the place behind its object, and words put between."""
        spoken = [word.text for word in words if word.text]
        if not spoken:
            return
        verbs = [word for word in spoken if word in self._verbs]
        if self._has_steps and (verbs or may_lack_verb):
            yield from self._write([with_step_words(spoken)])
        if len(verbs) > 1 or "+" in spoken:
            return
        added = self._verbs_lacking(spoken) if may_lack_verb and not verbs else [""]
        for said in ([*filter(None, [verb]), *spoken] for verb in added):
            if len(said) >= _LEAST_TURNED:
                yield from self._write(
                    turn_round(said, self._clause_words, is_paid=self._tells_payment(words))
                )
            if said[:1] == ["trade"]:
                yield from self._write([with_kinds_named(said)])

    def _verbs_lacking(self, spoken: Sequence[str]) -> Sequence[str]:
        """The verbs that may be missing before these words: what has a place or a card of its own may lack any."""
        has_place = len(spoken) > 1 and any(_OF_ONE_MOVE.search(word) for word in spoken)
        return [self._main_verb, *(sorted(self._verbs - {self._main_verb}) if has_place else ())]

    @cached_property
    def _has_steps(self) -> bool:
        return any(" gem " in move for move in self._listed)

    @cached_property
    def _is_paid(self) -> bool:
        return any(" pay " in move for move in self._listed)

    def _tells_payment(self, words: Sequence[Word]) -> bool:
        """True if numbers among the words may be coins: those of `the diamond, 3`, but not of `three diamonds`."""
        said = [word.text for word in words if word.text]
        return self._is_paid and (
            said[-1].isdecimal()
            or not {"pay", "invest"}.isdisjoint(said)
            or any(not PAYMENT.isdisjoint(word.dropped.split()) for word in words)
        )

    def _write(self, orders: Iterable[Sequence[str]]) -> Iterator[str]:
        """The texts of these words, with numbers side by side as a cell and as two numbers."""
        for order in orders:
            text = " ".join(filter(None, (self._amounts.get(word, word) for word in order)))
            yield from dict.fromkeys((_BETWEEN_DIGITS.sub(r"\1", text), _BETWEEN_DIGITS.sub(" ", text)))

    def _may_lack_verb(self, said: Sequence[str], words: Sequence[Word], *, is_alone: bool) -> bool:
        """True for a number or a code that is all its writer says, and for what is no name and said with an article."""
        spoken = [word for word in words if word.text]
        around = {word.dropped for word in words if not word.text}
        if not spoken or not self._main_verb:
            return False
        books = [read_phrasebook(self.game.package, language) for language in LANGUAGES]
        if all(word.text.isdecimal() or word.text == "+" for word in spoken):
            return is_alone and around <= BARE.union(_ASSENT, CHOICES, *(book.bare for book in books))
        if not around.isdisjoint(CHOICES):
            return True
        if len(said) == 1:
            is_code = len(self._verbs) == 1 and any(map(str.isdigit, spoken[0].text))
            return is_alone and (is_code or self._is_answer(said[0]))
        if not around <= BARE.union(*(book.dropped | book.bare for book in books)):
            return False
        if any(map(_is_translated, spoken)):
            return True
        # A code of two letters may stand with a number or a please; alone it might be somebody's initials.
        is_code = any(len(word) > 1 and word.isupper() for word in said)
        has_number = len(spoken) > 1 and any(any(map(str.isdigit, word.text)) for word in spoken)
        return is_alone and (has_number or (is_code and not around.isdisjoint(_PLEASE)))

    def _is_answer(self, word: str) -> bool:
        books = (read_phrasebook(self.game.package, language) for language in LANGUAGES)
        return any(plain_word(word) in book.alone for book in books)

    @cached_property
    def _parse(self) -> Callable[[str], str | None]:
        """Write a text as a move; None if it is none. Many ways to read a line make the same text."""
        return lru_cache(_MOST_TEXTS)(self._parse_anew)

    @cached_property
    def _is_legal(self) -> Callable[[str], bool]:
        return lru_cache(_MOST_TEXTS)(self._try)

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


def _goes_on(begun: str, move: str) -> bool:
    """True if the move only adds a part that was left out, as `take SR` leaves out `pay 1 2`."""
    rest = move.removeprefix(f"{begun} ")
    return rest != move and rest.split()[0].isalpha() and rest.split()[0].islower()


def _is_number(parts: Sequence[Sequence[str]]) -> bool:
    """True for one number alone: `2, that's all`."""
    words = [plain_word(word) for part in parts for word in part]
    return len(words) == 1 and (words[0] in NUMBERS or words[0].isdecimal())


def _is_within(said: Sequence[str], written: Sequence[str]) -> bool:
    """True if a move is written with these words in this order, others in between."""
    words = iter(written)
    return all(word in words for word in said)


def _is_translated(word: Word) -> bool:
    return word.is_translated


def _is_meant(words: Sequence[Word], canonical: str, dropped_here: frozenset[str]) -> bool:
    """True if every word that was read is one that people mean, and none that merely begins like one.

    A verb alone must stand with words that mean nothing else in any game: `ich passe auf` is no `passe`.
    """
    written, said = lower(canonical).split(), [word.text for word in words if word.text]
    if (
        len(said) == 1
        and said[0] in (written[0], "pass")
        and any(word.dropped in dropped_here for word in words)
    ):
        return False
    # Codes may be turned round (`RS` for `SR`), and a letter may stand apart from its number (`r 3`).
    has_number = any(any(map(str.isdigit, word)) or word[0] == "*" for word in said)
    initials = {word[0] for word in written[1:]} if has_number else set()
    letters = {"".join(sorted(word)) for word in written} | {word.rstrip("0123456789") for word in written}
    return all(
        word.is_translated
        or word.text == "+"
        or any(map(str.isdigit, word.text))
        or "".join(sorted(word.text.strip("()"))) in letters
        or (word.text.strip("*") in initials)
        for word in words
        if word.text
    )
