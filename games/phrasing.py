"""Reads a move as a person says it: `Hi Ben, I bid three. Good luck!` is `bid 3`.

The notation stays the only language of records and programs; what is found here is written in it. A text is read
only if every word of it is known: a word of the notation, one that the game's phrases translate into it, or one that
says nothing of a move. So a sentence with anything else in it (a condition, a question, a past) is no move.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Any

from games.chance import Chance
from games.contract import Game, GameError, Seat
from games.orders import UnreadableOrder, read_orders, write_orders
from games.phrasebook import (
    LANGUAGES,
    Phrasebook,
    common_phrases,
    fold_word,
    fold_words,
    plain_word,
    read_phrasebook,
)
from games.reading import fold, lower

LONGEST = 300
"""Characters of a line that is read as a phrase."""
MOST_WORDS = 60
_LONGEST_PHRASE = 7
"""Words."""
_MOST_READINGS = 24
_MOST_MOVES = 400
"""Legal moves that are looked at, to learn how a move can begin, and which one was nearly written."""
MOST_SUGGESTED = 3
_LONGEST_SLIP = 6
"""Words of a line with a slip that is looked for among the legal moves."""

_PARTS = re.compile(r"((?<![.!?…;])[.!?…;]+(?=\s|$)|,(?! ?-?\d)|(?<=\D),|:(?=\s|$)|\s-{1,2}(?=\s)|[()])")
_LIST_MARK = re.compile(r"^(?:[-*•→–·>]+\s+)+")
_SMILEY = re.compile(r"(?:^|(?<=[\s.!,]))(?:[:;=8xX][-o^']?[)(DPp\]/|]+|<3|\^\^)(?=$|[\s.,!])")
_EQUALS = re.compile(r"(?<=[a-z]):(?=[\w-])|(?<=[a-z])\s*=\s*(?=\w)", re.IGNORECASE)
_GLUED = re.compile(r"([^\W\d_]{2,})(\d{1,3})")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s*([,+])\s*(?=-?\d)")
_CELL_IN_BRACKETS = re.compile(r"\((-?\d+)\s*,\s*(-?\d+)\)")
_NUMBERED = re.compile(r"^\d{1,2}\)\s+(?=[^\W\d])")
COURTESY, GREETINGS, LEADS, CORRECTIONS, BARE, WORDS = (
    frozenset(phrase for language in LANGUAGES for phrase in common_phrases(language).get(word, ()))
    for word in ("(courtesy)", "(greeting)", "(lead)", "(correction)", "(bare)", "(word)")
)
PLEASE = ("please", "pls", "bitte", "s il te plait", "s il vous plait", "svp", "stp")
_CODE = re.compile(r"[a-z*]{1,4}|\+|[a-z(*+-]*[\d-][\w,.+()-]*", re.ASCII)
"""Matches what may be a code of a card, a cell or a side, or a number."""
_ANY_CHANCE = Chance("0" * 64, "phrasing")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the notation that a phrase may mean; of one that says nothing, the phrase."""

    text: str
    is_translated: bool = True
    """False for a code, which no table knows."""
    dropped: str = ""


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
        core = find_core(text, names)
        if core is None or core.is_question:
            return None
        found = self._read(core, is_alone=is_alone)
        return found[0] if len(found) == 1 else None

    def suggest(self, text: str, names: Iterable[str] = ()) -> Sequence[str]:
        """Return up to three moves, in notation, that the writer of an unreadable text may have meant."""
        core = find_core(text, names)
        if core is None or len(core.words) > _LONGEST_SLIP:
            return ()
        if read := self._read(core, is_alone=True):
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
    def _main_verb(self) -> str:
        """The word of the first legal move that takes more than itself; empty if none does."""
        return next((move.partition(" ")[0] for move in self._listed if " " in move), "")

    def _read(self, core: Core, *, is_alone: bool) -> Sequence[str]:
        """The moves that the words can mean: the legal ones, or if none is legal, the others that can be read."""
        legal: dict[str, None] = {}
        begun: dict[str, None] = {}
        others: dict[str, None] = {}
        for language, words in _translations(self.game, core.words):
            may_lack_verb = self._may_lack_verb(core.words, words, is_alone=is_alone)
            dropped_here = read_phrasebook(self.game.package, language).dropped
            for text in self._arrange(words, language, may_lack_verb=may_lack_verb):
                canonical = self._parse(text)
                if canonical is None or not _is_meant(words, canonical, dropped_here):
                    continue
                if self.is_sealed or self._is_legal(canonical):
                    legal[canonical] = None
                elif longer := [move for move in self._listed if _goes_on(canonical, move)]:
                    begun |= dict.fromkeys(longer)
                else:
                    others[canonical] = None
        return tuple(legal or (begun if len(self._listed) < _MOST_MOVES else ()) or others)

    def _arrange(self, words: Sequence[_Word], language: str, *, may_lack_verb: bool) -> Iterator[str]:
        """The texts that the words can make: as they stand, with a German verb from the end in front, or one added."""
        spoken = [word.text for word in words if word.text]
        if not spoken:
            return
        orders = [spoken]
        if spoken[0] not in self._verbs:
            if spoken[-1] in self._verbs and language == "de" and len(spoken) > 1:
                orders.append([spoken[-1], *spoken[:-1]])
            elif may_lack_verb:
                orders.append([self._main_verb, *spoken])
        for order in orders:
            text = " ".join(order)
            yield from dict.fromkeys((_BETWEEN_DIGITS.sub(r"\1", text), _BETWEEN_DIGITS.sub(" ", text)))

    def _may_lack_verb(self, said: Sequence[str], words: Sequence[_Word], *, is_alone: bool) -> bool:
        """True for a number or a code that is all its writer says, and for what is no name and said with an article."""
        spoken = [word for word in words if word.text]
        around = {word.dropped for word in words if not word.text}
        if not spoken or not self._main_verb:
            return False
        if all(word.text.isdecimal() for word in spoken):
            return is_alone and around <= BARE
        if len(said) == 1:
            is_code = len(self._verbs) == 1 and any(map(str.isdigit, spoken[0].text))
            return is_alone and (is_code or self._is_answer(said[0]))
        books = (read_phrasebook(self.game.package, language) for language in LANGUAGES)
        return around <= BARE.union(*(book.dropped for book in books)) and any(map(_is_translated, spoken))

    def _is_answer(self, word: str) -> bool:
        books = (read_phrasebook(self.game.package, language) for language in LANGUAGES)
        return any(plain_word(word) in book.alone for book in books)

    def _parse(self, text: str) -> str | None:
        try:
            if self.is_sealed:
                return write_orders(read_orders(self.game, self.state, self.seat, text, is_sealed=True))
            return self.game.rules.write(self.game.rules.parse(self.state, self.seat, text))
        except (GameError, UnreadableOrder):
            return None

    def _is_legal(self, canonical: str) -> bool:
        rules = self.game.rules
        try:
            rules.apply(self.state, self.seat, rules.parse(self.state, self.seat, canonical), _ANY_CHANCE)
        except GameError:
            return False
        return True


