"""Finds the sentence of a line that may be a move, beside others that say nothing of one.

*I bid 3. What a cold day!* is a move as if both sentences stood on lines of their own. The others may say what they
like but for what leaves the move in doubt: a question, a past, a denial, somebody else, a number, or a word that is
said of moves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from games.phrases.comments import is_saying, is_wish
from games.phrases.lines import DOUBTFUL_PHRASE, FIRST_PERSON, GREETINGS, is_correction, is_courtesy, puts_off
from games.phrases.phrasebook import NUMBERS, common_words, fold_word, fold_words, plain_word

END = re.compile(
    r"(?<=[^\W\d_]{2}[.!…])\s+(?=[^\W\d_])|(?<=\d[.!…])\s+(?=[^\W\d_])|(?<=[!…])\s+(?=\w)"
    r"|(?<=[.!…]\)|\)[.!…])\s+(?=[^\W\d_])"
    r"|(?<=[^\W\d_]{3}\.)(?<!\b(?:max|min|vol|fig|num|art|abs)\.)\s+(?=\d{1,2}[.!]?\s*$)"
)
_BEGINNINGS = (
    "the a an my in on at to of for from with and der die das den dem ein eine einen mein meine im am zu von für aus "
    "mit und le la les un une mon ma dans sur à de du des pour avec et"
)
CUT = re.compile(rf"(?:{_BEGINNINGS.replace(' ', '|')})(?: [\w'’-]+){{1,3}}", re.IGNORECASE)
"""Matches a few words without an end that may begin a sentence: `passwords. The small`, `like you. In a large`."""
_AND = re.compile(r"\s(?:and|und|et|&)\s+(?=\w)", re.IGNORECASE)
_FIRST_COMMA = re.compile(r"(?<=[^\W\d]), +(?=\S)")
_BEFORE_I = re.compile(r"(?<=[^\W\d]) +(?=(?:i|i['’]\w+|je|ich|\w{3,} ich) |j['’])", re.IGNORECASE)
"""Matches before what somebody says of themselves."""
_THANKS = frozenset(("thanks", "thank", "thx", "ta", "cheers", "merci", "danke", "dank", "lieber", "liebe"))
"""May be counted, or be something else: *3 thanks to you*, *ich passe lieber morgen*."""
_WAITING = common_words("(waiting)")
"""Words that want the move to wait, but for thanks: *hang on a sec*, *noch warten*."""
_JOINING = common_words("(joining)")
"""Words behind which a sentence goes on: *sorry that I bid 3*."""
_UNTIL = re.compile(r"(?:bis|a|see you|till) ")
"""Matches how *bis Sonntag* begins."""
_BLANK = re.compile(r"(?<=\w) (?=\w)")
_STAND_BEFORE = frozenset(map(fold_word, common_words("(article)")))
"""Words that nothing ends with; behind a move they name something of it: *passe le bonjour à Dora*."""
_ALSO = common_words("(and)")
_MARKS = tuple(",;:.!?…")
_PIECE = re.compile(
    r"(?:\d|-|[A-Z*-]{2,}\b|(?:the|a|an|my|le|la|les|l['’]|un|une|mon|ma|mes|der|die|das|den|dem|ein|eine|einen|mein"
    r"|meine|meinen|with|avec|mit)\b)"
)
"""Matches what may name another piece behind *and*."""
_MORE = common_words("(more of it)")
"""Words that may go on with a move."""
_LONGEST_RUN = 30
"""Blanks of a line that is run together."""
_PLEASE_LAST = re.compile(
    r"\w (?:please|pls|plz|bitte|svp|stp|s['’ ]il (?:te|vous) pla[iî]t)$", re.IGNORECASE
)
_LEAST_BEFORE = _LEAST_BEHIND = 3
"""Words of a move without its verb, and of talk, that are run together."""
_ABOUT_ONESELF = (
    r"i['’]?m|i am|i['’]?ve got|i have (?:to|no|a|an|the|my|too|so)|i (?:hope|feel)|it['’]?s|it is|that['’]?s"
    r"|there['’]?s"
    r"|je suis|j['’](?:ai|espère|en ai)|c['’]?est|il (?:fait|pleut|neige)|on est|y a"
    r"|ich (?:bin|hab|habe|hoffe|freu|muss|fühl)|(?:bin|hab|habe|muss|hoffe)(?! ich)|es ist"
)
_BEGINS_ANYWHERE = re.compile(rf"(?:{_ABOUT_ONESELF}) ", re.IGNORECASE)
"""Matches how a sentence begins that tells of its writer or of the weather: *im on the train*."""
_BEGINS = re.compile(
    rf"(?:{_ABOUT_ONESELF}|i (?:love|like|hate|need|want)|j['’](?:adore|aime)|ich (?:liebe|mag|brauche?)) ",
    re.IGNORECASE,
)
"""Matches how one begins that may be said of something in front too: *the 8 I love*."""
_ADDED = re.compile(
    r"(?:and|plus|und|et|sowie) (?:a|an|ein|eine|einen|un|une|some"
    r"|(?!(?:off|back|to|ab|auf|ins|zum|zur|au|aux|à|en|vers)\b)\w{2,6}) \w+"
)
"""Matches something that is added, without a verb; *et au lit* is where one goes."""
_MOST = 4
"""Sentences of a line."""
_LONGEST = 16
"""Words of a sentence that says nothing of a move."""
_ERRANDS, _GOING = (frozenset(map(fold_word, common_words(word))) for word in ("(errand)", "(going)"))
_MILD = common_words("(mild)")
_STOPS = (common_words("(doubt)") | common_words("(no comment)") | common_words("(report)")) - _MILD
PAST = re.compile(r".{2,}[^e]ed|ge.{3,}(?:t|en)|.{2,}é(?:e?s?)")
"""Matches a word that tells of what was done: *wanted*, *gespielt*, *joué*."""


def sentences_with_move(text: str, avoid: Set[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each sentence of a line of which all others, yielded with it, say nothing of a move.

    `avoid`: words said of moves, and names.

    >>> [*sentences_with_move("I bid 3. What a cold day!", frozenset())]
    [('I bid 3.', ['What a cold day!'])]
    >>> [*sentences_with_move("I bid 3. Or should I wait?", frozenset())]
    []
    """
    sentences = END.split(text.strip())
    if "?" in text or not 1 < len(sentences) <= _MOST:
        return
    chatting = [_is_chat(sentence, avoid) for sentence in sentences]
    if sum(chatting) >= len(sentences) - 1 and not CUT.fullmatch(sentences[-1]):
        for place, sentence in enumerate(sentences):
            others = [*sentences[:place], *sentences[place + 1 :]]
            if all(chatting[:place] + chatting[place + 1 :]) and not may_run_errand(sentence, others):
                yield sentence, others


