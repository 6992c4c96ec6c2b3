"""Reads the short things that people write instead of a command: a yes, a no, a wish to play, a note of absence.

The words stand in `phrases/LANGUAGE.txt`, as those of the games do (`games.phrases.phrasebook`), so that people who
speak the language can add to them: `(yes)`, `(no)`, what may stand `(beside)` them, `(play)` and what may stand
`(around)` it, `(learn)` with what is `(learnt)`, `(help)`, `(rules)` and the like for commands, the `(polite)` words
behind them and the `(asking)` ones around them, `(away)` for notes of absence. A line counts only if every word of it
is known. What is only offered stands there too (`wishes`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, lru_cache

from games import registry
from games.phrases.lines import is_courtesy
from games.phrases.phrasebook import LANGUAGES, common_phrases, fold_word, fold_words, read_phrases

LONGEST = 160
"""Characters of a line that is read so."""
_LONGEST_PHRASE = 8
"""Words."""
_LONG_ENOUGH = 5
"""Letters of a word in which a slip is mended."""
_LEAST_WORDS = 2
"""Words of one language alone that show a text to be in it."""
_NEAR = 0.8
"""How alike it must be to the word that was meant (`difflib`)."""
SHOWN = (
    "(help)",
    "(rules)",
    "(board)",
    "(status)",
    "(log)",
    "(games)",
    "(ratings)",
    "(events)",
    "(clubs)",
    "(hint)",
    "(review)",
    "(puzzle)",
)
"""Commands that show something: they may be a question, with words of `(asking)` around what is wanted."""
_COMMANDS = (*SHOWN, "(resign)", "(unsubscribe)")
_SAYING = ("(yes)", "(no)", "(learn)", "(play)", "(practice)", *_COMMANDS)
_BESIDE = ("(beside)", "(around)", "(learnt)", "(practising)", "(polite)", "(asking)")
"""Phrases that say something alone, and phrases that may stand with them."""
_TABLE = re.compile(r"m\d{1,9}")
_ENDS = re.compile(r"[.,!;:()…–—]+|(?:^|\s)-+(?=\s|$)")


@cache
def listed(word: str) -> frozenset[str]:
    """The phrases, folded, that stand under this word in any language."""
    return frozenset(phrase for language in LANGUAGES for phrase in _listed_in(language, word))


def _listed_in(language: str, word: str) -> Iterable[str]:
    return map(fold_words, read_phrases("gemserver.mailgate.lines", language).get(word, ()))


@lru_cache(maxsize=8)
def kinds_of(*words: str) -> Mapping[str, str]:
    """By phrase, the word in brackets that it stands under; the first that has it counts."""
    return {phrase: word for word in reversed(words) for phrase in listed(word)}


def read_answer(line: str, names: Iterable[str] = ()) -> bool | None:
    """Return True for a line that says yes and nothing else, False for a no; None for any other.

    `names`: those of the players, who may be addressed.

    >>> [read_answer(line) for line in ("Ok, fine with me.", "nein, lieber nicht", "yes, but not before Monday")]
    [True, False, None]
    """
    known = list(names)
    found: set[str] = set()
    for part in split_parts(line):
        kinds = cover(fold_words(part).split(), kinds_of("(yes)", "(no)", "(beside)"))
        if kinds is not None:
            found.update(kinds)
        elif not (is_courtesy(part, known) or fold_words(part) in map(fold_word, known)):
            return None
    found.discard("(beside)")
    return {"(yes)": True, "(no)": False}[found.pop()] if len(found) == 1 else None


def begins_with_yes(line: str) -> bool:
    """Return True for a line that says yes first and takes nothing of it back.

    >>> [begins_with_yes(line) for line in ("Yes, I'd love to!", "ja mach mir ein Konto", "oui, mais pas avant mai")]
    [True, True, False]
    """
    parts = split_parts(line)
    words = [word for part in parts for word in fold_words(part).split()]
    said = f" {' '.join(words)} "
    is_taken_back = any(f" {word} " in said for word in listed("(taking back)"))
    return not is_taken_back and any(" ".join(words[:size]) in listed("(yes)") for size in range(1, 5))


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish to play: at the table of this code, or this game; both empty if neither is named.

    `learns`: it asks for lessons, and for no seat.
    """

    game: str = ""
    table: str = ""
    learns: bool = False


