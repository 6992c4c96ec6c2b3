"""Cuts off a line what takes nothing from its move: how it closes, what is not chosen, who else gets the thing.

*Bid 3. Love, Grandma* is read as *Bid 3*, *the ruby rather than the emerald* and *not the emerald but the ruby* as *the
ruby*, and *I pass, Eve gets it for 5* as *I pass*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set
from functools import partial

from games.phrases.lines import ARTICLES, DOUBTS, GREETINGS, is_correction
from games.phrases.phrasebook import NUMBERS, common_words, fold_word, fold_words
from games.phrases.sentences import END
from games.phrases.somebody import SOMEBODY, any_of, hide_names

_CLOSINGS = tuple(f"{fold_words(phrase)} " for phrase in common_words("(closing)"))
_CLOSING_WORDS = (
    frozenset(word for phrase in _CLOSINGS for word in phrase.split() if len(word) > 3)
    | common_words("(thanks)")
    | GREETINGS
)
_SIGNED = re.compile(r"[,.!…]+ +(?P<name>[^\W\d_a-zäöüéèêç][^\W\d_]+)[.!]?$")
_CLAUSE = re.compile(r"[,.;:!?…]")
_LONGEST_CLOSING = 10
"""Words behind which a closing may tell a story."""
_CONTRAST = re.compile(
    rf"(?<=\w)(?:,? (?:{'|'.join(map(re.escape, sorted(common_words('(rather than)'), key=len, reverse=True)))})"
    r"|, (?:not|nicht|pas))\b['’ ]+([^,.;:!?()]+)",
    re.IGNORECASE,
)
"""Matches what is not chosen. Without a comma *nicht* is said of what stands before it: *passe nicht, biete 3*."""
_COMPARED = re.compile(r"(?<=\w) (?:than|als|que|qu)\b['’ ]+([^,.;:!?()]+)", re.IGNORECASE)
"""Matches what is not chosen where something is preferred: *lieber die 4 als die 3*."""
_PREFERRING = frozenset(map(fold_word, common_words("(preferring)")))
_PREFERS = re.compile(rf"^(?:{any_of(common_words('(preferring)'))}) ", re.IGNORECASE)
_BUT = "but|sondern|mais|plutôt|plutot"
_FIRST_CONTRAST = re.compile(
    rf"^(?:not|nicht|non pas|pas)\s++([^\s,.;:!?()]++(?:\s++(?!(?:{_BUT})\b)[^\s,.;:!?()]++){{0,5}})"
    rf"(?:,?\s++(?:{_BUT})\s++(?:rather\s++)?|,\s++)",
    re.IGNORECASE,
)
"""Matches what is not chosen in front of what is: *not the 5 but the 6*."""
_DENIED_VERB = re.compile(
    r"\b(?:(?:do not|don['’]?t|won['’]?t|will not|rather not)\s++(?P<verb>\w++)"
    r"|nicht|not|n(?:e |['’])(?P<french>\w++) pas|pas)"
    rf"\s++(?P<denied>[^\s,.;:!?()]++(?:\s++(?!(?:{_BUT})\b)[^\s,.;:!?()]++){{0,5}})"
    rf"(?:,?\s++(?:{_BUT})\s++(?:rather\s++)?(?=\w)|,\s++(?:rather\s++)?(?=(?P=verb)\s))",
    re.IGNORECASE,
)
"""Matches what is not chosen behind its verb: *I don't bid 4 but 5*, *biete nicht 4 sondern 5*."""
_LIKED = re.compile(
    r"^(?:(?:well|hm+|ok|na ja|bon|alors),? )?(?:i(?: really| do)? (?:love|like|adore|prefer|wanted|fancied)"
    r"|i(?:['’]d| would) (?:love|like|prefer)|ich (?:mag|liebe|wollte)(?: ja| zwar)?|j['’](?:aime|adore)(?: bien)?"
    r"|je voulais|je préfère)\s++"
    r"(?P<liked>[^\s,.;:!?()]++(?:\s++(?!but\b|aber\b|mais\b)[^\s,.;:!?()]++){0,5}),?\s++(?:but|aber|mais)\s++"
    r"(?=(?:i|i['’]\w+|ich|je)\s|j['’]|\w{3,} ich\b)",
    re.IGNORECASE,
)
"""Matches what somebody likes, before what they do: *I love rubies but I'll go for topaz*."""
_TO_THE_GAME = re.compile(r"(?<=[.!…)]) +(?P<lead>[^\W\d][\w'’ -]{2,30}?) ?: +(?=\S)")
"""Matches the beginning of a sentence that turns from talk to the match: *See you. Game: 4*."""
_MATCH_LEADS = frozenset(map(fold_words, common_words("(lead)")))
_CONDITIONS = frozenset(map(fold_word, common_words("(condition)")))
_CONCLUDING = re.compile(
    r"(?<=\w),?(?: (?:so|also|donc|du coup|therefore|hence|deshalb|darum|drum))? "
    r"(?=(?:i|i['’]\w+|je) |j['’]|\w{3,} ich\b)",
    re.IGNORECASE,
)
"""Matches before what one does: *… so I bid 3*, *… biete ich 3*."""
_HAS = frozenset(map(fold_word, common_words("(has)")))
_HOLDING = _HAS | frozenset(map(fold_word, common_words("(holding)")))
"""Words that say what somebody has, beside numbers."""
_LONGEST_CONTRAST = 6
"""Words of what is not chosen."""
_LONGEST_WIN = 10
"""Words of who gets the thing."""
_LONGEST_THING = 4
"""Words of the thing that goes to somebody."""
_ALL = frozenset(map(fold_words, common_words("(all of them)")))
_BETWEEN = re.compile(
    "ones?|on|in|at|to|into|onto|a|en|sur|dans|auf|an|zu|aufs|ans|mon|ma|mein|meine|meinen|meiner|der|die|das|den|dem"
)
"""Matches what stands before the name of a place or piece."""
_WORD = re.compile(r"[\w,*+-]+")
_FRENCH_TOPPING = re.compile("bats|battre|depasse|surpasse|coiffe|surclasse")
_GERMAN_TOPPING = re.compile("stech|stich|uberbiet|ueberbiet|schlag|ubertrumpf|uebertrumpf|topp")
_TOPPING = re.compile(
    r"top|topping|beat|beating|outbid|outdo|better|cap|trump|raise|counter"
    r"|bats|battre|dépasse|depasse|surpasse|coiffe|surclasse"
    r"|steche?|überbiete?|ueberbiete?|schlage?|übertrumpfe?|toppe"
)
"""Matches a verb behind which stands what somebody else has bid."""
_PRICE = re.compile(
    rf"(?:(?<=^)|(?<=[,;:.!?…] ))(\d+|{'|'.join(sorted(number for number in NUMBERS if number.isalpha()))})"
    r"(?:\s*[!?…]+(?:\s+|$)|(?=(?:['’]s| is| are| ist| sind| est| c['’]est)\b))",
    re.IGNORECASE,
)
"""Matches a number that something is said of, or that somebody is astonished at: *15 is crazy*, *15?! No, I pass*."""


