"""Lists the moves that parts of an unreadable line may mean, for its writer to choose from.

Nothing here is ever played: a question, a plan or a joke names the pieces of a move too. So words that nobody listed
are passed over, and what stands around a move is left away, sentence by sentence and clause by clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from games.phrases.asking import without_question, without_why_not
from games.phrases.correcting import CLAUSE, with_ends_replaced
from games.phrases.described_words import read_described
from games.phrases.lines import DOUBTS, LONGEST, Core
from games.phrases.moves import PlayableMoves
from games.phrases.phrasebook import LANGUAGES, NUMBERS, fold_word, plain_word, read_phrasebook
from games.phrases.sentences import END
from games.phrases.tidying import tidy
from games.phrases.wording import WordedMoves

_OR = re.compile(r"\s(or|oder|ou)\s", re.IGNORECASE)
_BUT = re.compile(r"\s(?:but|aber|mais|sondern)\s", re.IGNORECASE)
_WORD = re.compile(r"[\w'’,*+-]+")
_CODE = re.compile(r"[A-Z*-]{1,4}")
_MOST_PARTS = 6
_LONGEST_PART = 16
"""Words of a part; of a longer one nobody could say what it asks for."""
_MOST_SURE = 3
"""Moves that a part may mean; what names more of them describes none."""


@dataclass
class OfferedMoves:
    """The moves of a position that a line may have been meant as."""

    moves: PlayableMoves
    worded: WordedMoves

    def find(self, text: str, names: Iterable[str]) -> Sequence[str]:
        """The moves of the parts of a line; of the part that leaves least choice first."""
        if len(text) > LONGEST or not self.moves.are_described:
            return ()
        known = {*map(fold_word, names)}
        ways: dict[tuple[str, ...], bool] = {}
        for words, is_whole in self._list_ways(text, known):
            ways[words] = is_whole or ways.get(words, False)
        found = [self._read(words, is_whole=is_whole) for words, is_whole in ways.items()]
        sure = sorted((moves for moves in found if 0 < len(moves) <= _MOST_SURE), key=len)
        return [*dict.fromkeys(move for moves in sure for move in moves)]

    def _list_ways(self, text: str, names: set[str]) -> Iterator[tuple[tuple[str, ...], bool]]:
        """The words of each part: all, those that stand in a phrase, and those that say something of a move.

        With them is told whether they are the whole part, which may lack its verb: *Rubis, j'en ai trois*.
        """
        for part in dict.fromkeys(_parts(text)):
            written = (word.strip(",") for word in _WORD.findall(part))
            words = tuple(word for word in written if word and fold_word(word) not in names)
            if 0 < len(words) <= _LONGEST_PART:
                yield words, True
                for said in _list_words(self.moves.game.package):
                    known = tuple(word for word in words if _is_known(word, said | self._notation))
                    yield known, False
                    yield tuple(word for word in known if fold_word(word) not in DOUBTS), False

    @cached_property
    def _notation(self) -> Set[str]:
        return {*map(fold_word, self.moves.words)}

    def _read(self, words: Sequence[str], *, is_whole: bool) -> Sequence[str]:
        if not words:
            return ()
        core = Core(words, is_question=False, is_announced=is_whole)
        worded = self.worded.read(core, is_alone=True, as_counted=True)
        found = [move for move in worded if self.moves.can_be_made(move)]
        return found or self.moves.described.find(words, is_certain=False)


def _parts(text: str) -> Iterator[str]:
    """The line without a question at its end, its sentences and their clauses."""
    plain = without_why_not(without_question(tidy(text)))
    sentences = END.split(plain)
    clauses = [clause for sentence in sentences for clause in CLAUSE.split(sentence) if clause]
    yield from [plain, *sentences, *clauses][:_MOST_PARTS]
    for clause in clauses[:_MOST_PARTS]:
        if but := _BUT.search(clause):  # *3 but not the red one*
            yield clause[: but.start()]
        before, or_else, behind = _OR.split(clause, maxsplit=1) if _OR.search(clause) else ("", "", "")
        if or_else:  # *I would bid 3 or 4*: what stands on either side, and that behind in place of the other
            yield from (before, *before.split()[-1:], behind, *with_ends_replaced(before, behind))


def _is_known(word: str, said: Set[str]) -> bool:
    plain = fold_word(plain_word(word))
    return (
        plain in said or plain in NUMBERS or any(map(str.isdigit, plain)) or _CODE.fullmatch(word) is not None
    )


@lru_cache(maxsize=20)
def _list_words(package: str) -> tuple[Set[str], Set[str]]:
    """Every word, folded, of the phrases and descriptions of a game; and of the phrases that mean a part of a move."""
    books = [read_phrasebook(package, language) for language in LANGUAGES]
    described = [phrase for language in LANGUAGES for phrase in read_described(package, language)]
    meaning = [phrase for book in books for phrase, meant in book.meanings.items() if any(meant)]
    return _words_of([*described, *(word for book in books for word in book.words)]), _words_of(meaning)


def _words_of(phrases: Iterable[str]) -> Set[str]:
    return frozenset(fold_word(word) for phrase in phrases for word in phrase.split())
