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
_MOST_READINGS = 48
_MOST_MOVES = 400
"""Legal moves that are looked at, to learn how a move can begin, and which one was nearly written."""
MOST_SUGGESTED = 3

_PARTS = re.compile(r"\s*([.!?…;]+(?=\s|$)|,(?!\s*-?\d)|(?<=\D),|:(?=\s|$)|\s-{1,2}(?=\s)|[()])\s*")
_LIST_MARK = re.compile(r"^(?:[-*•→–·>]+\s+)+")
_SMILEY = re.compile(r"(?:^|(?<=[\s.!,]))(?:[:;=8xX][-o^']?[)(DPp\]/|]+|<3|\^\^)(?=$|[\s.,!])")
_EQUALS = re.compile(r"(?<=[a-z]):(?=[\w-])|(?<=[a-z])\s*=\s*(?=\w)", re.IGNORECASE)
_GLUED = re.compile(r"([^\W\d_]{2,})(\d{1,3})")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s*([,+])\s*(?=-?\d)")
_CELL_IN_BRACKETS = re.compile(r"\((-?\d+)\s*,\s*(-?\d+)\)")
_NUMBERED = re.compile(r"^\d{1,2}\)\s+(?=[^\W\d])")
COURTESY, GREETINGS, LEADS, CORRECTIONS = (
    frozenset(phrase for language in LANGUAGES for phrase in common_phrases(language)[word])
    for word in ("(courtesy)", "(greeting)", "(lead)", "(correction)")
)
_ANY_CHANCE = Chance("0" * 64, "phrasing")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the notation that a phrase may mean, and where it came from."""

    text: str
    is_translated: bool = True
    """False for a word that no table knows: a code, or nothing at all."""
    is_dropped_here: bool = False
    """True if only this game lets the phrase mean nothing."""


def find_move(
    game: Game,
    state: Any,
    seat: Seat,
    text: str,
    *,
    names: Iterable[str] = (),
    is_sealed: bool = False,
    is_alone: bool = True,
) -> str | None:
    """Return, in notation, the one move that the text can mean; None if there is none, or more than one.

    `names`: those of the players, who may be addressed. `is_sealed`: it is an order for the open contest.
    `is_alone`: the text is all that its writer wrote; only then a number alone is a move. A move that is not legal is
    found only if no legal one can be meant.

    >>> from games.match import Match
    >>> match = Match.new("gem", seats=3, seed="example")
    >>> find_move(match.game, match.state, match.state.turn, "Hi Ben, I bid three. Good luck!", names=["Ben"])
    'bid 3'
    >>> find_move(match.game, match.state, match.state.turn, "Should I bid 3?")
    """
    core = find_core(text, names)
    if core is None or core.is_question:
        return None
    found = _read_core(game, state, seat, core, is_sealed=is_sealed, is_alone=is_alone)
    return found[0] if len(found) == 1 else None


def suggest_moves(
    game: Game, state: Any, seat: Seat, text: str, *, names: Iterable[str] = (), is_sealed: bool = False
) -> Sequence[str]:
    """Return up to three moves, in notation, that the writer of an unreadable text may have meant."""
    core = find_core(text, names)
    if core is None or len(core.words) > 8:
        return ()
    read = _read_core(game, state, seat, core, is_sealed=is_sealed, is_alone=True)
    if read:
        return read[:MOST_SUGGESTED]
    listed = list(_list_legal(game, state, seat, is_sealed=is_sealed))
    written = " ".join(core.words)
    longer = [move for move in listed if lower(move).startswith(f"{written} ")]
    if longer:
        return longer[:MOST_SUGGESTED]
    return get_close_matches(written, listed, MOST_SUGGESTED, 0.75)


def is_courtesy(text: str, names: Iterable[str] = ()) -> bool:
    """True if the line greets, thanks or closes, and says nothing else.

    >>> is_courtesy("Thanks for the game, Ben!", names=["Ben"]), is_courtesy("Thanks, pass it on")
    (True, False)
    """
    plain = _strip(text)
    known = {fold_word(name) for name in names}
    return all(_is_courtesy(part, known) for part, _ in _split(plain))


def is_correction(text: str) -> bool:
    """True if the line takes back what was written above it.

    >>> is_correction("No wait, 4."), is_correction("No hurry!")
    (True, False)
    """
    words = f"{fold_words(re.sub('[,.!;:]', ' ', text[:LONGEST]))} "
    return any(words.startswith(f"{phrase} ") for phrase in CORRECTIONS)


@dataclass(frozen=True, slots=True)
class Core:
    """The words of a line without the courtesy around them, folded."""

    words: Sequence[str]
    is_question: bool


def find_core(text: str, names: Iterable[str] = ()) -> Core | None:
    """Return the part of a line that may be a move; None if there is none, or if other things are said beside it."""
    if len(text) > LONGEST:
        return None
    known = {fold_word(name) for name in names}
    parts = _split(_strip(text))
    while parts and (_is_courtesy(parts[0][0], known) or fold_words(parts[0][0]) in LEADS):
        parts.pop(0)
    while parts and (_is_courtesy(parts[-1][0], known) or _is_name(parts[-1][0], known)):
        parts.pop()
    if not parts or any(end not in ("", ",", ":") for _, end in parts[:-1]):
        return None
    words = [word for part, _ in parts for word in lower(fold(part)).replace("'", " ").split()]
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


def _read_core(
    game: Game, state: Any, seat: Seat, core: Core, *, is_sealed: bool, is_alone: bool
) -> Sequence[str]:
    """The moves that the words can mean: the legal ones, or if none is legal, the others that can be read."""
    listed = list(_list_legal(game, state, seat, is_sealed=is_sealed))
    first_words = {move.partition(" ")[0] for move in listed}
    legal: dict[str, None] = {}
    begun: dict[str, None] = {}
    others: dict[str, None] = {}
    for language, words in _translations(game, core.words):
        may_lack_verb = _may_lack_verb(game, core.words, words, first_words, is_alone=is_alone)
        for text in _arrangements(words, first_words, language, may_lack_verb=may_lack_verb):
            canonical = _read(game, state, seat, text, is_sealed=is_sealed)
            if canonical is None or not _is_meant(words, canonical):
                continue
            if is_sealed or _is_legal(game, state, seat, canonical):
                legal[canonical] = None
            elif longer := [move for move in listed if _goes_on(canonical, move)]:
                begun |= dict.fromkeys(longer)
            else:
                others[canonical] = None
    return tuple(legal or (begun if len(listed) < _MOST_MOVES else ()) or others)


def _goes_on(begun: str, move: str) -> bool:
    """True if the move only adds a part that was left out, as `take SR` leaves out `pay 1 2`."""
    rest = move.removeprefix(f"{begun} ")
    return rest != move and rest.split()[0].isalpha() and rest.split()[0].islower()


def _translations(game: Game, words: Sequence[str]) -> Iterator[tuple[str, Sequence[_Word]]]:
    """The ways to write the words in the notation, each with its language."""
    for language in LANGUAGES:
        book = read_phrasebook(game.package, language)
        ways = islice(_translate(words, [plain_word(word) for word in words], book), _MOST_READINGS)
        for way in dict.fromkeys(ways):
            yield language, way


def _translate(words: Sequence[str], plain: Sequence[str], book: Phrasebook) -> Iterator[tuple[_Word, ...]]:
    """The ways to say the words by phrases, those with longer phrases first; a word that is none stays as it is."""
    if not words:
        yield ()
        return
    is_phrase = False
    for length in range(min(_LONGEST_PHRASE, len(words)), 0, -1):
        phrase = " ".join(plain[:length])
        for meaning in book.meanings.get(phrase, ()):
            is_phrase = True
            said = [_Word(word) for word in meaning.split()]
            if not said and phrase in book.dropped:
                said = [_Word("", is_dropped_here=True)]
            for rest in _translate(words[length:], plain[length:], book):
                yield (*said, *rest)
    if not is_phrase:
        for rest in _translate(words[1:], plain[1:], book):
            yield (*_translate_alone(words[0], plain[0], book), *rest)


def _translate_alone(word: str, plain: str, book: Phrasebook) -> tuple[_Word, ...]:
    """The translation of one word that is no phrase: `saphir-rubis`, `bid3`, or a code, which stays as it is."""
    glued = _GLUED.fullmatch(plain)
    if glued and any(book.meanings.get(glued[1], ())):
        return (_Word(book.meanings[glued[1]][0]), _Word(glued[2]))
    parts = re.split(r"[-/]", plain)
    if len(parts) > 1 and all(any(book.meanings.get(part, ())) for part in parts):
        return (_Word("-".join(book.meanings[part][0] for part in parts)),)
    return (_Word(word, is_translated=False),)


def _arrangements(
    words: Sequence[_Word], first_words: set[str], language: str, *, may_lack_verb: bool
) -> Iterator[str]:
    """The texts that the words can make: as they stand, with a German verb from the end in front, or with one added."""
    spoken = [word.text for word in words if word.text]
    if not spoken:
        return
    orders = [spoken]
    if spoken[0] not in first_words:
        if spoken[-1] in first_words and language == "de" and len(spoken) > 1:
            orders.append([spoken[-1], *spoken[:-1]])
        elif may_lack_verb:
            orders += [[verb, *spoken] for verb in sorted(first_words)]
    for order in orders:
        yield from _with_commas(" ".join(order))


def _with_commas(text: str) -> Iterable[str]:
    """The text with the commas and plus signs between its numbers, and with blanks instead."""
    return dict.fromkeys((_BETWEEN_DIGITS.sub(r"\1", text), _BETWEEN_DIGITS.sub(" ", text)))


def _may_lack_verb(
    game: Game, said: Sequence[str], words: Sequence[_Word], first_words: set[str], *, is_alone: bool
) -> bool:
    """True for two words or more, and for one that is all its writer says and neither a name nor initials."""
    spoken = [word for word in words if word.text]
    if len(said) == 1 and spoken:
        is_code = len(first_words) == 1 and any(map(str.isdigit, spoken[0].text))
        is_number = spoken[0].text.isdecimal()
        return is_alone and (is_number or is_code or _is_answer(game, said))
    if all(word.text.isdecimal() for word in spoken):
        return is_alone
    return any(word.is_translated for word in spoken)


def _is_answer(game: Game, said: Sequence[str]) -> bool:
    text = " ".join(map(plain_word, said))
    return any(text in read_phrasebook(game.package, language).alone for language in LANGUAGES)


def _read(game: Game, state: Any, seat: Seat, text: str, *, is_sealed: bool) -> str | None:
    try:
        if is_sealed:
            return write_orders(read_orders(game, state, seat, text, is_sealed=True))
        return game.rules.write(game.rules.parse(state, seat, text))
    except (GameError, UnreadableOrder):
        return None


def _is_meant(words: Sequence[_Word], canonical: str) -> bool:
    """True if every word that was read is one that people mean, and none that merely begins like one.

    A move of one word must be said by words that mean nothing else in any game: `ich passe auf` is no `passe`.
    """
    written = lower(canonical).split()
    if len(written) == 1 and any(word.is_dropped_here for word in words):
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


def _is_legal(game: Game, state: Any, seat: Seat, canonical: str) -> bool:
    try:
        game.rules.apply(state, seat, game.rules.parse(state, seat, canonical), _ANY_CHANCE)
    except GameError:
        return False
    return True


def _list_legal(game: Game, state: Any, seat: Seat, *, is_sealed: bool) -> Iterator[str]:
    """The first legal moves of the seat, in notation; of an order, those of the contest as the seat will meet it."""
    if is_sealed and game.sealed_pace:
        state = game.sealed_pace.at_turn(state, seat)
    if state is not None:
        moves = islice(game.rules.legal_moves(state, seat), _MOST_MOVES)
        yield from map(game.rules.write, moves)