def _match_rivals() -> re.Pattern[str]:
    """Matches the bid of somebody else behind a verb that tops it, or behind *against*."""
    number = rf"(?:\d{{1,2}}|{'|'.join(sorted(number for number in NUMBERS if number.isalpha()))})\b"
    theirs = (
        rf"(?:(?:the |die |den |das |der )?(?:{SOMEBODY}(?:['’]?s|['’])?|her|his|their|your|deine?n?|seine?n?|ihre?n?)"
        rf" (?:bid of |offer of |gebot von )?{number}"
        rf"|(?:le|les|la|die|the) {number} (?:d['’]|de |von |of ){SOMEBODY}|(?:son|sa|ton|ta|votre|leur) {number})"
    )
    return re.compile(
        rf"\b(?P<verb>(?:{_TOPPING.pattern})(?: ich)?) {theirs}"
        rf"|\b(?P<over>(?:(?<=['’]ll )(?:beat|outbid|overbid)|top|trump|cap|bats|dépasse|surpasse|coiffe"
        rf"|steche?|überbiete?|ueberbiete?|schlage?|übertrumpfe?|toppe)(?: ich)?) {SOMEBODY}(?= (?:with|mit|avec)\b)"
        rf"|\bje (?:te|vous|le|la) (?P<you>bats|dépasse|surpasse|coiffe)(?= avec\b)"
        rf"|,? (?P<against>(?:against|over|to counter|gegen|contre) {theirs})",
        re.IGNORECASE,
    )