def read_wish(line: str) -> Wish | None:
    """Return what a line that asks for a seat, or for lessons, asks for; None for any other.

    >>> read_wish("Hi, I'd like to play GEM!"), read_wish("je voudrais jouer M17")
    (Wish(game='gem', table='', learns=False), Wish(game='', table='M17', learns=False))
    >>> read_wish("I'd like to learn GEM"), read_wish("I'd like to play chess")
    (Wish(game='gem', table='', learns=True), None)
    """
    kinds = kinds_of("(learn)", "(play)", "(around)", "(learnt)")
    found: list[str] = []
    wishes: set[Wish] = set()
    for part in split_parts(line.replace("?", "!")):
        if is_courtesy(part):
            continue
        words = with_slugs(fold_words(part)).split()
        named = [_named(word) for word in words]
        wishes.update(filter(None, named))
        rest = [word for word, wish in zip(words, named, strict=True) if wish is None]
        covered = cover(rest, kinds)
        if covered is None:
            return None
        found += covered
    learns = "(learn)" in found
    if len(wishes) > 1 or not (learns or ("(play)" in found and "(learnt)" not in found)):
        return None
    wish = wishes.pop() if wishes else Wish()
    return replace(wish, learns=learns)


def read_command(line: str, names: Iterable[str] = ()) -> str:
    """Return the command that a line says in plain words and nothing else; empty for any other line.

    >>> [read_command(line) for line in ("Hilfe!", "How do I play?", "I give up", "Should I give up?", "I need a ruby")]
    ['help', 'rules', 'resign', '', '']
    """
    known = list(names)
    found: set[str] = set()
    for part in split_parts(line.replace("?", "!")):
        words = fold_words(part).split()
        kinds = cover(words, kinds_of(*_COMMANDS, "(polite)", "(asking)"))
        if kinds is None and not is_courtesy(part, known):
            kinds = cover(mend_slip(words), kinds_of(*SHOWN, "(polite)", "(asking)"))
            if kinds is None:
                return ""
        found.update(kinds or ())
    found.discard("(polite)")
    if found.isdisjoint(SHOWN) and ("?" in line or "(asking)" in found):
        return ""
    found.discard("(asking)")
    return found.pop().strip("()") if len(found) == 1 else ""


def language_of(line: str) -> str:
    """Return the language of a line that this module reads; empty if it may be of several, or is not read.

    >>> language_of("Hallo, ich möchte GEM lernen!"), language_of("ok"), language_of("Tutorial: GEM")
    ('de', '', '')
    """
    said_in = [language for language in LANGUAGES if _is_said_in(language, line)]
    return said_in[0] if len(said_in) == 1 else ""


def guess_language(text: str) -> str:
    """Return the language that most words of a text belong to and no other has; empty if they are too few.

    >>> guess_language("Guten Tag, ich habe von euch gehört. Was kann man hier spielen?"), guess_language("ok, GEM")
    ('de', '')
    """
    words = set(fold_words(text[:2000]).split())
    counts = sorted(((len(words & own), language) for language, own in _own_words().items()), reverse=True)
    (most, language), (second, _) = counts[:2]
    return language if most >= _LEAST_WORDS and most > 2 * second else ""


@lru_cache(maxsize=1)
def _own_words() -> Mapping[str, frozenset[str]]:
    """By language, the words of its wishes and its commonest ones, without those of other languages."""
    known = {
        language: {
            word
            for phrase in (
                *_kinds_in(language),
                *map(fold_word, common_phrases(language).get("(marker)", ())),
            )
            for word in phrase.split()
        }
        for language in LANGUAGES
    }
    return {
        language: frozenset(words).difference(*(other for name, other in known.items() if name != language))
        for language, words in known.items()
    }


def _is_said_in(language: str, line: str) -> bool:
    found: set[str] = set()
    for part in split_parts(line.replace("?", "!")):
        words = [word for word in with_slugs(fold_words(part)).split() if _named(word) is None]
        kinds = cover(words, _kinds_in(language))
        if kinds is None and not is_courtesy(part):
            return False
        found.update(kinds or ())
    return not found.isdisjoint(_SAYING)


