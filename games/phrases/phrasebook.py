"""The words that people use for the moves of a game, by language: `Phrasebook`.

They stand in files `phrases/LANGUAGE.txt`, of each game and of all games together, so that people who speak the
language can add to them. A line `pass: passe; je passe` says which phrases mean a word of the notation; indented
lines go on with the one above. A phrase may lie around its object: `lege … ab` is found in `lege rrgg ab`. Phrases with
an apostrophe are also known without it, those with `I'm`, `I'll` or `don't` in full, `lege ich` as `leg ich`, `grün` as
`gruen`. A family of phrases is written with its choices in brackets: `[put|place] [|the] tower on` are four (see
`families`).
Words in round brackets are no notation:

* `(nothing)`: phrases that say nothing of a move; `(bare)`: those of them that may stand around one without its verb;
* `(choice)`: phrases that say nothing but that what stands with them is chosen (`I'll go with`), for want of a verb;
* `(aside)`: phrases that say nothing wherever they stand: beside a verb, without one, and in descriptions;
* `(adverb)`: words that say nothing beside a verb, and may be astonished beside a number alone (`wirklich 3`);
* `(filler)`: words that may stand inside a phrase and say nothing there (`ich fang mal mit 1 an`);
* `(counted)`: what stands behind a number that counts it (`6 cards`), and may not be a number of the notation;
* `(payment)`: what stands between coins and what they pay for (`3 for the diamond`);
* `(reason)`: how a reason behind a move begins; `(doubt)`: words in it that make the move doubtful, and so does an
  `(errand)`, which beside a move leaves in doubt only one that may be `(going)` out (`I'm out. Walking the dog`);
* `(alone)`: whole answers, if nothing else is written; `(word)`: words that are a code only in capitals;
  `(no slip)`: words of the dictionary that are a letter away from one of ours (`car`, `were`, `blieben`);
* `(lead)`: what announces a move, as a part of a line on its own; `(correction)`: what takes back a move above it,
  where a line or a part of it begins so; `(withdrawal)`: where it stands anywhere; `(interruption)`: as a whole part,
  and so does an `(oops)` unless all beside it is courtesy;
* `(more)`: how a sentence begins that goes on with the move of the sentence before it;
* `(courtesy)`: words of greetings, thanks and small talk; `(greeting)`: those of them with which a name may stand, or
  a `(group)`;
* `(comment)`: what may stand beside a move, and `(refusal)` beside one that declines; `(no comment)`: words in neither;
  `(wish)`: how a part begins that wishes, praises, excuses or muses, whatever pieces and people it names;
* `(firm)`: words of these lists that leave a move in no doubt which is said with its verb, beside a remark; `(never
  first)`: what no remark begins with; `(goes on)`: what none may hold, for it may add to the move (`the ruby too`);
  `(would)`: what it may say of others only; `(musing)`: how one on what a move would do begins; `(points)`: what it
  may count; `(hence)`: how a move begins that concludes;
* `(marker)`: words of one language alone, that show a remark to be in it; `(then)`: what goes on behind *then* in
  one that tells of no other move; `(no noun)`: words that no number counts: it may be one of a move (`4 would do`);
* `(other)`: whole answers that say something else (`I'm out today`), though each of their words is known;
* `(question)`: how a part of a line begins that asks, with or without its mark; `(question first)`: how a line does;
  `(question behind)`: such a part as a whole, at the end;
* `(asks after)`: how a question begins that asks after its reader (`how was your holiday?`), and not of a move;
* `(why not)`: what asks if anything stands behind it, and `(asks leave)`: questions as a whole, at the end of a part or
  on the line below; `(introduction)`: what stands before a colon if what follows is told of, doubted or denied (`Ben
  said:`), and `(open introduction)` without one (`what if`);
* `(clock)`: what stands before the hour, with words of a `(day)` beside it or of `(plays)` before it (`I play at 8`);
* `(closing)`: how a sentence begins that closes a letter; `(rather than)`: what stands before what is not chosen;
* `(that is)`: what stands between numbers and their sum, and `(in all)` behind it (`3 and 4, that's 7 in all`);
* `(lying)`: what stands around the sum that lies there already (`on top of my two`); `(may lie)`: before what may;
* `(leaving)`: what stands before a place that is left for another one (`from R4 to E4`);
* `(except)`: what leaves something out, `(all of them)` the words that make `bis auf` do so;
* `(for)`: what stands before the thing that is up for auction, `(determiner)` between; `(wanted)`: that it is wanted;
* `(winner)`: who else may get the thing that is up, `(wins)` how it is said, `(lets)` behind which it is said the other
  way round (`soll Ben ihn haben`), `(goes to)` what stands between the thing and whoever gets it;
* `(stays)`: how is said of a piece behind *and* that it is not moved too;
* `(opening)`: names of the first bid, which before a colon may tell of somebody's; `(piece pays)`: verbs before which
  stands what pays, with a `(size)`, and `(pieces pay)` behind *my*; `(kept)`: how a line begins that keeps a piece;
* `(consequence)`: how the clause behind a condition without *if* begins (`biete ich 4, bin ich pleite`);
* `(idiom)`: remarks as a whole that leave nothing in doubt, though their words may (`take it or leave it`);
* `(given name)`: names of gems and colours that people bear too, who sign with them (`Ruby`);
* `(it)`: what stands for the only piece that a verb can mean (`activate it`);
* `(new)`: what is said of a place that is still to be made;
* `(article)`: words behind which no sentence begins (`on to the I'm going with …` has lost its middle).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from itertools import product

from games.phrases.families import Family, by_first_word

LANGUAGES = ("en", "fr", "de")
GEMS = frozenset(
    [
        "amber",
        "amethyst",
        "citrine",
        "diamond",
        "emerald",
        "jade",
        "lapis",
        "lily",
        "pearl",
        "ruby",
        "sapphire",
        "topaz",
    ]
)
_LONG_NAME = 5
"""Letters of a name that is no other word in another language."""
GAP = "…"
"""Stands in a phrase for the object that it lies around."""
LEAST, ALL, BOTH, FREE, TOTAL, TOGETHER = "<least>", "<all>", "<both>", "<free>", "<total>", "<together>"
"""Stand among the words of the notation: for the lowest bid there is, for all that can pay, for the only two numbers
there are, for no payment, for the sum of the numbers around, and for what may say it or not."""
WITH = "(with)"
"""Begins a line of what a game shares with others: `(with): auctions`."""
_NOTHING, _CHOICE, ASIDE = "(nothing)", "(choice)", "(aside)"
_CHOICES = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
"""Brackets around one option alone are meant as they are written: `[like]` in mails of Outlook."""
_IN_FULL = {
    "i m": "i am",
    "i ll": "i will",
    "don t": "do not",
    "won t": "will not",
    "it s": "it is",
    "that s": "that is",
    "let s": "let us",
}
_BEFORE_T = ("didn", "doesn", "isn", "aren", "wasn", "weren", "couldn", "wouldn", "shouldn", "hasn", "haven")
"""Stand before `'t`; lists name them alone: `wasn` for *wasn't*, and so for *wasnt*."""
_ELIDED = {
    "en": re.compile(
        rf"\b(?:(i) (?=(?:m|ll|d|ve)\b)|(don|won|can|{'|'.join(_BEFORE_T)}) (?=t\b)"
        r"|(it|that|here|let) (?=s\b)|(you) (?=(?:ll|re)\b))"
    ),
    "fr": re.compile(r"\b([jlmsdnc]|qu) (?=[^\W\d])"),
    "de": re.compile(r"\b(\w{2,}) (?=s\b)"),
}
_FIRST_PERSON_E = re.compile(r"\b(\w{3,})e (?=ich\b)|\b(ich \w{3,})e\b")
"""Matches a German verb with the ending that people leave out: `überlasse ich`, `ich nehme`."""
_NE = re.compile(r"\b(?:(j)e n (?=\w)|(je|tu|il|elle|on|nous|vous|ça|cela) n[e ] ?(?=\w))")
"""Matches what many leave out who speak French: `j'investis rien`."""
_DENIED = re.compile(r" (?:pas|rien|aucune?|jamais)\b")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
"""How people type them who have no such keys: `gruen`."""
_FULL_PHRASE = re.compile(rf"\b(?:{'|'.join(_IN_FULL)})\b")