def _match_winners() -> re.Pattern[str]:
    """Matches a clause that says who gets it: *Eve has it for 5*, *the ruby goes to Ben*, *dann soll Ben ihn haben*."""
    who = f"{SOMEBODY}|{any_of(common_words('(winner)'))}"
    gets = any_of(common_words("(wins)"))
    goes = any_of(common_words("(goes to)"))
    thing = rf"(?:[^\W\d][\w'’-]* ){{1,{_LONGEST_THING}}}?"
    told = (
        rf"(?:(?:que |qu['’])?(?:{who})(?:['’]s)? (?:{gets})\b"
        rf"|{thing}(?:{goes}) (?:{who})\b|{thing}(?:{gets}) (?:{who})(?=\s*(?:[,;.!…]|$)))"
    )
    lets = any_of([*common_words("(lets)"), *common_words("(wins)")])
    then = rf"(?:(?:so|then|dann|damit|also) )?(?:{told}|(?:{lets}) (?:(?:der|die|das) )?(?:{who})\b)"
    return re.compile(
        rf"(?:^(?={told})|(?:[,;:.!…]|\s[-–—]{{1,2}}|\s(?:and|et|und))\s+(?={then}))"
        r"(?P<what>[^,;:.!?…]++)",
        re.IGNORECASE,
    )


_RIVALS, _WINNERS = _match_rivals(), _match_winners()


def shorter_ways(
    text: str, says_a_part: Callable[[str], bool], says_a_verb: Callable[[str], bool] = bool
) -> Iterator[str]:
    """Yield the line without its closing, and without what is not chosen; `says_a_part`: of a move, by a folded word;
    `says_a_verb`: of one.

    >>> [*shorter_ways("Bid 3. Love, Grandma", str.isdecimal)]
    ['Bid 3.']
    >>> [*shorter_ways("the 3 rather than the 4", str.isdecimal)]
    ['the 3']
    >>> [*shorter_ways("the 3 rather than wait", str.isdecimal)]
    []
    >>> [*shorter_ways("lieber die 4 als die 3", str.isdecimal)]
    ['die 4']
    """
    open_end = _without_closing(_without_signature(text, says_a_part, says_a_verb))
    if open_end != text:
        yield open_end
    first = partial(_without_first_contrast, says_a_verb=says_a_verb)
    for cut in (_without_contrast, first, _without_denied, _without_liked):
        chosen = cut(open_end, says_a_part)
        if chosen != open_end:
            yield chosen


def behind_talk(text: str) -> str:
    """The text from the words on that turn to the match; unchanged where none do, or what is before sets a condition.

    >>> behind_talk("Hi Ben, saw your mail, works for me. Game: 4."), behind_talk("If Ben passes. Game: 4.")
    ('4.', 'If Ben passes. Game: 4.')
    """
    for found in _TO_THE_GAME.finditer(text):
        before = text[: found.start()]
        if fold_words(found["lead"]) in _MATCH_LEADS and "?" not in text:
            said = fold_words(re.sub(r"\W+", " ", before)).split()
            sentences = END.split(before.strip())
            is_talk = _CONDITIONS.isdisjoint(said) and not any(map(is_correction, sentences))
            return text[found.end() :] if is_talk else text
    return text