def is_courtesy(text: str, names: Iterable[str] = ()) -> bool:
    """True if the line greets, thanks or closes, and says nothing else.

    >>> is_courtesy("Thanks for the game, Ben!", names=["Ben"]), is_courtesy("Thanks, pass it on")
    (True, False)
    """
    if len(text) > LONGEST:
        return False
    plain = _strip(text)
    known = {fold_word(name) for name in names}
    return all(_is_courtesy(part, known) or _is_name(part, known) for part, _ in _split(plain))


def is_correction(text: str) -> bool:
    """True if the line takes back what was written above it.

    >>> is_correction("No wait, 4."), is_correction("No hurry!")
    (True, False)
    """
    words = f"{fold_words(re.sub('[,.!;:]', ' ', text[:LONGEST]))} "
    return any(words.startswith(f"{phrase} ") for phrase in CORRECTIONS)


@dataclass(frozen=True, slots=True)
class Core:
    """The words of a line without the courtesy around them."""

    words: Sequence[str]
    """As they were typed, with blanks for apostrophes."""
    is_question: bool


def find_core(text: str, names: Iterable[str] = ()) -> Core | None:
    """Return the part of a line that may be a move; None if there is none, or if other things are said beside it."""
    if len(text) > LONGEST:
        return None
    known = {fold_word(name) for name in names}
    parts = _split(_strip(text))
    while parts and (_is_courtesy(parts[0][0], known) or fold_words(parts[0][0]) in LEADS):
        parts.pop(0)
    is_to_somebody = False
    while parts and (_is_courtesy(parts[-1][0], known) or _is_name(parts[-1][0], known)):
        is_to_somebody |= _is_name(parts.pop()[0], known)
    if not parts or (is_to_somebody and fold_words(parts[0][0]).startswith(PLEASE)):  # `Please pass, Ben`
        return None
    if any(end not in ("", ",", ":") for _, end in parts[:-1]):
        return None
    words = [word for part, _ in parts for word in fold(part).replace("'", " ").split()]
    if not words or len(words) > MOST_WORDS:
        return None
    return Core(words, "?" in parts[-1][1])


def _strip(text: str) -> str:
    """The text without smileys, emphasis, quotes and list marks."""
    plain = fold("".join(" " if unicodedata.category(sign) in ("So", "Sk", "Cf") else sign for sign in text))
    plain = _LIST_MARK.sub("", plain.replace("`", "'").replace("´", "'").strip())
    plain = re.sub(r"[\"«»„‚‘]", " ", re.sub(r"([*_])(\S(?:[^*_]*\S)?)\1(?!\w)", r"\2", plain))
    plain = re.sub(r"^'(.*)'$", r"\1", plain)
    plain = _CELL_IN_BRACKETS.sub(r"\1,\2", _NUMBERED.sub("", plain))
    return _EQUALS.sub(" ", _SMILEY.sub(" ", plain)).strip()


