"""Says whether words without a verb may be a move: *the citrine, please* and *three*, but not *Ruby*, who signs so."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from games.phrases.moves import PlayableMoves
from games.phrases.phrasebook import (
    ASIDE,
    LANGUAGES,
    Phrasebook,
    common_words,
    fold_word,
    plain_word,
    read_phrasebook,
)
from games.phrases.words import ADVERBS, FILLERS, LEAVING, POLITE, Word
from games.reading import lower

_LEAST_CODE = 4
"""Letters of a code that is the whole answer."""
_PLEASE = POLITE | {"s il vous plaît", "s il te plaît", "s il vous plait", "s il te plait"}
_CARD = frozenset(("card", "karte", "carte"))
_ASSENT = frozenset(("ok", "okay", "yes", "oui", "ja"))
"""May stand before a number; before a name, as in `ok Ruby`, they answer somebody."""
_BARE = common_words("(bare)") | common_words(ASIDE)
_GIVEN_NAMES = common_words("(given name)")
CHOICES = common_words("(choice)")
PAYMENT = common_words("(payment)")


def may_lack_verb(
    moves: PlayableMoves, said: Sequence[str], words: Sequence[Word], *, is_alone: bool
) -> bool:
    """True for a number or a code that is all its writer says, and for what is no name and said with an article.

    `said`: the words as they were typed; `words`: what they mean.
    """
    spoken = [word for word in words if word.text]
    around = {word.dropped for word in words if not word.text}
    if not spoken or not moves.main_verb:
        return False
    books = _books(moves.game.package)
    if all(word.text.isdecimal() or word.text == "+" for word in spoken):
        return (
            is_alone
            and not ADVERBS.intersection(map(plain_word, said))
            and around <= (_BARE | _ASSENT | CHOICES).union(*(book.bare for book in books))
        )
    if not around.isdisjoint(CHOICES):
        return True
    if any(plain_word(word) in ADVERBS for word in said):
        return False
    asked = [word for word in said if plain_word(word) not in POLITE | FILLERS]
    if len(asked) == 1 and len(asked[0]) > 1 and _is_code_of_one_move(moves, spoken[0].text):
        return is_alone
    if len(said) == 1:
        if moves.has_several_verbs(spoken[0].text):
            return False
        is_pair = "-" in spoken[0].text and spoken[0].is_translated  # `Topas-Saphir` is nobody's name
        return is_alone and (is_pair or any(plain_word(said[0]) in book.alone for book in books))
    if _is_exchange(moves, spoken, around):
        return is_alone
    if not around <= _BARE.union(*(book.dropped | book.bare for book in books)):
        return False
    is_left = not around.isdisjoint(LEAVING)  # `from R3`
    is_only_move = (
        len(spoken) == 1 and not is_left and _is_code_of_one_move(moves, spoken[0].text)
    )  # `the rroo`
    is_coded = is_only_move or _is_no_initials(said, spoken, around)
    return any(word.is_translated for word in spoken) or (is_alone and is_coded)


def may_be_name(word: str) -> bool:
    """True for the name of a gem or colour that people bear too, written as a name: *Ruby*, *Violet*."""
    return word[:1].isupper() and fold_word(word) in _GIVEN_NAMES


def _is_code_of_one_move(moves: PlayableMoves, code: str) -> bool:
    """True for a code alone, such as a cell, or a card that can only be laid in one way, which leaves one verb."""
    is_card = len(code) >= _LEAST_CODE and sum(code in lower(move).split() for move in moves.listed) == 1
    return len(moves.verbs) == 1 and (is_card or any(map(str.isdigit, code)))


def _is_no_initials(said: Sequence[str], spoken: Sequence[Word], around: set[str]) -> bool:
    """True for a code of two letters with a number, a please or `card`; alone it might be somebody's initials."""
    is_code = any(len(word) > 1 and word.isupper() for word in said)
    has_number = len(spoken) > 1 and any(any(map(str.isdigit, word.text)) for word in spoken)
    is_named = not around.isdisjoint(_PLEASE) or any(not _CARD.isdisjoint(each.split()) for each in around)
    return has_number or (is_code and is_named)


def _is_exchange(moves: PlayableMoves, spoken: Sequence[Word], around: set[str]) -> bool:
    """True for two codes or more, of which one pays for the other: `RR for ET`."""
    return moves.is_paid and len(spoken) > 1 and any(not PAYMENT.isdisjoint(each.split()) for each in around)


@lru_cache(maxsize=20)
def _books(package: str) -> Sequence[Phrasebook]:
    return [read_phrasebook(package, language) for language in LANGUAGES]