def without_winner(text: str, names: Iterable[str]) -> str:
    """The text of a pass without who gets the thing instead; unchanged if it says nothing of the kind.

    >>> without_winner("I pass, Eve gets it for 5.", ["Eve"]), without_winner("I pass if Eve gets it", ["Eve"])
    ('I pass.', 'I pass if Eve gets it')
    """
    if "?" in text:
        return text
    hidden, show = hide_names(text, names)
    for found in _WINNERS.finditer(hidden):
        before, what, behind = map(
            show, (hidden[: found.start()].rstrip(), found["what"], hidden[found.end() :])
        )
        said = fold_words(re.sub(r"[^\w-]+", " ", what)).split()
        is_doubtful = not DOUBTS.isdisjoint(said) or is_correction(what)
        is_quoting = not before and behind.startswith(":")  # `Ben has it: pass`
        if len(said) <= _LONGEST_WIN and not is_doubtful and not is_quoting:
            return f"{before}{behind}" if before else behind.lstrip(" ,;.!-")
    return text


def without_rival(text: str, names: Iterable[str]) -> str:
    """The text with *it* for the bid of somebody else that is topped; unchanged where none is.

    >>> without_rival("I'll top Cy's 15 with 7 and 9", ["Cy"]), without_rival("3 und 5 gegen Cys 6", ["Cy"])
    ("I'll top it with 7 and 9", '3 und 5')
    >>> without_rival("je bats le 13 de Cy avec 6 et 9", ["Cy"]), without_rival("I'll match Cy's 15", ["Cy"])
    ('je bats ça avec 6 et 9', "I'll match Cy's 15")
    """
    if "?" in text:
        return text
    hidden, show = hide_names(text, names)
    return show(_RIVALS.sub(_name_it, hidden, count=1))


def _name_it(found: re.Match[str]) -> str:
    if found["against"]:
        return ""
    if found["you"]:
        return f"je {found['you']} ça"
    verb = found["verb"] or found["over"]
    is_french = _FRENCH_TOPPING.match(fold_word(verb)) is not None
    is_german = not is_french and _GERMAN_TOPPING.match(fold_word(verb)) is not None
    return f"{verb} {'ça' if is_french else 'das' if is_german else 'it'}"


def behind_holding(text: str, names: Iterable[str]) -> str:
    """The text from the conclusion on that is drawn of what a player has; unchanged where none is.

    >>> behind_holding("Dora has only the 10 left, so I bid 10 and 2", ["Dora"])
    'I bid 10 and 2'
    >>> behind_holding("da Ben nur noch 5 hat biete ich 6", ["Ben"]), behind_holding("Ben said 10 so I bid", ["Ben"])
    ('biete ich 6', 'Ben said 10 so I bid')
    """
    if "?" in text:
        return text
    hidden, show = hide_names(text, names)
    begun = fold_words(hidden).split()[:1]
    for found in _CONCLUDING.finditer(hidden) if _HAS.isdisjoint(begun) else ():
        before = hidden[: found.start()]
        said = fold_words(re.sub(r"\W+", " ", re.sub(SOMEBODY, " ", before))).split()
        tells_what_is_held = not _HAS.isdisjoint(said) and all(map(_may_be_held, said))
        if tells_what_is_held and len(re.findall(SOMEBODY, before)) == 1:
            return show(hidden[found.end() :])
    return text


def _may_be_held(word: str) -> bool:
    return word in _HOLDING or word in NUMBERS or word.isdecimal()


def without_price(text: str, numbers: Set[str]) -> str:
    """The text of a pass without the bid that is too high; unchanged if it may be one of the `numbers` of legal moves.

    >>> without_price("15 is crazy, I pass", {"16"}), without_price("15?! No, I pass", {"16"})
    ('is crazy, I pass', 'No, I pass')
    """
    cut = _PRICE.sub(
        lambda found: found[0] if NUMBERS.get(fold_word(found[1]), found[1]) in numbers else "", text
    )
    return text if cut == text else cut.strip()


def _without_signature(
    text: str, says_a_part: Callable[[str], bool], says_a_verb: Callable[[str], bool]
) -> str:
    """The text without the name behind thanks or a closing: *…, many thanks, Doris*."""
    found = _SIGNED.search(text)
    if found is None:
        return text
    name, before = fold_word(found["name"]), text[: found.start()]
    last = fold_words(re.sub(r"\W+", " ", _CLAUSE.split(before)[-1])).split()
    is_name = not (says_a_part(name) or says_a_verb(name) or _counts(name) or name in DOUBTS)
    return before if is_name and not _CLOSING_WORDS.isdisjoint(last) else text