def _split(text: str) -> list[tuple[str, str]]:
    """The parts of a line, each with the mark that ends it."""
    pieces = _PARTS.split(text)
    pairs = zip(pieces[::2], [*pieces[1::2], ""], strict=True)
    return [(part, mark.strip()) for part, mark in pairs if part.strip()]


def _is_courtesy(part: str, names: set[str]) -> bool:
    words = fold_words(part.replace("-", " ")).split()
    if not words:
        return True
    greets = words[0] in GREETINGS and len(words) <= 4
    spoken = part.replace("-", " ").replace("'", " ").split()
    return all(
        word in COURTESY or (greets and (word in names or (place and spoken[place][:1].isupper())))
        for place, word in enumerate(words[: len(spoken)])
    )


def _is_name(part: str, names: set[str]) -> bool:
    """True if this part, at the end of a line, names a player, as if to address or to sign."""
    return fold_words(part) in names


def _goes_on(begun: str, move: str) -> bool:
    """True if the move only adds a part that was left out, as `take SR` leaves out `pay 1 2`."""
    rest = move.removeprefix(f"{begun} ")
    return rest != move and rest.split()[0].isalpha() and rest.split()[0].islower()


def _translations(game: Game, words: Sequence[str]) -> Iterator[tuple[str, Sequence[_Word]]]:
    """The ways to write the words in the notation, each with its language."""
    plain = [plain_word(word) for word in words]
    for language in LANGUAGES:
        book = read_phrasebook(game.package, language)
        known = zip(words, plain, strict=True)
        if not all(folded in book.words or _translate_alone(word, folded, book) for word, folded in known):
            continue
        sentence = _Sentence(words, plain, book)
        for way in dict.fromkeys(islice(sentence.translate(), _MOST_READINGS)):
            yield language, way


class _Sentence:
    """Words to be translated by the phrases of one language."""

    def __init__(self, words: Sequence[str], plain: Sequence[str], book: Phrasebook) -> None:
        self.words, self.plain, self.book = words, plain, book
        self.leads_on = [False] * len(words) + [True]
        """By place: whether the words from there to the end can all be translated, so that trying pays."""
        for place in reversed(range(len(words))):
            self.leads_on[place] = any(self.leads_on[end] for end, _ in self._begin(place))

    def translate(self, place: int = 0) -> Iterator[tuple[_Word, ...]]:
        """The ways to say the words from this place on, those with longer phrases first."""
        if place == len(self.words):
            yield ()
        elif self.leads_on[place]:
            for end, said in self._begin(place):
                if self.leads_on[end]:
                    for rest in self.translate(end):
                        yield (*said, *rest)

    def _begin(self, place: int) -> Iterator[tuple[int, tuple[_Word, ...]]]:
        """The phrases that begin here, each with its end and what it means; a code stays as it is."""
        is_phrase = False
        for end in range(min(place + _LONGEST_PHRASE, len(self.words)), place, -1):
            phrase = " ".join(self.plain[place:end])
            for meaning in self.book.meanings.get(phrase, ()):
                is_phrase = True
                if meaning:
                    yield end, tuple(_Word(word) for word in meaning.split())
                else:
                    yield end, (_Word("", dropped=phrase),)
        is_capital_code = is_phrase and self.words[place].isupper() and len(self.words[place]) > 1
        if (is_capital_code or not is_phrase) and (
            said := _translate_alone(self.words[place], self.plain[place], self.book)
        ):
            yield place + 1, said


def _translate_alone(word: str, plain: str, book: Phrasebook) -> tuple[_Word, ...]:
    """The translation of one word that is no phrase: `saphir-rubis`, `bid3`, or a code; empty for any other."""
    glued = _GLUED.fullmatch(plain)
    if glued and any(book.meanings.get(glued[1], ())):
        return (_Word(book.meanings[glued[1]][0]), _Word(glued[2]))
    parts = re.split(r"[-/]", plain)
    if len(parts) > 1 and all(any(book.meanings.get(part, ())) for part in parts):
        return (_Word("-".join(book.meanings[part][0] for part in parts)),)
    is_word = plain in WORDS and not word.isupper()
    return (_Word(lower(word), is_translated=False),) if _CODE.fullmatch(lower(word)) and not is_word else ()


def _is_translated(word: _Word) -> bool:
    return word.is_translated


def _is_meant(words: Sequence[_Word], canonical: str, dropped_here: frozenset[str]) -> bool:
    """True if every word that was read is one that people mean, and none that merely begins like one.

    A move of one word must be said by words that mean nothing else in any game: `ich passe auf` is no `passe`.
    """
    written = lower(canonical).split()
    if sum(bool(word.text) for word in words) == 1 and any(word.dropped in dropped_here for word in words):
        return False
    # Codes may be turned round (`RS` for `SR`), and a letter may stand apart from its number (`r 3`).
    letters = {"".join(sorted(word)) for word in written} | {word.rstrip("0123456789") for word in written}
    return all(
        word.is_translated
        or word.text == "+"
        or any(map(str.isdigit, word.text))
        or "".join(sorted(word.text.strip("()"))) in letters
        for word in words
        if word.text
    )