def ways_to_part(
    text: str, names: Iterable[str] = (), is_verb: Callable[[str], bool] = str.isdecimal
) -> Iterator[str]:
    """Yield the text with a mark between the move and what is run together with it, or joined to it.

    A wish in front of a comma, which says nothing of a move, is left out. `names`: who may be asked to move; `is_verb`:
    True for a word that says the verb of a move, as in *Nice play, diamond below*.

    >>> [*ways_to_part("bid 4 and have a nice evening")], [*ways_to_part("the 4 and the 5")]
    (['bid 4, have a nice evening'], [])
    >>> [*ways_to_part("rgbg c5 and off to bed")]
    ['rgbg c5, and off to bed']
    >>> [*ways_to_part("three please sorry for the delay")]
    ['three please, sorry for the delay']
    >>> [*ways_to_part("Hello from the beach, 3")], [*ways_to_part("hi all I bid 3")]
    (['3'], ['hi all. I bid 3'])
    """
    yield from _without_talk_in_front(text, {*map(fold_word, names)}, is_verb)
    joined = [*_AND.finditer(text)][-1:]
    for found in joined:
        before, behind = text[: found.start()].rstrip(" ,"), text[found.end() :]
        if is_wish(_fold(behind)) or (is_courtesy(behind) and _fold(behind)[0] in GREETINGS):
            yield f"{before}, {behind}"
            return
    known = {*map(fold_word, names)}
    places = [*_BLANK.finditer(text)]
    for found in places if len(places) <= _LONGEST_RUN else ():
        before, behind = text[: found.start()], text[found.end() :]
        if before.endswith(_MARKS) or not (_STAND_BEFORE | _ALSO).isdisjoint(_fold(before)[-1:]):
            continue
        is_talk = _STAND_BEFORE.isdisjoint(_fold(behind)[:1]) and (
            (_asked(before) and _goes_on(behind)) or _closes(behind) or _thanks_somebody(behind, known)
        )
        if is_talk or _begins_anew(before, behind, is_verb):
            yield f"{before}, {behind}"
    for found in joined:
        said, added = _fold(text[: found.start()]), _fold(text[found.end() :])
        says_more = _PIECE.match(text, found.end()) is not None or not _MORE.isdisjoint(added)
        is_mere_number = {*said} <= {*NUMBERS, *_STAND_BEFORE, *filter(str.isdecimal, said)}
        if not says_more and not is_mere_number:  # `2 and rising`
            yield f"{text[: found.start()].rstrip(' ,')},{text[found.start() :]}"


def _without_talk_in_front(text: str, names: Set[str], is_verb: Callable[[str], bool]) -> Iterator[str]:
    """Yield what stands behind a wish in front, and the text with a full stop behind a greeting in front."""
    for found in _FIRST_COMMA.finditer(text):
        before, behind = text[: found.start()], text[found.end() :]
        said = _fold(before)
        if len(said) > 1 and names.isdisjoint(said) and is_wish(said) and not any(map(is_verb, said)):
            yield behind
    for found in _BEFORE_I.finditer(text):
        before = text[: found.start()]
        if _greets(_fold(before)) and not any(mark in before for mark in _MARKS):
            yield f"{before}. {text[found.end() :]}"
            return


