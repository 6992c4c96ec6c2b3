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
from typing import Any, TypeAlias

from games.contract import Game, Seat
from games.phrases.comments import parts_with_move
from games.phrases.described_words import read_described
from games.phrases.lines import (
    ARTICLES,
    FIRST_PERSON,
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
from games.phrases.moves import PlayableMoves
from games.phrases.order import (
    turn_round,
    with_kinds_named,
    with_payment_behind,
    with_sides_behind,
    with_step_words,
    with_verbs_in_front,
)
from games.phrases.phrasebook import (
    ASIDE,
    LANGUAGES,
    common_words,
    fold_word,
    fold_words,
    plain_word,
    read_phrasebook,
)
from games.phrases.remarks import parts_beside_remarks
from games.phrases.sentences import sentences_with_move, without_address
from games.phrases.targets import without_target
from games.phrases.words import (
    POLITE,
    Word,
    mend_slip,
    translations,
    without_name_behind,
    without_place_left,
    without_total,
)
from games.reading import lower

MOST_SUGGESTED = 3
_LEAST_TURNED = 3
"""Words of a move that may stand in another order: `at 3 I bid` is no bid."""
_LEAST_COMMENTED = 3
"""Words of a move beside a comment: `Le rubis, ma pierre préférée` may tell of a stone."""
_LONGEST_COMMENTED = 24
"""Words of a move beside a comment."""
_LEAST_CODE = 4
"""Letters of a code that is the whole answer."""
_LONGEST_SLIP = 6
"""Words of a line with a slip that is looked for among the legal moves."""

_OF_ONE_MOVE = re.compile(r"[a-z]\d|\d,|^\*|^row$", re.IGNORECASE)
"""Matches a cell, a row, and the card of a proclamation."""
_BETWEEN = re.compile(
    "on|in|at|to|of|then|and|one|my|en|a|sur|dans|puis|ensuite|d|abord|et|mon|ma|auf|an|im|zu|dann|danach|und"
)
"""Matches what stands between the parts of a move."""
_LISTED = re.compile(r"\s*\d+[.):]")
"""Matches the beginning of a point of a list."""
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s*([,+])\s*(?=-?\d)")
_PLEASE = POLITE | {"s il vous plaît", "s il te plaît", "s il vous plait", "s il te plait"}
_ASSENT = frozenset(("ok", "okay", "yes", "oui", "ja"))
"""May stand before a number; before a name, as in `ok Ruby`, they answer somebody."""
BARE = common_words("(bare)") | common_words(ASIDE)
CHOICES, PAYMENT = common_words("(choice)"), common_words("(payment)")

_Way: TypeAlias = tuple[str, Sequence[Word], bool]
"""A language, the words of a line as it means them, and whether they may lack their verb."""


@dataclass
class PhraseReader:
    """Reads what the player of a seat writes in one position; `is_sealed`: it is an order for the open contest."""

    game: Game
    state: Any
    seat: Seat
    is_sealed: bool = False

    @cached_property
    def moves(self) -> PlayableMoves:
        return PlayableMoves(self.game, self.state, self.seat, self.is_sealed)

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
        if is_alone:
            told = self._read_told(text, names, is_certain=True)
            if len(found) == 1 and told and found[0] not in told:
                return ()
            found = told if not found or (len(told) == 1 and told[0] in found) else found
        return (
            found
            or self._read_beside_talk(text, names)
            or self._read_beside_remarks(text, names, is_alone=is_alone)
        )

    def _with_target(self, text: str) -> Iterator[str]:
        """The text as it stands, and read without the name of what is up for auction."""
        yield text
        if self.game.describe is not None and self.state is not None and len(text) <= LONGEST:
            yield from without_target(text, self.game.package, self.moves.described.targets)

    def _read_beside_talk(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The moves of the one sentence of a line that has them, as if it stood on a line of its own."""
        known = {*map(fold_word, names)}
        if self.game.describe is None or self.state is None or len(text) > LONGEST:
            return ()
        found: dict[str, None] = {}
        for sentence in sentences_with_move(
            without_address(text, names), known | self.moves.described.phrases
        ):
            core = find_core(sentence, names)
            if core is not None and not core.is_question:
                found |= dict.fromkeys(self._read(core, is_alone=False))
        return tuple(found)

    def _read_beside_remarks(self, text: str, names: Iterable[str], *, is_alone: bool) -> Sequence[str]:
        """The legal moves of the one part of a line that has them with their verb, which all others are remarks on."""
        if self.game.describe is None or self.state is None or len(text) > LONGEST:
            return ()
        said, known = without_address(text, names), {*map(fold_word, names)}
        found: dict[str, None] = {}
        for part, remarks in parts_beside_remarks(said, counts=self.moves.have_numbers):
            core = find_core(part, names)
            may_lack_verb = is_alone and said.startswith(part) and not _LISTED.match(said)
            is_sentence = part[-1:] in ".!…" or said.endswith(part)
            if core is None or core.is_question or not _says_enough(core, may_lack_verb, is_sentence):
                continue
            read = self._read(core, is_alone=may_lack_verb)
            moves = [move for move in read if self.is_sealed or self.moves.is_legal(move)]
            moves = moves or [*self._read_described([core.words], known, is_certain=True)]
            if not any(self._says_another(remark, names, moves) for remark in remarks):
                found |= dict.fromkeys(moves)
        return tuple(found)

    def _says_another(self, text: str, names: Iterable[str], moves: Sequence[str]) -> bool:
        """True if the text alone would be another move, names a row, or says nothing but a part of a move."""
        words = {*fold_words(re.sub(r"[^\w-]+", " ", text)).split()} - ARTICLES
        said = {word for word in words if not _BETWEEN.fullmatch(word)}
        if all(map(self._says_a_part, said)) or not words.isdisjoint(_phrases_for_rows(self.game.package)):
            return True
        core = find_core(text, names)
        return core is not None and any(move not in moves for move in self._read(core, is_alone=True))

    def _says_a_part(self, word: str) -> bool:
        """True for a word that alone says something of a move."""
        meant = _read_single_words(self.game.package).get(word, frozenset())
        return word in self.moves.described.phrases or not self.moves.words.isdisjoint(meant)

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
        return self.moves.described.find(words, is_certain=is_certain)

    def _read_commented(
        self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool
    ) -> Sequence[str]:
        """The moves of a line that has comments before or behind its move."""
        if len(parts) < 2 or is_broken_off(parts[-1]):
            return ()
        avoid = known | self.moves.described.phrases
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
            if said in beside[move in self.moves.described.declining]
        ]
        return [*dict.fromkeys(found)]

    def _read_parts(self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool) -> Sequence[str]:
        """The legal moves of a part of a line that says nothing else."""
        words = [word for part in parts for word in part]
        if len(words) > _LONGEST_COMMENTED:
            return ()
        found = self._read(Core(words, is_question=False), is_alone=True)
        legal = [move for move in found if self.is_sealed or self.moves.is_legal(move)]
        return legal or self._read_described(parts, known, is_certain)

    def complete(self, text: str) -> str | None:
        """Return the one legal move that a text in notation can mean which leaves a part out, as `take SR` may."""
        canonical = None if self.is_sealed else self.moves.parse(text)
        if canonical is None or self.moves.is_legal(canonical):
            return None
        longer = self.moves.longer(canonical)
        return longer[0] if len(longer) == 1 else None

    def _read_mended(self, core: Core, *, is_alone: bool) -> Sequence[str]:
        """The moves of a line with a slip that leaves no doubt of the word; one for a move alone, only if it is all."""
        whole_moves = frozenset(move for move in self.moves.listed if move.replace(" ", "").isalpha())
        meant = self.moves.words | self.moves.clause_words | whole_moves
        found = [
            move
            for words in mend_slip(self.game, core.words, meant, sure=frozenset())
            for move in self._read(replace(core, words=words), is_alone=is_alone)
            if is_alone or " " in move
        ] or [
            move
            for words in mend_slip(self.game, core.words, meant, sure=self.moves.clause_words)
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
        for words in mend_slip(self.game, core.words, self.moves.words):
            if read := self._read(replace(core, words=words), is_alone=True):
                return read[:MOST_SUGGESTED]
        written = lower(" ".join(core.words))
        longer = [move for move in self.moves.listed if lower(move).startswith(f"{written} ")]
        return longer[:MOST_SUGGESTED] or get_close_matches(written, self.moves.listed, MOST_SUGGESTED, 0.75)

    def _read(self, core: Core, *, is_alone: bool, as_counted: bool = False) -> Sequence[str]:
        """The moves that the words can mean: as they stand, or if they make none so, in another order.

        `as_counted`: *six cards* are read as a 6 too, to offer it.
        """
        if excludes(core.words) or tells_time(core.words) or (not as_counted and says_how_many(core.words)):
            return ()
        if written := self._read_notation(core.words):
            return [written]
        ways = {
            (
                language,
                spoken,
                core.is_announced or self._may_lack_verb(core.words, words, is_alone=is_alone),
            ): None
            for language, words in translations(self.game, without_place_left(core.words))
            if (spoken := (*without_total(words, self._laid),))
        }
        legal, begun, others = self._read_ways(ways, self._arrange)
        if legal or len(begun) == 1 or others:
            return legal or begun or others
        legal, begun_anew, others = self._read_ways(ways, self._arrange_anew)
        return legal or begun or begun_anew or others

    @cached_property
    def _laid(self) -> int:
        """The sum that lies there already; a player who bids may say the whole of it."""
        return 0 if self.game.describe is None or self.state is None else self.moves.described.laid

    def _read_notation(self, words: Sequence[str]) -> str | None:
        """The legal move that the words are in notation but for courtesy, if it names a place or a card."""
        spoken = [word for word in words if plain_word(word) not in POLITE]
        if self.is_sealed or len(spoken) < _LEAST_TURNED or not any(map(_OF_ONE_MOVE.search, spoken)):
            return None
        canonical = self.moves.parse(" ".join(spoken))
        return canonical if canonical is not None and self.moves.is_legal(canonical) else None

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
                canonical = self.moves.parse(text)
                if canonical is None:
                    begun |= dict.fromkeys(self.moves.fitting(text))
                    continue
                if not _is_meant(words, canonical, dropped_here):
                    continue
                if self.is_sealed or self.moves.is_legal(canonical):
                    legal[canonical] = None
                elif longer := self.moves.longer(canonical):
                    begun |= dict.fromkeys(longer)
                else:
                    others[canonical] = None
        return tuple(legal), tuple(begun), tuple(others)

    def _arrange(self, words: Sequence[Word], language: str, *, may_lack_verb: bool) -> Iterator[str]:
        """The texts that the words can make: as they stand, with a German verb from the end in front, or one added."""
        spoken = [word.text for word in words if word.text]
        if not spoken:
            return
        orders = [spoken]
        if spoken[0] not in self.moves.verbs:
            if spoken[-1] in self.moves.clause_words and language == "de" and len(spoken) > 1:
                orders.append(with_verbs_in_front(spoken, self.moves.clause_words))
            elif may_lack_verb:
                orders += [[verb, *spoken] for verb in self._verbs_lacking(spoken)]
        orders += [with_sides_behind(order) for order in orders]
        if self._tells_payment(words):
            orders += [with_payment_behind(order, self.moves.main_verb) for order in orders]
        yield from self._write(orders)

    def _arrange_anew(self, words: Sequence[Word], language: str, *, may_lack_verb: bool) -> Iterator[str]:
        """The texts that the words make with the verb in front, the place behind its object, and words put between."""
        spoken = [word.text for word in words if word.text]
        if not spoken:
            return
        verbs = [word for word in spoken if word in self.moves.verbs]
        if self.moves.has_steps and (verbs or may_lack_verb):
            yield from self._write([with_step_words(spoken)])
        if len(verbs) > 1 or "+" in spoken:
            return
        added = self._verbs_lacking(spoken) if may_lack_verb and not verbs else [""]
        for said in ([*filter(None, [verb]), *spoken] for verb in added):
            if len(said) >= _LEAST_TURNED:
                yield from self._write(
                    turn_round(said, self.moves.clause_words, is_paid=self._tells_payment(words))
                )
            if said[:1] == ["trade"]:
                yield from self._write([with_kinds_named(said)])

    def _verbs_lacking(self, spoken: Sequence[str]) -> Sequence[str]:
        """The verbs that may be missing before these words: what has a place or a card of its own may lack any."""
        has_place = len(spoken) > 1 and any(_OF_ONE_MOVE.search(word) for word in spoken)
        return [
            self.moves.main_verb,
            *(sorted(self.moves.verbs - {self.moves.main_verb}) if has_place else ()),
        ]

    def _tells_payment(self, words: Sequence[Word]) -> bool:
        """True if numbers among the words may be coins: those of `the diamond, 3`, but not of `three diamonds`."""
        said = [word.text for word in words if word.text]
        return self.moves.is_paid and (
            said[-1].isdecimal()
            or not {"pay", "invest"}.isdisjoint(said)
            or any(not PAYMENT.isdisjoint(word.dropped.split()) for word in words)
        )

    def _write(self, orders: Iterable[Sequence[str]]) -> Iterator[str]:
        """The texts of these words, with numbers side by side as a cell and as two numbers."""
        for order in orders:
            text = " ".join(filter(None, (self.moves.amounts.get(word, word) for word in order)))
            yield from dict.fromkeys((_BETWEEN_DIGITS.sub(r"\1", text), _BETWEEN_DIGITS.sub(" ", text)))

    def _may_lack_verb(self, said: Sequence[str], words: Sequence[Word], *, is_alone: bool) -> bool:
        """True for a number or a code that is all its writer says, and for what is no name and said with an article."""
        spoken = [word for word in words if word.text]
        around = {word.dropped for word in words if not word.text}
        if not spoken or not self.moves.main_verb:
            return False
        books = [read_phrasebook(self.game.package, language) for language in LANGUAGES]
        if all(word.text.isdecimal() or word.text == "+" for word in spoken):
            return is_alone and around <= BARE.union(_ASSENT, CHOICES, *(book.bare for book in books))
        if not around.isdisjoint(CHOICES):
            return True
        if len([word for word in said if plain_word(word) not in POLITE]) == 1 and self._is_code_of_one_move(
            spoken[0].text
        ):
            return is_alone
        if len(said) == 1:
            return is_alone and self._is_answer(said[0])
        if not around <= BARE.union(*(book.dropped | book.bare for book in books)):
            return False
        if any(map(_is_translated, spoken)):
            return True
        # A code of two letters may stand with a number or a please; alone it might be somebody's initials.
        is_code = any(len(word) > 1 and word.isupper() for word in said)
        has_number = len(spoken) > 1 and any(any(map(str.isdigit, word.text)) for word in spoken)
        return is_alone and (has_number or (is_code and not around.isdisjoint(_PLEASE)))

    def _is_code_of_one_move(self, code: str) -> bool:
        """True for a code alone, such as a cell, or a card that can only be laid in one way, which leaves one verb."""
        is_card = (
            len(code) >= _LEAST_CODE and sum(code in lower(move).split() for move in self.moves.listed) == 1
        )
        return len(self.moves.verbs) == 1 and (is_card or any(map(str.isdigit, code)))

    def _is_answer(self, word: str) -> bool:
        books = (read_phrasebook(self.game.package, language) for language in LANGUAGES)
        return any(plain_word(word) in book.alone for book in books)


def _says_enough(core: Core, may_lack_verb: bool, is_sentence: bool) -> bool:
    """True for what may stand beside a remark: three words, a word for who does it, a sentence or a number in front."""
    return (
        len(core.words) >= _LEAST_COMMENTED
        or not FIRST_PERSON.isdisjoint(map(fold_word, core.words))
        or (may_lack_verb and (is_sentence or _is_number([core.words])))
    )


def _is_number(parts: Sequence[Sequence[str]]) -> bool:
    """True for one number alone: `2, that's all`."""
    words = [plain_word(word) for part in parts for word in part]
    return len(words) == 1 and (words[0] in NUMBERS or words[0].isdecimal())


@lru_cache(maxsize=20)
def _read_single_words(package: str) -> Mapping[str, Set[str]]:
    """The words, folded, that alone or with an article mean words of the notation, and which."""
    found: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for phrase, meant in read_phrasebook(package, language).meanings.items():
            said = [word for word in phrase.split() if fold_word(word) not in ARTICLES] if any(meant) else []
            if len(said) == 1:
                found.setdefault(fold_word(said[0]), set()).update(meant)
    return found


@lru_cache(maxsize=20)
def _phrases_for_rows(package: str) -> Set[str]:
    """The words, folded, for the rows that a number may name."""
    books = (read_described(package, language) for language in LANGUAGES)
    return {fold_word(phrase) for book in books for phrase, meant in book.items() if "row" in meant}


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
    ) or _leaves_one_out(words):
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


def _leaves_one_out(words: Sequence[Word]) -> bool:
    """True for *one two three* as a 2 and a 3; in *eine Zwei* and *un deux* it is an article."""
    for place, word in enumerate(words):
        behind = [each.text for each in words[place + 1 : place + 3]]
        if word.dropped == "one" and behind and behind[0].isdecimal():
            return True
        if NUMBERS.get(word.dropped) == "1" and behind == ["2", "3"]:
            return True
    return False
