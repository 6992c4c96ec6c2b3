"""Reads a move as a person says it: `Hi Ben, I bid three. Good luck!` is `bid 3`.

The notation stays the only language of records and programs; what is found here is written in it. A text is read
only if every word of it is known: a word of the notation, one that the game's phrases translate into it, or one that
says nothing of a move. So a sentence with anything else in it (a condition, a question, a past) is no move.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import islice, pairwise, takewhile
from typing import Any

from games.chance import Chance
from games.contract import Game, GameError, Seat
from games.orders import UnreadableOrder, read_orders, write_orders
from games.phrase_words import POLITE, Word, mend_slip, translations
from games.phrasebook import (
    ALL,
    LANGUAGES,
    LEAST,
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
_MOST_MOVES = 400
"""Legal moves that are looked at, to learn how a move can begin, and which one was nearly written."""
MOST_SUGGESTED = 3
_LONGEST_SLIP = 6
"""Words of a line with a slip that is looked for among the legal moves."""

_PARTS = re.compile(r"((?<![.!?…;])[.!?…;]+(?=\s|$)|,(?! ?-?\d)|(?<=\D),|:(?=\s|$)|\s-{1,2}(?=\s)|[()])")
_LIST_MARK = re.compile(r"^(?:[-*•→–·>]+\s+)+")
_SMILEY = re.compile(r"(?:^|(?<=[\s.!,]))(?:[:;=8xX][-o^']?[)(DPp\]/|]+|<3|\^\^)(?=$|[\s.,!])")
_EQUALS = re.compile(r"(?<=[a-z]):(?=[\w-])|(?<=[a-z])\s*=\s*(?=\w)", re.IGNORECASE)
_BETWEEN_DIGITS = re.compile(r"(?<=\d)\s*([,+])\s*(?=-?\d)")
_QUOTED = re.compile(r"«|[“„][^”“]*[”“]|\"[^\"]*\"")
_CELL_IN_BRACKETS = re.compile(r"\((-?\d+)\s*,\s*(-?\d+)\)")
_SAID_TWICE = re.compile(r"\b(\w{1,12}) ?\((\w{1,12})\)")
_ASSENT = frozenset(("ok", "okay", "yes", "oui", "ja"))
"""May stand before a number; before a name, as in `ok Ruby`, they answer somebody."""
_CELL = re.compile(r"[a-g][1-9]|-?\d+,-?\d+")
_SIDES = frozenset(("north", "east", "south", "west"))
_NUMBERED = re.compile(r"^\d{1,2}\)\s+(?=[^\W\d])")
COURTESY, GREETINGS, LEADS, CORRECTIONS, BARE, MORE = (
    frozenset(phrase for language in LANGUAGES for phrase in common_phrases(language).get(word, ()))
    for word in ("(courtesy)", "(greeting)", "(lead)", "(correction)", "(bare)", "(more)")
)
_NUMBERS = {
    phrase: number
    for language in LANGUAGES
    for number, phrases in common_phrases(language).items()
    for phrase in phrases
    if number.isdecimal()
}
PLEASE = ("please", "pls", "bitte", "s il te plait", "s il vous plait", "svp", "stp")
_ANY_CHANCE = Chance("0" * 64, "phrasing")


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
        found = self._read(core, is_alone=is_alone) or self._read_mended(core)
        return found[0] if len(found) == 1 else None

    def complete(self, text: str) -> str | None:
        """Return the one legal move that a text in notation can mean which leaves a part out, as `take SR` may."""
        canonical = None if self.is_sealed else self._parse(text)
        if canonical is None or self._is_legal(canonical):
            return None
        longer = self._longer(canonical)
        return longer[0] if len(longer) == 1 else None

    def _read_mended(self, core: Core) -> Sequence[str]:
        """The moves of a line whose verb has a slip: what else is written must make a move with that verb alone."""
        if len(core.words) < 2:
            return ()
        for words in mend_slip(self.game, core.words, self._verbs, is_sure=True):
            return [move for move in self._read(replace(core, words=words), is_alone=False) if " " in move]
        return ()

    def suggest(self, text: str, names: Iterable[str] = ()) -> Sequence[str]:
        """Return up to three moves, in notation, that the writer of an unreadable text may have meant."""
        core = find_core(text, names)
        if core is None or len(core.words) > _LONGEST_SLIP:
            return ()
        if read := self._read(core, is_alone=True):
            return read[:MOST_SUGGESTED]
        said = {word for move in self._listed for word in move.split() if word.isalpha()}
        for words in mend_slip(self.game, core.words, said, is_sure=False):
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
    def _clause_words(self) -> frozenset[str]:
        """The verbs, and `pay`, with which another clause of a move begins."""
        return self._verbs | {"pay"}

    @cached_property
    def _amounts(self) -> dict[str, str]:
        """The numbers that `one more`, where somebody has bid, and `everything` mean here."""
        bids = [move for move in self._listed if move.rpartition(" ")[2].isdecimal() and move.count(" ") == 1]
        paid = {word for move in self._listed for word in move.partition(" pay ")[2].split()}
        has_leader = bool(bids) and "pass" in self._verbs
        return {
            LEAST: bids[0].rpartition(" ")[2] if has_leader else LEAST,
            ALL: " ".join(sorted(paid)) or ALL,
        }

    @cached_property
    def _main_verb(self) -> str:
        """The word of the first legal move that takes more than itself; empty if none does."""
        return next((move.partition(" ")[0] for move in self._listed if " " in move), "")

    def _read(self, core: Core, *, is_alone: bool) -> Sequence[str]:
        """The moves that the words can mean: the legal ones, or if none is legal, the others that can be read."""
        legal: dict[str, None] = {}
        begun: dict[str, None] = {}
        others: dict[str, None] = {}
        for language, words in translations(self.game, core.words):
            may_lack_verb = core.is_announced or self._may_lack_verb(core.words, words, is_alone=is_alone)
            dropped_here = read_phrasebook(self.game.package, language).dropped
            for text in self._arrange(words, language, may_lack_verb=may_lack_verb):
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
        return tuple(legal or begun or others)

    def _fitting(self, text: str) -> Sequence[str]:
        """The legal moves with every word of a text that leaves out what only one can be, such as the cell."""
        said = [word[0] if word in _SIDES else word for word in lower(text).split()]
        if len(said) < 2 or len(self._listed) >= _MOST_MOVES:
            return ()
        return [move for move in self._listed if _is_within(said, lower(move).split())]

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
                orders.append(_with_verbs_in_front(spoken, self._clause_words))
            elif may_lack_verb:
                orders.append([self._main_verb, *spoken])
        orders += [_with_sides_behind(order) for order in orders]
        if any(" pay " in move for move in self._listed):
            orders += [_with_payment_behind(order, self._main_verb) for order in orders]
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
            return is_alone and around <= BARE.union(_ASSENT, *(book.bare for book in books))
        if len(said) == 1:
            is_code = len(self._verbs) == 1 and any(map(str.isdigit, spoken[0].text))
            return is_alone and (is_code or self._is_answer(said[0]))
        if not around <= BARE.union(*(book.dropped | book.bare for book in books)):
            return False
        if any(map(_is_translated, spoken)):
            return True
        # A code of two letters or a number may stand with a please; alone it might be somebody's initials.
        is_code = any(len(word) > 1 and word.isupper() for word in said)
        return is_code and is_alone and not around.isdisjoint(POLITE)

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
    is_announced: bool = False
    """Words such as `My move:` stand before them."""


def find_core(text: str, names: Iterable[str] = ()) -> Core | None:
    """Return the part of a line that may be a move; None if there is none, or if other things are said beside it."""
    return _find_core(text, frozenset(map(fold_word, names))) if len(text) <= LONGEST else None


@lru_cache(maxsize=1000)
def _find_core(text: str, known: frozenset[str]) -> Core | None:
    if len(_QUOTED.findall(text)) > 1:  # about words, not with them: `« un » et « le »`
        return None
    parts = _split(_strip(text))
    is_announced = False
    while parts and ((leads := fold_words(parts[0][0]) in LEADS) or _is_courtesy(parts[0][0], known)):
        is_announced |= leads and parts[0][1] == ":"
        parts.pop(0)
    is_to_somebody, polite = False, []
    while parts and (_is_courtesy(parts[-1][0], known) or _is_name(parts[-1][0], known)):
        part = parts.pop()[0]
        is_to_somebody |= _is_name(part, known)
        if part.strip().lower() in POLITE:
            polite = [part.strip()]
    if not parts or (is_to_somebody and fold_words(parts[0][0]).startswith(PLEASE)):  # `Please pass, Ben`
        return None
    if any(
        end not in ("", ",", ":") and not (end == "." and _goes_on_with(after))
        for (_, end), (after, _) in pairwise(parts)
    ):
        return None
    words = [word for part, _ in parts for word in fold(part).replace("'", " ").split()] + polite
    if not words or len(words) > MOST_WORDS:
        return None
    return Core(words, "?" in parts[-1][1], is_announced)


def _goes_on_with(part: str) -> bool:
    """True if this sentence says more of the move in the one before it: `Pay 1 and 2.`"""
    words = f"{fold_words(part)} "
    return any(words.startswith(f"{phrase} ") for phrase in MORE)


def _strip(text: str) -> str:
    """The text without smileys, emphasis, quotes and list marks."""
    plain = fold("".join(" " if unicodedata.category(sign) in ("So", "Sk", "Cf") else sign for sign in text))
    plain = _LIST_MARK.sub("", plain.replace("`", "'").replace("´", "'").strip())
    plain = re.sub(r"[\"«»„‚‘]", " ", re.sub(r"(\*\*?|__?)([^\s*_](?:[^*_]*[^\s*_])?)\1(?!\w)", r"\2", plain))
    plain = re.sub(r"^'(.*)'$", r"\1", plain)
    plain = _SAID_TWICE.sub(_say_once, plain)
    plain = _CELL_IN_BRACKETS.sub(r"\1,\2", _NUMBERED.sub("", plain))
    return _EQUALS.sub(" ", _SMILEY.sub(" ", plain)).strip()


def _say_once(said: re.Match[str]) -> str:
    """`five (5)` and `5 (five)` as one number."""
    one, other = (_NUMBERS.get(fold_word(word), word) for word in said.groups())
    return one if one == other and one.isdecimal() else said[0]


def _split(text: str) -> list[tuple[str, str]]:
    """The parts of a line, each with the mark that ends it."""
    pieces = _PARTS.split(text)
    pairs = zip(pieces[::2], [*pieces[1::2], ""], strict=True)
    return [(part, mark.strip()) for part, mark in pairs if part.strip()]


def _is_courtesy(part: str, names: Set[str]) -> bool:
    words = fold_words(part.replace("-", " ")).split()
    if not words:
        return True
    greets = words[0] in GREETINGS and len(words) <= 4
    spoken = part.replace("-", " ").replace("'", " ").split()
    return all(
        word in COURTESY or (greets and (word in names or (place and spoken[place][:1].isupper())))
        for place, word in enumerate(words[: len(spoken)])
    )


def _is_name(part: str, names: Set[str]) -> bool:
    """True if this part, at the end of a line, names a player, as if to address or to sign."""
    return fold_words(part) in names


def _goes_on(begun: str, move: str) -> bool:
    """True if the move only adds a part that was left out, as `take SR` leaves out `pay 1 2`."""
    rest = move.removeprefix(f"{begun} ")
    return rest != move and rest.split()[0].isalpha() and rest.split()[0].islower()


def _is_within(said: Sequence[str], written: Sequence[str]) -> bool:
    """True if a move is written with these words in this order, the first two of them first, others in between."""
    words = iter(written[1:])
    return said[:2] == written[:2] and all(word in words for word in said[1:])


def _with_verbs_in_front(spoken: Sequence[str], verbs: frozenset[str]) -> list[str]:
    """German puts the verb behind: `sr take 3 pay` becomes `take sr pay 3`."""
    clauses: list[list[str]] = [[]]
    for word in spoken:
        if word in verbs:
            clauses[-1].insert(0, word)
            clauses.append([])
        else:
            clauses[-1].append(word)
    return [word for clause in clauses for word in clause]


def _with_sides_behind(spoken: Sequence[str]) -> list[str]:
    """`gem rg north 0,-1`, said as *on the north side of 0,-1*, becomes `gem rg 0,-1 north`."""
    words = [*spoken]
    for place, (one, other) in enumerate(pairwise(spoken)):
        if one in _SIDES and _CELL.fullmatch(other):
            words[place : place + 2] = other, one
    return words


def _with_payment_behind(spoken: Sequence[str], verb: str) -> list[str]:
    """`pay 2 pay sr`, said as *pay 2 for SR*, becomes `take sr pay 2`; `invest 2 sr` becomes `invest sr pay 2`."""
    coins = list(takewhile(str.isdecimal, spoken[1:]))
    rest = list(spoken[1 + len(coins) :])
    if spoken[0] == "pay" and rest[:1] == ["pay"]:
        rest = rest[1:]
    elif spoken[0] != verb or "pay" in rest:
        return list(spoken)
    return [verb, *rest, "pay", *coins] if coins and rest else list(spoken)


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
    letters = {"".join(sorted(word)) for word in written} | {word.rstrip("0123456789") for word in written}
    return all(
        word.is_translated
        or word.text == "+"
        or any(map(str.isdigit, word.text))
        or "".join(sorted(word.text.strip("()"))) in letters
        for word in words
        if word.text
    )