def _without_closing(text: str) -> str:
    sentences = END.split(text.strip())
    while len(sentences) > 1 and _is_closing(sentences[-1]):
        sentences.pop()
    return " ".join(sentences)


def _is_closing(sentence: str) -> bool:
    """True for a sentence that begins as letters end, with whoever signs or where they are."""
    said = fold_words(re.sub(r"[^\w-]+", " ", sentence)).split()
    return (
        f"{' '.join(said)} ".startswith(_CLOSINGS)
        and len(said) <= _LONGEST_CLOSING
        and "?" not in sentence
        and not is_correction(sentence)
        and not any(word in DOUBTS or _counts(word) for word in said)
    )


def _without_contrast(text: str, says_a_part: Callable[[str], bool]) -> str:
    is_preferred = not _PREFERRING.isdisjoint(fold_words(text).split())
    found = [*_CONTRAST.finditer(text)] or [*(_COMPARED.finditer(text) if is_preferred else ())]
    if len(found) != 1 or "?" in text:
        return text
    words = [*map(fold_word, _WORD.findall(found[0][1]))]
    named = [word for word in words if word not in ARTICLES and not _BETWEEN.fullmatch(word)]
    before = fold_words(text[: found[0].start()]).split()
    is_chosen = (
        0 < len(words) <= _LONGEST_CONTRAST
        and named
        and all(_counts(word) or says_a_part(word) for word in named)
        and (_ALL | DOUBTS).isdisjoint({*before} - _PREFERRING)
    )
    shorter = f"{text[: found[0].start()]}{text[found[0].end() :]}" if is_chosen else text
    return _PREFERS.sub("", shorter) if is_chosen and is_preferred else shorter


def _without_first_contrast(
    text: str, says_a_part: Callable[[str], bool], says_a_verb: Callable[[str], bool]
) -> str:
    found = _FIRST_CONTRAST.match(text)
    if found is None or "?" in text:
        return text
    words, others = fold_words(found[1]).split(), fold_words(text[found.end() :]).split()
    named = [word for word in words if word not in ARTICLES and not _BETWEEN.fullmatch(word)]
    is_chosen = (
        0 < len(words) <= _LONGEST_CONTRAST
        and named
        and all(_counts(word) or says_a_part(word) for word in named)
        # `not 5, 6` may be neither, `not gogo, discard bobo` is not.
        and (len(named) < len(words) or not found[0].rstrip().endswith(",") or any(map(says_a_verb, others)))
        and DOUBTS.isdisjoint(others)
    )
    return _PREFERS.sub("", text[found.end() :]) if is_chosen else text


def _without_liked(text: str, says_a_part: Callable[[str], bool]) -> str:
    """The text without what somebody likes and does not choose: *I love rubies but I'll go for topaz*."""
    found = _LIKED.match(text)
    if found is None or "?" in text:
        return text
    words = fold_words(found["liked"]).split()
    named = [word for word in words if word not in ARTICLES and not _BETWEEN.fullmatch(word)]
    is_piece = 0 < len(words) <= _LONGEST_CONTRAST and named and all(map(says_a_part, named))
    return text[found.end() :] if is_piece else text


def _without_denied(text: str, says_a_part: Callable[[str], bool]) -> str:
    found = _DENIED_VERB.search(text)
    if found is None or "?" in text or text[: found.start()].rstrip()[-1:] in (",", ".", ";", ":"):
        return text
    words, behind = fold_words(found["denied"]).split(), text[found.end() :]
    named = [word for word in words if word not in ARTICLES and not _BETWEEN.fullmatch(word)]
    others = fold_words(f"{text[: found.start()]} {behind}").split()
    is_cut = named and all(_counts(word) or says_a_part(word) for word in named) and DOUBTS.isdisjoint(others)
    verb = found["verb"] or found["french"] or ""
    said = behind if fold_words(behind).startswith(f"{fold_word(verb)} ") else f"{verb} {behind}"
    return " ".join(f"{text[: found.start()]}{said}".split()) if is_cut else text


def _counts(word: str) -> bool:
    return any(map(str.isdigit, word)) or NUMBERS.get(word, "1") != "1"