Meanings = tuple[str, ...]
"""The words of the notation that a phrase may mean; an empty one means nothing."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A phrase that lies around its object: `lege … ab`; the first part may be empty."""

    before: tuple[str, ...]
    behind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """The phrases of one language for the words of a game's notation, as `plain_word` writes them and folded.

    >>> book = read_phrasebook("games.gem", "fr")
    >>> book.meanings["je passe"], book.meanings["pass"], book.meanings["cinq"], book.meanings["la"]
    (('pass',), ('pass',), ('5',), ('',))
    """

    meanings: Mapping[str, Meanings]
    dropped: frozenset[str]
    """The phrases that say nothing in this game, though they may in another."""
    words: frozenset[str]
    """Every word that stands in a phrase."""
    alone: frozenset[str]
    """The words that are a whole answer if nothing else is written, such as `small`."""
    bare: frozenset[str]
    """The phrases of this game that say nothing and may stand around a move without its verb."""
    gaps: Mapping[str, Sequence[Gap]]
    """The phrases that lie around their object, by their last word."""
    families: Mapping[str, Sequence[Family]]
    """The families of phrases, by each word with which they can begin."""
    passed: frozenset[str]
    """The words that say nothing and may stand inside a phrase of a family."""

    def read_family(self, words: Sequence[str], place: int) -> Iterator[tuple[int, str]]:
        """The ends of the phrases of families that begin at this place, each with what it means."""
        for family in self.families.get(words[place], ()):
            for end in family.ends(words, place, self.passed):
                yield end, family.meaning