@lru_cache(maxsize=8)
def _kinds_in(language: str) -> Mapping[str, str]:
    words = (*_SAYING, *_BESIDE)
    return {phrase: word for word in reversed(words) for phrase in _listed_in(language, word)}


def split_polite(line: str) -> tuple[str, str]:
    """Return a line without the please and thanks at its end, and these; the second is empty if there are none.

    >>> split_polite("tutorial gem, please!"), split_polite("s'il vous plaît"), split_polite("M17: log")
    (('tutorial gem', 'please'), ("s'il vous plaît", ''), ('M17: log', ''))
    """
    words, polite = line.split(), listed("(polite)")
    end = len(words)
    while size := next(
        (size for size in range(min(4, end - 1), 0, -1) if _plain(words[end - size : end]) in polite), 0
    ):
        end -= size
    if end == len(words):
        return line, ""
    return " ".join(words[:end]).rstrip(" ,;.!–-"), _plain(words[end:])


def _plain(words: Sequence[str]) -> str:
    return fold_words(_ENDS.sub(" ", " ".join(words)))


def as_written(line: str) -> str:
    """The line without the marks that people end it with: `join GEM!` is a command."""
    return line.rstrip(".!: ")


def is_absence(text: str) -> bool:
    """True if a text reads like the note of somebody who is away, or of a machine that thanks for a mail.

    >>> is_absence("Hello,\\nI'm out of the office until Monday."), is_absence("Nice move!")
    (True, False)
    """
    words = f" {' '.join(fold_words(part) for part in _ENDS.split(text[:4000].replace(chr(10), ' ')))} "
    return any(f" {phrase} " in words for phrase in listed("(away)"))


def _named(word: str) -> Wish | None:
    """The table or game that a word names."""
    if _TABLE.fullmatch(word):
        return Wish(table=word.upper())
    return Wish(game=word) if word in registry.GAMES else None


def with_slugs(text: str) -> str:
    """The text with the one word of a game for its title."""
    for slug, title in _titles():
        text = text.replace(title, slug)
    return text


def _titles() -> Iterable[tuple[str, str]]:
    return ((slug, fold_word(game.rules.meta.title)) for slug, game in registry.GAMES.items())


def split_parts(line: str) -> Sequence[str]:
    """The parts of a line between its marks; none for a question, or a line that is too long."""
    if len(line) > LONGEST or "?" in line:
        return ["?"]
    plain = "".join(" " if unicodedata.category(sign) in ("So", "Sk", "Cf") else sign for sign in line)
    parts = _ENDS.split(re.sub(r"[\"«»“”„*_]", " ", plain))
    return [part for part in parts if any(map(str.isalnum, part))]


def mend_slip(words: Sequence[str]) -> Sequence[str]:
    """The words with a slip in one of them mended, if no other one is unknown: `show me the baord`.

    >>> mend_slip(["show", "me", "the", "baord"])
    ['show', 'me', 'the', 'board']
    """
    known = _known_words()
    unknown = [place for place, word in enumerate(words) if word not in known]
    if len(unknown) != 1 or len(words) < 2 or len(words[unknown[0]]) < _LONG_ENOUGH:
        return words
    place = unknown[0]
    near = get_close_matches(words[place], known, 1, _NEAR)
    return [*words[:place], *near, *words[place + 1 :]] if near else words


@lru_cache(maxsize=1)
def _known_words() -> frozenset[str]:
    phrases = kinds_of(*SHOWN, "(polite)", "(asking)")
    return frozenset(word for phrase in phrases for word in phrase.split())


def cover(words: Sequence[str], kinds: Mapping[str, str]) -> Sequence[str] | None:
    """The kinds of the phrases that the words are made of, longest first; None if a word is left over."""
    found = []
    at = 0
    while at < len(words):
        for end in range(min(len(words), at + _LONGEST_PHRASE), at, -1):
            if kind := kinds.get(" ".join(words[at:end])):
                found.append(kind)
                at = end
                break
        else:
            return None
    return found
