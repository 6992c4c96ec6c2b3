"""Tells a command that takes a text (`say Well played`) from a sentence that begins with its word (`Say that …`).

Prose must not be published, kept or reported; who meant the command is told how to write it beyond doubt: `say: …`.
"""

from __future__ import annotations

from gemserver.lib.text.patterns import Pattern

_FIRST_WORD = Pattern(r"[^\W_]+(?:['’-][^\W_]+)*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONJUNCTIONS = _words("that that's thats if whether que qu'il qu'elle qu'on dass")
_SUBJECTS = _words(
    """
    you you're you've you'd he she it it's its they they're there there's here's this these those a an the your their
    his her some something anything nothing someone what what's whatever when where which who why how for in on to as
    goodbye each every one two no yes maybe with at by from and or
    """
)
"""Words behind a capital `Say` or `Report` with which sentences of prose go on. `Say I'm late` is talk: phones begin
a line with a capital, and of themselves people tell the table."""
_MORE_SUBJECTS = _SUBJECTS | _words("i i'm i'd i'll i've we we're we've my our")
_PROSE: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "say": (_CONJUNCTIONS, _SUBJECTS),
    "note": (
        _CONJUNCTIONS | _words("how also well bien too however aussi"),
        _SUBJECTS | _words("all any de du des le la les il der die das von also"),
    ),
    "block": (_words("the makes of it that all this"), _MORE_SUBJECTS),
    "follow": (
        _words("the it that this these up me us my our your on in with by through suit along no"),
        _MORE_SUBJECTS,
    ),
    "part": (_words("of de d'un d'une time because one in and"), _MORE_SUBJECTS),
    "report": (
        _words(
            """
            that back to from on of any bugs we at was is has about vs rather notes shows concludes says
            """
        ),
        _MORE_SUBJECTS | _words("all card"),
    ),
    "rename": (_words("the it this that them these those to all any your my a an"), _MORE_SUBJECTS),
}
"""Command word → the words that make it prose however it is written, and those that do behind a capital letter."""
_NO_TEXT = (",", ".", "-", ":", "(", "%")
"""Signs behind a word that begins a sentence, or a heading."""
_GREETING = Pattern(r"(?:hello|hi|goodbye|thanks|thank you|sorry|yes|no) to ")
"""Matches the text of *Say hello to Tom.*, which is written to one reader about another."""
_TAKES_A_NAME = frozenset({"block", "follow"})
_LONGEST_NAME = 3
"""Words."""
_LONG_LINE = 50
"""Characters of a line of prose, which goes on in the next one."""
TEXTS = frozenset(_PROSE)


def is_end(line: str) -> bool:
    """True for the line, with or without a full stop, that closes a text of several lines, or else all that is read."""
    return line.removesuffix(".").rstrip().lower() == "end"


def may_be_prose(word: str, text: str, above: str) -> bool:
    """True if the command `word` as it was typed, with its `text`, may as well be a sentence; `above`: the line before.

    >>> may_be_prose("Say", "that's in operation.c", ""), may_be_prose("say", "-- hello all", "")
    (True, False)
    """
    always, with_capital = _PROSE[word.lower()]
    found = _FIRST_WORD.match(text)
    first = found.group().lower().replace("’", "'") if found else ""
    if (
        first in always
        or (text.startswith(_NO_TEXT) and not (word == "say" and text.startswith("-")))
        or (word.lower() in _TAKES_A_NAME and text.count(" ") >= _LONGEST_NAME)
    ):
        return True
    if not word[0].isupper():
        return False
    return (
        first in with_capital
        or bool(_GREETING.match(text.lower()))
        or (len(above) >= _LONG_LINE and ":" not in above[:12])
    )