def _greets(said: Sequence[str]) -> bool:
    return said[-1] not in _JOINING and (
        is_wish(said) or (said[0] in GREETINGS and is_courtesy(" ".join(said)))
    )


def _closes(text: str) -> bool:
    """True for a wish, a saying and a greeting of two words or more with which a line ends."""
    said = _fold(text)
    return is_wish(said) or (
        len(said) > 1
        and (
            is_saying(said)
            or (
                is_courtesy(text)
                and (
                    (said[0] in GREETINGS - _THANKS and _STOPS.isdisjoint(said))
                    or _UNTIL.match(" ".join(said)) is not None
                )
            )
        )
    )


def _thanks_somebody(text: str, known: Set[str]) -> bool:
    """True for thanks to players by their names: *thanks Dora*, *merci Ben*."""
    thanks, *others = _fold(text) or [""]
    return thanks in _THANKS and bool(others) and {*others} <= known


def _goes_on(text: str) -> bool:
    """True for talk of two words or more that puts nothing off."""
    said = _fold(text)
    waits = said[:1] and said[0] not in _THANKS | {"sorry"} and not _WAITING.isdisjoint(said)
    return len(said) > 1 and not waits and _STOPS.isdisjoint(said) and _is_chat(text, frozenset())


def _begins_anew(before: str, behind: str, is_verb: Callable[[str], bool]) -> bool:
    """True for three words or more that begin a sentence, behind words that are one: *the 8 I love* is none."""
    said = _fold(before)
    is_sentence = is_verb(said[0]) or not FIRST_PERSON.isdisjoint(said)
    says_enough = is_sentence or (len(said) >= _LEAST_BEFORE and said[0] not in _STAND_BEFORE)
    begun = (_BEGINS if is_sentence else _BEGINS_ANYWHERE).match(behind)
    return (
        says_enough
        and begun is not None
        and len(_fold(behind)) >= _LEAST_BEHIND
        and not is_correction(behind)
        and _leaves_no_doubt(_fold(behind[begun.end() :]))
    )


def _leaves_no_doubt(said: Sequence[str]) -> bool:
    """True for what somebody tells of themselves that is no doubt of a move, nor another: *tired of this*."""
    return (
        DOUBTFUL_PHRASE.search(" ".join(said)) is None
        and _WAITING.isdisjoint(said)
        and not any(word not in _ERRANDS and _is_doubtful(word, frozenset()) for word in said)
    )


def _asked(text: str) -> bool:
    """True for a text that ends with a please, and says more."""
    return _PLEASE_LAST.search(text) is not None


def adds_something(text: str) -> bool:
    """True for what nobody can have here: *Sure, 9. And a pony.*

    >>> adds_something("And a pony."), adds_something("and my coffee is cold")
    (True, False)
    """
    return _ADDED.fullmatch(" ".join(_fold(text))) is not None


def may_run_errand(said: str, others: Iterable[str]) -> bool:
    """True for what sounds like a pass and may be going out: *I'm out*, beside *walking the dog*."""
    return not _GOING.isdisjoint(_fold(said)) and any(not _ERRANDS.isdisjoint(_fold(each)) for each in others)


def _fold(text: str) -> Sequence[str]:
    return fold_words(re.sub(r"\W+", " ", text)).split()


def without_address(text: str, names: Iterable[str]) -> str:
    """The text without a name behind three words or more that are a sentence of their own.

    >>> without_address("Nice game so far, Ben! I bid 3.", ["Ben"])
    'Nice game so far! I bid 3.'
    """
    somebody = "|".join(map(re.escape, names))
    if not somebody:
        return text
    return re.sub(
        rf"^((?:[\w'’-]+ ){{2,}}[\w'’-]+),? (?:{somebody})(?=[.!…] )", r"\1", text, flags=re.IGNORECASE
    )


def _is_chat(sentence: str, avoid: Set[str]) -> bool:
    """True for a sentence that leaves no move beside it in doubt."""
    said = ", ".join(part for part in sentence.split(",") if not is_courtesy(part))  # `…, à demain`
    words = [*filter(None, (plain_word(word) for word in re.split(r"[^\w-]+", said)))]
    if is_correction(sentence) or adds_something(sentence) or puts_off(_fold(sentence)):
        return False
    if is_courtesy(sentence) or is_wish(words):
        return True
    return (
        1 < len(words) <= _LONGEST
        and not any(_is_doubtful(word, avoid) for word in words)
        and DOUBTFUL_PHRASE.search(fold_words(" ".join(words))) is None
    )


def _is_doubtful(word: str, avoid: Set[str]) -> bool:
    plain = fold_word(word)
    return (
        plain in _STOPS
        or plain in avoid
        or any(map(str.isdigit, word))
        or (plain not in _MILD and PAST.fullmatch(word) is not None)
    )