@lru_cache(maxsize=200)
def read_phrasebook(package: str, language: str) -> Phrasebook:
    """Read the phrases of a game's package in a language; words of the notation count in every language."""
    folder = resources.files(package)
    own, around = dict(_read(folder, language)), common_phrases(language)
    notation = {word: (word,) for word, _ in _read(folder, "en") if word[0] != "("}
    general = _by_phrase(
        {word: phrases for word, phrases in around.items() if word[0] != "("} | _nothing(around)
    )
    said = {word: phrases for word, phrases in own.items() if word[0] != "("} | _nothing(own)
    meanings = {**general, **notation}
    asides = frozenset(around.get(ASIDE, ()))
    for phrase, meant in _by_phrase(said).items():
        # *on top* says nothing of a bid, but where a gem goes.
        before = () if phrase in asides and any(meant) else meanings.get(phrase, ())
        meanings[phrase] = tuple(dict.fromkeys((*before, *meant)))
    families = [*_read_families(folder, language)]
    return Phrasebook(
        meanings,
        dropped=frozenset(
            phrase for phrase in _by_phrase(_nothing(own)) if "" not in general.get(phrase, ())
        ),
        words=frozenset(word for phrase in meanings for word in phrase.split()).union(
            *(family.words for family in families)
        ),
        alone=frozenset(own.get("(alone)", ())),
        bare=frozenset(own.get("(bare)", ())),
        gaps=_gaps(meanings),
        families=by_first_word(families),
        passed=frozenset(word for word, meant in meanings.items() if meant == ("",) and " " not in word),
    )


