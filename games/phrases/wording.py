"""Reads the words of a line that say a move and nothing else, by the words of the notation that they mean.

Each word is translated in every way (`words`), the translations are put into the order of the notation (`arranging`),
and what can be parsed then is a move, if no word merely begins like one that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from games.phrases.arranging import Arrangement
from games.phrases.lines import Core
from games.phrases.moves import PlayableMoves
from games.phrases.not_meant import excludes, says_how_many, says_how_often, tells_time
from games.phrases.phrasebook import NUMBERS, TOTAL, common_words, plain_word, read_phrasebook
from games.phrases.slips import mend_slip
from games.phrases.verbless import CHOICES, may_lack_verb
from games.phrases.words import (
    POLITE,
    Word,
    translations,
    without_count,
    without_lying,
    without_place_left,
    without_sum,
    without_total,
)
from games.reading import lower

_LEAST_WRITTEN = 3
"""Words of a move in notation among courtesy."""
_NEW, _IT = common_words("(new)"), common_words("(it)")
_OF_ONE_MOVE = re.compile(r"[a-z]\d|\d,|^\*|^row$", re.IGNORECASE)
"""Matches a cell, a row, and the card of a proclamation."""

_Way: TypeAlias = tuple[str, Sequence[Word], bool]
"""A language, the words of a line as it means them, and whether they may lack their verb."""


@dataclass
class WordedMoves:
    """The moves of a position, as they are said word by word."""

    moves: PlayableMoves

    @cached_property
    def _arrangement(self) -> Arrangement:
        return Arrangement(self.moves)

    @cached_property
    def _laid(self) -> int:
        """The sum that lies there already; a player who bids may say the whole of it."""
        return self.moves.described.laid if self.moves.are_described else 0

    def read(self, core: Core, *, is_alone: bool, as_counted: bool = False) -> Sequence[str]:
        """The moves that the words can mean: as they stand, or if they make none so, in another order.

        `as_counted`: *six cards* are read as a 6 too, and a letter as a piece, to offer it.
        """
        if not self.moves.has_steps:  # `EE + EA`, `nine + ten`
            core = replace(core, words=[word for word in core.words if word != "+"])
        core = replace(core, words=self._without_sum(without_lying(without_count(core.words), self._laid)))
        if (
            not core.words
            or excludes(core.words)
            or tells_time(core.words)
            or (not as_counted and says_how_often(core.words))
            or (not as_counted and says_how_many(core.words))
        ):
            return ()
        if written := self._read_notation(core.words):
            return [written]
        if told := self._read_total(core, is_alone=is_alone):
            return told
        ways = dict.fromkeys(self._list_ways(core, is_alone=is_alone))
        legal, begun, others = self._read_ways(ways, self._arrangement.as_said, may_begin=as_counted)
        if legal or len(begun) == 1 or others:
            return legal or begun or others
        legal, begun_anew, others = self._read_ways(
            ways, self._arrangement.turned_round, may_begin=as_counted
        )
        return legal or begun or begun_anew or others

    def read_mended(self, core: Core, *, is_alone: bool) -> Sequence[str]:
        """The moves of a line with a slip that leaves no doubt of the word; one for a move alone, only if it is all."""
        whole_moves = frozenset(move for move in self.moves.listed if move.replace(" ", "").isalpha())
        meant = self.moves.words | self.moves.clause_words | self.moves.gem_words | whole_moves
        found = [
            move
            for words in mend_slip(
                self.moves.game, core.words, meant, sure=frozenset(), verbs=self.moves.clause_words
            )
            for move in self.read(replace(core, words=words), is_alone=is_alone)
            if is_alone or " " in move
        ] or [
            move
            for words in mend_slip(
                self.moves.game,
                core.words,
                meant,
                sure=self.moves.clause_words,
                verbs=self.moves.clause_words,
            )
            for move in self.read(replace(core, words=words), is_alone=False)
            if " " in move
        ]
        return [*dict.fromkeys(found)]

    def _without_sum(self, words: Sequence[str]) -> Sequence[str]:
        """The words without a sum that is told with its parts; none where it may be one of the cards."""
        if not self.moves.by_total:
            return words
        others, told = without_sum(words, self._laid)
        return () if told in self.moves.numbers else others

    def _read_notation(self, words: Sequence[str]) -> str | None:
        """The legal move that the words are in notation but for courtesy, if it names a place or a card."""
        spoken = [word for word in words if plain_word(word) not in POLITE]
        is_whole = len(spoken) >= _LEAST_WRITTEN and any(map(_OF_ONE_MOVE.search, spoken))
        if self.moves.is_sealed or not is_whole:
            return None
        canonical = self.moves.parse(" ".join(spoken))
        return canonical if canonical is not None and self.moves.is_legal(canonical) else None

    def _read_total(self, core: Core, *, is_alone: bool) -> Sequence[str]:
        """The bids of a sum that is said instead of its parts: *make it 11 in total*; more than one leaves a doubt."""
        found: dict[str, None] = {}
        for _, words in translations(self.moves.game.package, (*core.words,)) if self.moves.by_total else ():
            said = [word.text for word in words if word.text]
            numbers = [*filter(str.isdecimal, said)]
            others = {*said} - {*numbers}
            is_chosen = any(word.dropped in CHOICES for word in words)
            is_bid = "bid" in others or is_chosen or (is_alone and self._may_be_number(core, words))
            is_total = len(numbers) == 1 and others <= {"bid", TOTAL} and is_bid
            if is_total and (TOTAL in others or self._is_no_card(numbers[0])):
                found |= dict.fromkeys(self.moves.by_total.get(int(numbers[0]), ()))
                found |= dict.fromkeys({f"bid {numbers[0]}"}.intersection(self.moves.listed) if found else ())
        return tuple(found)

    def _may_be_number(self, core: Core, words: Sequence[Word]) -> bool:
        numbers = [word for word in words if word.text != TOTAL]
        return may_lack_verb(self.moves, core.words, numbers, is_alone=True)

    def _is_no_card(self, number: str) -> bool:
        """True for a number that can be no card, nor the sum of those that are added, nor two written together."""
        cards = {word for move in self.moves.listed for word in move.split() if word.isdecimal()}
        added = {total - self._laid for total in self.moves.by_total} if self._laid else set()
        return (
            int(number) > max(map(int, cards), default=0)
            and int(number) not in added
            and not (number[:1] in cards and number[1:] in cards)
        )

    def _list_ways(self, core: Core, *, is_alone: bool) -> Iterator[_Way]:
        codes = self._codes_in_capitals(core.words)
        for language, words in translations(self.moves.game.package, (*without_place_left(core.words),)):
            dropped = [word.dropped for word in words]
            if any(dropped.count(code) > core.words.count(code) for code in codes):
                continue
            if spoken := (*without_total(words, self._laid),):
                lacks = core.is_announced or may_lack_verb(self.moves, core.words, words, is_alone=is_alone)
                yield language, spoken, lacks

    def _codes_in_capitals(self, words: Sequence[str]) -> Set[str]:
        """The codes that stand in capitals among words that do not: the `ET` of `1 3 ET` is no French *et*."""
        if not any(map(str.islower, words)) and not any(map(str.isdecimal, words)):
            return frozenset()
        written = {word.lower() for word in words if word.isupper() and len(word) > 1}
        return written & {word.lower() for move in self.moves.listed for word in move.split()[1:]}

    def _read_ways(
        self, ways: Iterable[_Way], arrange: Callable[..., Iterator[str]], *, may_begin: bool
    ) -> tuple[Sequence[str], ...]:
        """The moves that the words can mean: the legal ones, those of which they leave a part out, and the others."""
        legal: dict[str, None] = {}
        begun: dict[str, None] = {}
        others: dict[str, None] = {}
        for language, words, lacks_verb in ways:
            dropped_here = read_phrasebook(self.moves.game.package, language).dropped
            for text in arrange(words, language, may_lack_verb=lacks_verb):
                canonical = self.moves.parse(text)
                if canonical is None:  # *emerald, new row* is none of the rows that there are
                    may_begin_new = any(word.dropped in _NEW for word in words)
                    says_more = " " not in text and any(word.dropped in dropped_here - _IT for word in words)
                    begun |= dict.fromkeys(() if may_begin_new or says_more else self.moves.fitting(text))
                elif not _is_meant(words, canonical, dropped_here, may_begin=may_begin):
                    continue
                elif self.moves.can_be_made(canonical):
                    legal[canonical] = None
                elif longer := self.moves.longer(canonical):
                    begun |= dict.fromkeys(longer)
                else:
                    others[canonical] = None
        return tuple(legal), tuple(begun), tuple(others)


def _is_meant(
    words: Sequence[Word], canonical: str, dropped_here: frozenset[str], *, may_begin: bool
) -> bool:
    """True if every word that was read is one that people mean, and none that merely begins like one.

    `may_begin`: a letter may stand for a piece, as in `D below`.

    A verb alone must stand with words that mean nothing else in any game: `ich passe auf` is no `passe`.
    """
    written, said = lower(canonical).split(), [word.text for word in words if word.text]
    is_verb_alone = len(said) == 1 and said[0] in (written[0], "pass")
    if (is_verb_alone and any(word.dropped in dropped_here for word in words)) or _leaves_one_out(words):
        return False
    # Codes may be turned round (`RS` for `SR`), and a letter may stand apart from its number (`r 3`).
    may_begin |= any(any(map(str.isdigit, word)) or word[0] == "*" for word in said)
    initials = {word[0] for word in written[1:]} if may_begin else set()
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


def _leaves_one_out(words: Sequence[Word]) -> bool:
    """True for *one two three* as a 2 and a 3, and for *and the one*; in *eine Zwei* and *un deux* it is an article."""
    if [word.dropped for word in words[-3:]] == ["and", "the", "one"]:
        return True
    for place, word in enumerate(words):
        behind = [each.text for each in words[place + 1 : place + 3]]
        if word.dropped == "one" and behind and behind[0].isdecimal():
            return True
        if NUMBERS.get(word.dropped) == "1" and behind == ["2", "3"]:
            return True
    return False
