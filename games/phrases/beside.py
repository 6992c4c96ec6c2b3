"""Reads the move of a line that says other things too: comments, talk, and remarks on the game.

Where each of these may stand is said in `comments`, `sentences` and `remarks`; here the part that is left is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from games.phrases.comments import is_wish, parts_with_move
from games.phrases.elsewhere import speaks_for_somebody
from games.phrases.lines import (
    ARTICLES,
    FIRST_PERSON,
    LONGEST,
    Core,
    find_core,
    find_parts,
    is_broken_off,
    is_correction,
)
from games.phrases.listed import Place, find_place
from games.phrases.moves import PlayableMoves
from games.phrases.naming import AND, BETWEEN, NamedParts, all_words, phrases_for_rows
from games.phrases.phrasebook import (
    LANGUAGES,
    NUMBERS,
    common_words,
    fold_word,
    fold_words,
    plain_word,
    read_phrasebook,
)
from games.phrases.remarks import LIMITS, counts, muses, parts_beside_remarks, without_tallies
from games.phrases.sentences import PAST, sentences_with_move, without_address
from games.phrases.verbless import may_be_name
from games.phrases.wording import WordedMoves
from games.phrases.words import POLITE, without_name_behind

_LEAST_COMMENTED = 3
"""Words of a move beside a comment: `Le rubis, ma pierre préférée` may tell of a stone."""
_LONGEST_COMMENTED = 24
"""Words of a move beside a comment."""
_THAT = common_words("(that one)")
_DID = common_words("(did)")
_MOST_TIMES = 4
"""Times that a move is said in one line."""
_SAID_AGAIN = re.compile(
    r"(?<![,;:.!…])(?:[,;:.!…]++|\s[-–—])"
    r"(?:\s+(?:so|yes|i\.?e\.?|namely|that is|oui|donc|soit|c['’]est[- ]à[- ]dire|ja|also|nämlich|sprich)\b[,:]?)?"
    r"(?:\s+|$)",
    re.IGNORECASE,
)
_OF_GAMES = (
    common_words("(points)") | common_words("(counted)") | frozenset(("coin", "coins", "card", "bid", "bids"))
)
_DAYS = frozenset(map(fold_word, common_words("(day)")))
_ENDED = re.compile(
    rf"[.!…,]\s+((?:{'|'.join(map(re.escape, sorted(common_words('(hence)'))))})\s+)?$", re.IGNORECASE
)
"""Matches before a number at the end of a line that is a sentence of its own, a conclusion, or behind a reason."""
_LISTED = re.compile(r"\s*\d+[.):]")
"""Matches the beginning of a point of a list."""


@dataclass
class MovesBeside:
    """The moves of a position, as they are described, and said beside something else."""

    moves: PlayableMoves
    worded: WordedMoves
    named: NamedParts

    def read_told(self, text: str, names: Iterable[str], *, is_certain: bool) -> Sequence[str]:
        """The moves that a line describes, or says beside a comment."""
        known = {*map(fold_word, names)}
        if not self.moves.are_described:
            return ()
        for parts in find_parts(text, names):
            if found := self._read_described(parts, known, is_certain) or self._read_commented(
                parts, known, is_certain
            ):
                return found
        return ()

    def read_beside_talk(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The moves of the one sentence of a line that has them, as if it stood on a line of its own."""
        if not self.moves.are_described or len(text) > LONGEST:
            return ()
        avoid = {*map(fold_word, names)} | self.moves.described.phrases
        found: dict[str, None] = {}
        for sentence, others in sentences_with_move(without_address(text, names), avoid):
            if any(map(self.named.adds_a_piece, others)):
                continue
            core = find_core(sentence, names)
            if core is not None and not core.is_question:
                found |= dict.fromkeys(self.worded.read(core, is_alone=False))
        return tuple(found)

    def read_beside_remarks(self, text: str, names: Iterable[str], *, is_alone: bool) -> Sequence[str]:
        """The legal moves of the one part of a line that has them with their verb, which all others are remarks on."""
        if not self.moves.are_described or len(text) > LONGEST:
            return ()
        said, known = without_address(text, names), {*map(fold_word, names)}
        found: dict[str, None] = {}
        counted = all_words(self.moves.game.package) if self.moves.have_numbers else None
        numbers = self._numbers_of_moves
        strict = {(part, *remarks) for part, remarks in parts_beside_remarks(said, counted=counted)}
        for part, remarks in parts_beside_remarks(said, counted=counted, numbers=numbers):
            core = find_core(part, names)
            ended = _ENDED.search(said.removesuffix(part))
            stands_behind = (
                core is not None
                and _is_number([core.words])
                and ended is not None
                and (any if ended[1] else all)(self._is_about_the_game(remark, known) for remark in remarks)
            )
            concludes = stands_behind and ended is not None and ended[1] is not None
            if not concludes and (part, *remarks) not in strict:
                continue
            may_lack_verb = is_alone and (said.startswith(part) or stands_behind) and not _LISTED.match(said)
            is_sentence = part[-1:] in ".!…" or said.endswith(part)
            if core is None or core.is_question or not self._says_enough(core, may_lack_verb, is_sentence):
                continue
            says_i = not FIRST_PERSON.isdisjoint(map(fold_word, core.words))
            # Who says no *I* may be musing (*the emerald above, that would be silly*), and who counts may be telling:
            # *Rubis et Émeraude, ce sont mes deux chattes*.
            if not says_i and (
                _calls_somebody(part, said, known)
                or any(_begins_with_doer(remark, known) for remark in remarks)
                or any(map(muses, remarks))
                or (
                    counted is not None
                    and any(counts(remark, numbers if concludes else None) for remark in remarks)
                )
            ):
                continue
            moves = self._read_legal(core, is_alone=may_lack_verb) or self._read_described(
                [core.words], known, is_certain=True, is_whole=False
            )
            if not any(
                _tells_who(remark, known)
                or speaks_for_somebody(remark, known)
                or self._says_another(remark, names, moves)
                for remark in remarks
            ):
                found |= dict.fromkeys(moves)
        return tuple(found)

    @cached_property
    def _numbers_of_moves(self) -> Set[str]:
        """The numbers of legal moves, and the sums of those that are said together."""
        return self.moves.numbers | {*map(str, self.moves.by_total)}

    def read_said_twice(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The legal move that each part of a line says, one for certain: *the blue one, so the sapphire*."""
        if not self.moves.are_described or len(text) > LONGEST or "?" in text:
            return ()
        parts = [part for part in _SAID_AGAIN.split(text.strip()) if part]
        if not 1 < len(parts) <= _MOST_TIMES or any(map(is_correction, parts[1:])):
            return ()
        cores = [find_core(part, names) for part in parts]
        said = [core for core in cores if core is not None and not core.is_question]
        sure = [self._read_legal(core, is_alone=True) for core in said]
        if len(said) < len(parts) or not any(sure):
            return ()
        known = {*map(fold_word, names)}
        found = [
            moves or self._read_described([core.words], known, is_certain=False)
            for core, moves in zip(said, sure, strict=True)
        ]
        return found[0] if all(len(moves) == 1 and moves == found[0] for moves in found) else ()

    def read_listed(
        self,
        text: str,
        names: Iterable[str],
        lists: Callable[[], Sequence[Sequence[str]]],
        *,
        is_certain: bool,
    ) -> Sequence[str]:
        """The moves at the place that a line names: `lists` returns those that its writer may have seen.

        `is_certain`: none unless a list is meant for certain and the move is the same in each. A number alone may
        be one of a move where moves have numbers.
        """
        for place, remarks in self._find_places(text, names):
            shown = lists()
            found = [*dict.fromkeys(move for moves in shown if (move := place.pick(moves)))]
            is_sure = (
                place.is_listed
                or (place.is_numbered and not self.moves.have_numbers)
                or (not place.is_numbered and all(map(self._lists_each_piece_once, shown)))
            )
            says_more = any(self._says_another(remark, names, found) for remark in remarks)
            if not is_certain or (is_sure and len(found) == 1 and not says_more):
                return found
        return ()

    def _lists_each_piece_once(self, moves: Sequence[str]) -> bool:
        """True for a list of all moves, each of another piece: the second piece is the second move too."""
        pieces = [move.partition(" ")[2].partition(" ")[0] for move in moves]
        is_whole = len(moves) == len(self.moves.listed)
        return is_whole and len({*pieces}) == len(moves) and not any(map(str.isdecimal, pieces))

    def _find_places(self, text: str, names: Iterable[str]) -> Iterator[tuple[Place, Sequence[str]]]:
        """The place in a list that a line names, or a part of it that all others are remarks on, with these."""
        if place := find_place(text, names):
            yield place, ()
        elif self.moves.are_described and len(text) <= LONGEST:
            counted = all_words(self.moves.game.package)
            for part, remarks in parts_beside_remarks(without_address(text, names), counted=counted):
                if (place := find_place(part, names)) and place.is_listed:
                    yield place, remarks

    def _says_another(self, text: str, names: Iterable[str], moves: Sequence[str]) -> bool:
        """True if the text alone would be another move, or may add to the move beside it.

        It does if it says nothing but a part of a move, names a row, has a code that is in none of the `moves`, goes
        on with *and* and a piece (*trade PO, and the cross while you are at it*), or names what another legal move
        only adds: *proclaim the ruby at the base, middle as a fallback*.
        """
        if self.named.names_another_code(text, moves) or self.named.adds_a_piece(text):
            return True
        text = without_tallies(text)
        words = {*fold_words(re.sub(r"[^\w-]+", " ", text)).split()} - ARTICLES
        is_limit = not LIMITS.isdisjoint(fold_words(text).split()[:1])  # `only the gem`
        if is_limit and any(
            self.named.says_a_part(word) or word in self.moves.described.words for word in words
        ):
            return True
        added = self.moves.words_added(moves)
        if added and any(not added.isdisjoint(self.named.meanings(word)) for word in words):
            return True
        said = {word for word in words if word not in BETWEEN}
        if all(map(self.named.says_a_part, said)) or not words.isdisjoint(
            phrases_for_rows(self.moves.game.package)
        ):
            return True
        if self.moves.described.fits(re.sub(r"[^\w-]+", " ", text).split(), moves) is False:
            return True
        core = find_core(text, names)
        return core is not None and any(move not in moves for move in self.worded.read(core, is_alone=True))

    def _says_enough(self, core: Core, may_lack_verb: bool, is_sentence: bool) -> bool:
        """True for what may stand beside a remark: three words, a word for who does it, a whole answer in front."""
        is_placed = len(core.words) > 1 and self.named.names_long_code(core.words)
        if (
            len(core.words) >= _LEAST_COMMENTED
            or is_placed
            or not FIRST_PERSON.isdisjoint(map(fold_word, core.words))
        ):
            return True
        is_answer = (
            is_sentence or _is_number([core.words]) or self._is_size(core.words) or self._asks_for(core)
        )
        return may_lack_verb and is_answer

    def _is_about_the_game(self, remark: str, known: Set[str]) -> bool:
        """True for a remark that names a player or a piece: not for *See you on Monday*."""
        said = fold_words(re.sub(r"[^\w-]+", " ", remark)).split()
        return any(
            word in known or word in _OF_GAMES or self.named.says_a_piece(word.removesuffix("s"))
            for word in said
        ) and _DAYS.isdisjoint(said)

    def _asks_for(self, core: Core) -> bool:
        """True for a whole answer with a please; what may be somebody's name is none."""
        others = [plain_word(word) for word in core.words if plain_word(word) not in POLITE]
        books = [read_phrasebook(self.moves.game.package, each) for each in LANGUAGES]
        return 0 < len(others) < len(core.words) and all(
            any(word in book.alone for book in books) for word in others
        )

    def _is_size(self, words: Sequence[str]) -> bool:
        """True for a word that is a whole answer: *Large, like my ego*; what may be somebody's name calls them."""
        word = plain_word(words[-1])
        is_whole = any(word in read_phrasebook(self.moves.game.package, each).alone for each in LANGUAGES)
        return is_whole and not may_be_name(words[-1])

    def _read_described(
        self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool, *, is_whole: bool = True
    ) -> Sequence[str]:
        """The moves that a line describes, which is all that its writer wrote.

        `is_whole`: not even a remark is beside it.
        """
        words = _name_somebody((word for part in parts for word in part), known)
        if not words or is_broken_off(words) or (len(words) == 1 and may_be_name(words[0])):
            return ()
        return self.moves.described.find(words, is_certain=is_certain, is_whole=is_whole)

    def _read_commented(
        self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool
    ) -> Sequence[str]:
        """The moves of a line that has comments before or behind its move."""
        if len(parts) < 2 or is_broken_off(parts[-1]):
            return ()
        avoid = known | self.moves.described.phrases
        parts = [_without_name_in_front(without_name_behind(part, known), known) for part in parts]
        beside = {
            declines: [
                said
                for said in parts_with_move(parts, declines=declines, avoid=avoid, is_certain=is_certain)
                if not is_certain or declines or self._says_enough_to_comment(said)
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

    def _says_enough_to_comment(self, parts: Sequence[Sequence[str]]) -> bool:
        """True for what may stand beside a comment: three words, a number alone, a card's code."""
        words = [word for part in parts for word in part]
        return len(words) >= _LEAST_COMMENTED or _is_number(parts) or self.named.names_long_code(words)

    def _read_parts(self, parts: Sequence[Sequence[str]], known: Set[str], is_certain: bool) -> Sequence[str]:
        """The legal moves of a part of a line that says nothing else."""
        words = [word for part in parts for word in part]
        if len(words) > _LONGEST_COMMENTED:
            return ()
        legal = self._read_legal(Core(words, is_question=False), is_alone=True)
        return legal or self._read_described(parts, known, is_certain)

    def _read_legal(self, core: Core, *, is_alone: bool) -> Sequence[str]:
        return [move for move in self.worded.read(core, is_alone=is_alone) if self.moves.can_be_made(move)]


def _without_name_in_front(part: Sequence[str], known: Set[str]) -> Sequence[str]:
    """The words of a wish without the name before it: *Ben have fun with it*."""
    return part[1:] if fold_word(part[0]) in known and is_wish(part[1:]) else part


def _calls_somebody(part: str, said: str, known: Set[str]) -> bool:
    """True for a name in the middle of a line: `Put it on R4, Cy, she is lonely`."""
    last = (re.findall(r"[\w-]+", part) or [""])[-1]
    return fold_word(last) in known and not said.endswith(part)


def _name_somebody(words: Iterable[str], known: Set[str]) -> Sequence[str]:
    """The words with *somebody* for a name, and for two or more: *Eve and Dora*."""
    found: list[str] = []
    for word in words:
        if fold_word(word) not in known:
            is_genitive = word[:1].isupper() and word.endswith("s") and fold_word(word[:-1]) in known
            found.append("somebodys" if is_genitive else word)  # `Cys Gebot`
        elif found[-2:-1] == ["somebody"] and found[-1] in AND:
            found.pop()
        elif found[-1:] != ["somebody"]:
            found.append("somebody")
    return found


def _tells_who(remark: str, known: Set[str]) -> bool:
    """True for a remark that tells who has done it: *Das hat Ben gemacht*, *c'est Ben qui l'a fait*."""
    written = re.findall(r"\w+", remark)
    words = [*map(plain_word, written)]
    names = known | {fold_word(word) for word in written[2:] if word.istitle() and len(word) > 1}
    return (
        not _THAT.isdisjoint(words[:2])
        and any(fold_word(word) in names for word in words)
        and any(word in _DID or PAST.fullmatch(word) for word in words)
    )


def _begins_with_doer(remark: str, known: Set[str]) -> bool:
    """True for a remark that says what a player does with it: *Dora laid it*."""
    words = [*map(plain_word, re.findall(r"\w+", remark))]
    return bool(words) and fold_word(words[0]) in known and words[-1] in _THAT | {"them", "ihn", "sie", "la"}


def _is_number(parts: Sequence[Sequence[str]]) -> bool:
    """True for one number alone or with a please: `2, that's all`."""
    said = [plain_word(word) for part in parts for word in part if plain_word(word) not in POLITE]
    words = said[1:] if len(said) > 1 and said[0] in ARTICLES else said
    return len(words) == 1 and (words[0] in NUMBERS or words[0].isdecimal())