def _gaps(phrases: Iterable[str]) -> dict[str, list[Gap]]:
    found: dict[str, list[Gap]] = {}
    for phrase in phrases:
        before, gap, behind = (part.split() for part in phrase.partition(GAP))
        if gap:
            found.setdefault(behind[-1], []).append(Gap(tuple(before), tuple(behind)))
    return found


def common_phrases(language: str) -> Mapping[str, tuple[str, ...]]:
    """The phrases that all games share, folded, by the word of the notation or in brackets that they stand under."""
    return read_phrases("games", language)


def common_words(word: str) -> frozenset[str]:
    """The phrases that all games share in any language, folded, under a word in brackets."""
    return frozenset(phrase for language in LANGUAGES for phrase in common_phrases(language).get(word, ()))


@lru_cache(maxsize=20)
def read_phrases(package: str, language: str) -> Mapping[str, tuple[str, ...]]:
    """The phrases of a package that is no game, folded, by the word that they stand under."""
    return dict(_read(resources.files(package), language))


def _nothing(phrases: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {
        _NOTHING: tuple(phrase for word in (_NOTHING, _CHOICE, ASIDE) for phrase in phrases.get(word, ()))
    }


def _by_phrase(phrases: Mapping[str, tuple[str, ...]]) -> dict[str, Meanings]:
    found: dict[str, Meanings] = {}
    for word, listed in phrases.items():
        meaning = "" if word == _NOTHING else word
        for phrase in listed:
            found[phrase] = (*found.get(phrase, ()), meaning)
    return found


def _read(folder: Traversable, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines of `phrases/LANGUAGE.txt`, with those phrases of the families that are spelt out."""
    lines = dict(read_file(folder, language, language))
    for word, names in read_foreign_gems(folder, "{}", language):
        lines[word] = (*lines.get(word, ()), *names)
    for word, phrases in _read_family_lines(folder, language):
        spelt_out = [way for phrase in phrases if not _is_family(word, phrase) for way in _spell_out(phrase)]
        lines[word] = (*lines.get(word, ()), *_in_every_way(spelt_out, language))
    yield from lines.items()


def _read_families(folder: Traversable, language: str) -> Iterator[Family]:
    """The families of `phrases/families.LANGUAGE.txt` that are not spelt out."""
    for word, phrases in _read_family_lines(folder, language):
        for phrase in phrases:
            if _is_family(word, phrase):
                slots = [
                    part.split("|") for part in re.split(r"[\[\]]", phrase) if part.strip() or "|" in part
                ]
                yield Family(word, [_options(slot, language) for slot in slots])


def _read_family_lines(folder: Traversable, language: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The lines of `phrases/families.LANGUAGE.txt`, and those shared with other games, named behind `(with)`."""
    for word, phrases in _read_lines(folder, f"families.{language}"):
        if word != WITH:
            yield word, phrases
        for name in phrases if word == WITH else ():
            yield from _read_lines(resources.files("games"), f"families.{name.strip()}.{language}")


def _is_family(word: str, phrase: str) -> bool:
    """True for a phrase with choices that means a word of the notation and has no gap."""
    return word[0] != "(" and "[" in phrase and GAP not in phrase


def _options(slot: Sequence[str], language: str) -> frozenset[tuple[str, ...]]:
    """The words of each option of a slot."""
    options = {tuple(way.split()) for way in _in_every_way(slot, language)}
    return frozenset(options | ({()} if "" in slot else set()))


def read_foreign_gems(folder: Traversable, name: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names of gems in the other languages, which who writes a second one mixes in: *put the rubin above*."""
    for other in LANGUAGES:
        for word, phrases in _read_lines(folder, name.format(other)) if other != language else ():
            gem = plain_word(phrases[0])
            if word in GEMS and len(gem) >= _LONG_NAME:
                yield word, tuple({gem, fold_words(gem)})


def read_file(folder: Traversable, name: str, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines of `phrases/NAME.txt`, each first word with its phrases, folded too; none if the file is missing."""
    for word, phrases in _read_lines(folder, name):
        yield word, _in_every_way([way for phrase in phrases for way in _spell_out(phrase)], language)


def _read_lines(folder: Traversable, name: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The lines of a file, each first word with its phrases as they are written."""
    file = folder / "phrases" / f"{name}.txt"
    if file.is_file():
        for line in file.read_text(encoding="utf-8").replace("\n    ", " ").splitlines():
            word, _, phrases = line.partition(": ")
            yield word, phrases.split(";")


def _in_every_way(phrases: Sequence[str], language: str) -> tuple[str, ...]:
    """The phrases as they are compared, and as other people write them."""
    listed = [" ".join(plain_word(phrase).split()) for phrase in phrases]
    listed += [way for phrase in listed for way in _other_ways(phrase, language)]
    listed += [phrase.replace("côté", "coté") for phrase in listed if "côté" in phrase]  # as many type
    listed += [phrase.replace("à coté", "a coté") for phrase in listed if "à coté" in phrase]
    if language == "de":
        listed += [phrase.translate(_UMLAUTS) for phrase in listed]
    # What has no other letters than ASCII is folded already.
    folded = (fold_words(phrase) for phrase in listed if not phrase.isascii())
    return tuple(dict.fromkeys(filter(None, [*listed, *folded])))


def _spell_out(phrase: str) -> Iterator[str]:
    """The phrases of a family: `[put|place] it on` are two."""
    fixed = _CHOICES.split(phrase)  # every second part holds choices
    if len(fixed) == 1:
        yield phrase
        return
    slots = [part.split("|") if place % 2 else [part] for place, part in enumerate(fixed)]
    for parts in product(*slots):
        yield "".join(parts).strip().removesuffix(f" {GAP}")  # `lege … [|ab]` may stand before its object


def _other_ways(phrase: str, language: str) -> Iterator[str]:
    """A phrase as people write it who leave out apostrophes, or who write its words in full."""
    if language in _ELIDED:
        yield _ELIDED[language].sub(lambda found: found[0].rstrip(), phrase)
    if language == "de":
        yield re.sub(r"\bdrauf\b", "rauf", phrase)
        yield _FIRST_PERSON_E.sub(lambda found: found[1] + " " if found[1] else found[2], phrase)
    if language == "fr":
        yield _NE.sub(lambda found: f"{found[1] or found[2]} ", phrase) if _DENIED.search(phrase) else phrase
        yield re.sub("^et ", "pis ", phrase)  # as many say in Canada
    if language == "en":
        yield _FULL_PHRASE.sub(lambda found: _IN_FULL[found[0]], phrase)
        yield f"{phrase}t" if phrase in _BEFORE_T else phrase


def plain_word(word: str) -> str:
    """The word as phrases are compared: lower case, a blank for an apostrophe.

    Accents count where they are written, for `joué` is not `joue`; words without any are compared with folded ones.

    >>> plain_word("J’enchéris"), plain_word("R-B-"), plain_word("week-end")
    ('j enchéris', 'r-b-', 'week-end')
    """
    plain = word.lower()
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain).replace("’", "'")
    return plain.replace("'", " ").strip()


@lru_cache(maxsize=20_000)
def fold_word(word: str) -> str:
    """The word without accents too, as many people type.

    >>> fold_word("J’enchéris"), fold_word("groß")
    ('j encheris', 'gross')
    """
    plain = plain_word(word)
    if plain.isascii():
        return plain
    plain = unicodedata.normalize("NFD", plain.replace("ß", "ss"))
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


def fold_words(text: str) -> str:
    """Fold a text of several words (`fold_word`), with single blanks between them."""
    return " ".join(fold_word(text).split())


NUMBERS: Mapping[str, str] = {
    phrase: number
    for language in LANGUAGES
    for number, phrases in common_phrases(language).items()
    for phrase in phrases
    if number.isdecimal()
}
"""The words for numbers in all languages, folded, each with its digits."""
