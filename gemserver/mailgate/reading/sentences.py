"""Recognises a typed line that continues the sentence above it, where a writer or a program wrapped prose.

`I think I will have to` / `pass.` is a sentence in two lines, and its second line is no move.
"""

from __future__ import annotations

from games.phrases.lines import is_courtesy
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.reading.text_lines import bare, folded

_SMILEY = Pattern(r"[:;=8][-o^']?[)(D\]/|]$")
_BETWEEN_WORDS = Pattern(r"[ ,]+")
_CLOSING_MARKS = "\"'”’»)]*_"
_GOES_ON = frozenset(",-–—(&/+%")
_GREETINGS = frozenset(
    (
        *("hi", "hello", "hey", "hiya", "dear", "good", "thanks", "thank", "thx", "cheers", "nice", "great"),
        *("well", "congrats", "congratulations", "bravo", "sorry", "wow", "ok", "okay", "lol", "gg", "glhf"),
        *("bonjour", "bonsoir", "salut", "coucou", "cher", "chère", "chers", "merci", "bien", "désolé"),
        *("hallo", "moin", "servus", "liebe", "lieber", "guten", "gute", "danke", "schön", "gut", "super"),
        *("grüezi", "grüß", "sorry", "ahoj", "dobrý", "díky", "děkuji", "hola", "gracias", "ciao", "grazie"),
    )
)
_AFTER_A_GREETING = frozenset(
    (
        *("all", "again", "there", "you", "both", "everybody", "everyone", "folks", "friends", "guys", "for"),
        *("the", "a", "lot", "so", "much", "game", "games", "move", "one", "play", "played", "luck", "job"),
        *(
            "morning",
            "afternoon",
            "evening",
            "day",
            "night",
            "done",
            "and",
            "à",
            "tous",
            "toutes",
            "beaucoup",
        ),
        *("joué", "jour", "zusammen", "alle", "tag", "morgen", "abend", "dich", "gott", "gespielt", "zug"),
    )
)
_SALUTATIONS = frozenset(
    (
        *(
            "hi",
            "hello",
            "hey",
            "hiya",
            "dear",
            "good",
            "bonjour",
            "bonsoir",
            "salut",
            "coucou",
            "cher",
            "chère",
        ),
        *(
            "chers",
            "hallo",
            "moin",
            "servus",
            "liebe",
            "lieber",
            "guten",
            "grüezi",
            "grüß",
            "grüss",
            "greetings",
            "ahoj",
            "hola",
            "ciao",
        ),
    )
)
_LONGEST_GREETING = 5
"""Words."""
_NARROWEST_WRAP = 50
"""Characters; programs wrap prose at 60 or more, and leave room for a long word."""


def runs_on(above: str, line: str) -> bool:
    """True if the line continues a sentence that the line directly `above` leaves open.

    A line of several words with a capital letter begins something new; a single word may be a noun. So does a line with
    a number (`bid 3`) and no full stop, below a line that no program has wrapped: many people end none of their lines.
    """
    words = line.split()
    if not above or not words or ends_sentence(above):
        return False
    if len(words) == 1:
        return True
    return not (words[0][0].isupper() or _begins_anew(above, line))


def stands_alone(above: str, line: str, below: str) -> bool:
    """True if the line is no part of a sentence with the lines directly above and below it."""
    if runs_on(above, line) or (len(above) >= _NARROWEST_WRAP and not ends_sentence(above)):
        return False
    return not below or not below[0].islower() or ends_sentence(line) or is_courtesy(below)


def _begins_anew(above: str, line: str) -> bool:
    above, line = bare(above).rstrip(_CLOSING_MARKS), bare(line)
    has_number = any(map(str.isdigit, line))
    return has_number and line[-1].isalnum() and above[-1:].isalnum() and len(above) < _NARROWEST_WRAP


def ends_sentence(line: str) -> bool:
    """True if the line ends a sentence: with a full stop or the like, as a greeting, or `To play, write: bid 3`."""
    text = bare(line)
    if not text or _SMILEY.search(text):
        return True
    last = text.rstrip(_CLOSING_MARKS)[-1:]
    if not (last.isalnum() or last in _GOES_ON):
        return True
    return (": " in text and last.isdigit()) or _is_greeting(text)


def _is_greeting(text: str) -> bool:
    """True for `Hi Ben`, `hi ben,`, `Thanks for the game`, `Nice one, Ben`, `Ben,`."""
    words = _BETWEEN_WORDS.split(text.strip(" ,"))
    first, *rest = words
    if folded(first) in _SALUTATIONS and (is_courtesy(text) or (text.endswith(",") and len(rest) == 1)):
        return True
    if len(words) > _LONGEST_GREETING:
        return False
    if folded(first) not in _GREETINGS:
        return text.endswith(",") and len(words) <= 2 and all(map(_is_name, words))
    return all(_is_name(word) or folded(word) in _AFTER_A_GREETING for word in rest)


def _is_name(word: str) -> bool:
    return word[:1].isupper() and word != "I" and not word.startswith(("I'", "I’"))
