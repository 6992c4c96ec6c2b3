"""Tells which words name a part of the moves of a position: its pieces, places, verbs and codes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache

from games.phrases.described_words import is_long_code, read_described
from games.phrases.lines import ARTICLES
from games.phrases.moves import PlayableMoves
from games.phrases.phrasebook import LANGUAGES, common_words, fold_word, fold_words, read_phrasebook

BETWEEN = frozenset(map(fold_word, common_words("(between)")))
"""Words, folded, that stand between the parts of a move."""
AND = common_words("(and)")
_STAYS = frozenset(map(fold_word, common_words("(stays)")))
_CODE = re.compile(r"(?<![\w-])[A-Z*][A-Z*+-]+(?![\w-])")
_SHORTEST_CODE = 2
"""Letters of a code that names a piece."""


@dataclass
class NamedParts:
    """The words that name parts of the moves of a position; all words given are folded."""

    moves: PlayableMoves

    def says_a_part(self, word: str) -> bool:
        """True for a word that alone says something of a move."""
        meant = _read_single_words(self.moves.game.package).get(word, frozenset())
        return word in self.moves.described.phrases or not self.moves.words.isdisjoint(meant)

    def says_only_parts(self, text: str) -> bool:
        """True for a text that names parts of moves and says nothing else: *the ruby in row 1*, *TR*."""
        said = [word for word in fold_words(re.sub(r"[^\w-]+", " ", text)).split() if word not in ARTICLES]
        named = [word for word in said if word not in BETWEEN]
        return bool(named) and all(word in self.codes or self.says_a_part(word) for word in named)

    def meanings(self, word: str) -> Set[str]:
        """The words that a word alone, folded, may stand for, of the notation and of descriptions."""
        package = self.moves.game.package
        return _read_single_words(package).get(word, frozenset()) | _read_described_words(package).get(
            word, frozenset()
        )

    def says_a_verb(self, word: str) -> bool:
        """True for a word that alone says the verb of a move."""
        meant = _read_single_words(self.moves.game.package).get(word, frozenset())
        return word in self.moves.verbs or not self.moves.verbs.isdisjoint(meant)

    def says_a_piece(self, word: str) -> bool:
        """True for a word that says a part of a move, and no verb: `proclamation` is one; for a code too."""
        meant = _read_single_words(self.moves.game.package).get(word, frozenset())
        # One of two diamonds too, which tells no move apart.
        is_gem = any(each in self.moves.gem_words and each.isalpha() for each in meant)
        says_a_part = is_gem or self.says_a_part(word)
        return word in self.codes or (says_a_part and self.moves.verbs.isdisjoint(meant))

    @cached_property
    def codes(self) -> Set[str]:
        """The codes of cards and tiles in the legal moves, folded."""
        words = {fold_word(word) for move in self.moves.listed for word in move.split()[1:]}
        return {word for word in words if len(word) >= _SHORTEST_CODE} - self.moves.clause_words

    def names_another_code(self, text: str, moves: Sequence[str]) -> bool:
        """True for a code in capitals that is a part of a legal move, and of none of these."""
        codes = self.moves.codes - {part for move in moves for part in move.split()}
        return not codes.isdisjoint(_CODE.findall(text))

    def adds_a_piece(self, text: str) -> bool:
        """True for words behind *and* that name a part of a move, and not that it stays: `and the cross too`."""
        said = fold_words(re.sub(r"\W+", " ", text)).split()
        return (
            not AND.isdisjoint(said[:1])
            and _STAYS.isdisjoint(said)
            and any(word in self.moves.described.words or self.says_a_part(word) for word in said[1:])
        )

    def names_long_code(self, words: Sequence[str]) -> bool:
        """True where the code of a card or tile stands among the words, which is no other word."""
        return any(
            word.lower() in self.codes and is_long_code(word, self.moves.game.package) for word in words
        )


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
def _read_described_words(package: str) -> Mapping[str, Set[str]]:
    """The words, folded, that alone are said in descriptions, and what for."""
    found: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for phrase, meant in read_described(package, language).items():
            if " " not in phrase:
                found.setdefault(fold_word(phrase), set()).update(meant)
    return found


@lru_cache(maxsize=20)
def phrases_for_rows(package: str) -> Set[str]:
    """The words, folded, for the rows that a number may name."""
    books = (read_described(package, language) for language in LANGUAGES)
    return {fold_word(phrase) for book in books for phrase, meant in book.items() if "row" in meant}


@lru_cache(maxsize=20)
def all_words(package: str) -> Set[str]:
    """Every word that stands in a phrase of the game."""
    return frozenset[str]().union(*(read_phrasebook(package, language).words for language in LANGUAGES))
