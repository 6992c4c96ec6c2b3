"""Takes smileys, emphasis, quotes and marks of lists off a line, and writes numbers and codes apart."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from games.phrases.phrasebook import NUMBERS, fold_word
from games.reading import fold

_EMOJI_STYLE = "\ufe0f"
"""Follows a sign that is to be drawn as an emoji."""
_LIST_MARK = re.compile(r"^(?:[-*•→–·>]+\s+)+")
_SMILEY = re.compile(
    r"(?:^|(?<=[\s.!,])|(?<=\w)(?=[:;]-?[)(]))(?:[:;=8xX][-o^']?[)(DPp\]/|]+|<3|\^\^)(?=$|[\s.,!])"
)
_SMILEY_BETWEEN = re.compile(
    rf"(?<=[^\W\d_])\s+(?:{_SMILEY.pattern}|[^\w\s,.;:!?()'’\"+*/&=<>-]\ufe0f?)+\s+(?=\w)"
)
_EQUALS = re.compile(r"(?<=[a-z]):(?=[\w-])|(?<=[a-z])\s*=\s*(?=\w)", re.IGNORECASE)
_CELL_IN_BRACKETS = re.compile(r"\((-?\d+)\s*,\s*(-?\d+)\)")
_ASIDE = re.compile(
    r"(?<=\w) \(([^()\d]{2,}|(?:pay\w*|paid|(?:be)?zahl\w*|payé\w*)\b[^()]+)\)(?=$|[\s.,!;])", re.IGNORECASE
)
"""Matches a remark in brackets, without a number but of what is paid: *D2 (paid with coin 1)*."""
_GLUED_SIDE = re.compile(r"\b([a-g][1-9])([nesw])\b", re.IGNORECASE)
_SIDE_IN_BRACKETS = re.compile(r"(?<=\d) ?\(([nesw])\)", re.IGNORECASE)
_SHORT_WITH = re.compile(r"\bw/ ?(?=\w)", re.IGNORECASE)
_NAMED_NUMBER = re.compile(r"\b(\d{1,2})(?:er\b-?|-(?=[^\W\d_]{3}))")
"""Matches the number in `3er` and `3-coin`."""
_SUM = re.compile(r"(?<=\d) ?[+&] ?(?=\d)")
_GLUED_CODE = re.compile(r"(?<=[a-z]{3})(?=[A-Z]{2}\b)")
"""Matches before the code in `TakeTT`."""
_CODE_IN_WORD = re.compile(r"(?<![\w-])([A-Z*]{2,4})-(?=[^\W\d_]{3})|(?<![\w-])([A-Z]{2})s\b")
"""Matches a code written together with what it is, or more of them: `PO-Stein`, `GPs`."""
_ORDINAL = re.compile(r"\b(\d)\.(?= ?(?:reihe|zeile)\b)", re.IGNORECASE)
_ARROW = re.compile(r"(?<=[a-z])\s?(?:→|[-=]>)(?=\s?\w)", re.IGNORECASE)
_SAID_TWICE = re.compile(r"\b(\w{1,12}) ?\((\w{1,12})\)|\b(\d{1,2}) ([^\W\d]{2,12})\b")
_BEFORE_THANKS = (
    r"with|and|many|big\w*|huge|small\w*|little|tiny|large\w*|avec|mille|grande?|gros|grosse|petite?|et|mit|und|vielen"
    r"|tausend|besten|schönen|lieben|klein\w*|gro(?:ß|ss)\w*|my|your|the|mon|mes|mein|for|without|of|say\w*"
)
_THANKS_BEHIND = re.compile(
    rf"(\b(?:\d+|{'|'.join(sorted(number for number in NUMBERS if number.isalpha()))})"
    rf"|\w[ ,](?!(?:{_BEFORE_THANKS})\b)[\w,-]{{3,}}) "
    r"(?=(?:thanks|thank you|thx|ty|cheers|merci|danke)"
    r"(?: (?:a lot|so much|very much|again|all|everyone|beaucoup|bien|schön|sehr|dir|euch))?[.! ]*$"
    r"|(?:g?lg|vg|mfg|x{2,}|xoxo|bises|bisous|biz)(?: [^\W\d_]{2,12})?[.! ]*$)",
    re.IGNORECASE,
)
"""Matches a number before thanks, or the second word or a later one, for want of a comma: `5 and 6 thanks`."""
_MANY_THANKS = re.compile(
    r"\b(?:une?|mille|an?|one|eine?n?)\s+(?:(?:très|very|ganz)\s+)?(?:grand|gros|immense|énorme|big|huge|massive"
    r"|gro(?:ß|ss)es|riesiges|riesen|herzliches|dickes|liebes)\s*(?=(?:merci|thanks|thank you|danke\w*)\b)",
    re.IGNORECASE,
)
"""Matches what stands before a noun that thanks: *un grand merci*."""
_REPEATED = re.compile(r"([^\W\d_]{3,})(?:[ ,.!]+\1){2,}([.! ]*)", re.IGNORECASE)
"""Matches a text that says one word again and again: `pass pass pass`."""
_HESITATION = r"(?:u+h+m?|u+mm+|erm+|h+mm*|ä+h+m?|ö+h+m?|eu+h+|heu+)"
_HESITATING = re.compile(
    rf"^(?:{_HESITATION}|um+(?= (?:ok|okay|so|well|yeah|i)\b))[,.… ]+(?=\w)"
    rf"|(?<= )(?:(i|i'm|to|the|a|an|my|with|for|at|bid|take|play|draw|place|put|going|ich|mit|auf|den|die|das|der"
    rf"|ein|eine|einen|je|le|la|les|un|une|de|à|mise|prends|joue)[,.…]* )(?:{_HESITATION}|um+)[,.…]* (?=\w)",
    re.IGNORECASE,
)
"""Matches how people hesitate while they speak, at the beginning and behind a word that needs another one."""
_SPELLED = re.compile(r"(?<![\w-])([a-z])[ .]([a-z])[ .]([a-z])[ .]([a-z])(?![\w-])", re.IGNORECASE)
"""Matches a code that is spelt out: `R R O B`."""
_NUMBERED = re.compile(r"^\d{1,2}\)\s+(?=[^\W\d])")


@lru_cache(maxsize=500)  # courtesy, corrections and moves are looked for in the same parts of a line
def tidy(text: str) -> str:
    """The text without smileys, emphasis, quotes and list marks."""
    text = text.replace(_EMOJI_STYLE, "")
    plain = fold("".join(" " if unicodedata.category(sign) in ("So", "Sk", "Cf") else sign for sign in text))
    plain = _ORDINAL.sub(r"\1 ", _SHORT_WITH.sub("with ", _MANY_THANKS.sub("", plain)))
    plain = _SPELLED.sub(r"\1\2\3\4", _HESITATING.sub(_without_hesitation, plain))
    plain = _LIST_MARK.sub("", plain.replace("`", "'").replace("´", "'").strip())
    plain = re.sub(r"[\"«»„‚‘]", " ", re.sub(r"(\*\*?|__?)([^\s*_](?:[^*_]*[^\s*_])?)\1(?!\w)", r"\2", plain))
    plain = re.sub(r"^'(.*)'$", r"\1", plain)
    plain = _SAID_TWICE.sub(_say_once, _ARROW.sub(" ", _NAMED_NUMBER.sub(r"\1 ", plain)))
    plain = _CODE_IN_WORD.sub(lambda found: f"{found[1] or found[2]} ", plain)
    plain = _SUM.sub(" ", _GLUED_CODE.sub(" ", plain))
    plain = _GLUED_SIDE.sub(r"\1 \2", _SIDE_IN_BRACKETS.sub(r" \1 ", plain))
    plain = _THANKS_BEHIND.sub(r"\1, ", _ASIDE.sub(r", \1,", plain).rstrip(","))
    plain = _CELL_IN_BRACKETS.sub(r"\1,\2", _NUMBERED.sub("", plain))
    plain = _EQUALS.sub(" ", _SMILEY.sub(" ", plain)).strip()
    repeated = _REPEATED.fullmatch(plain)
    return plain if repeated is None or fold_word(repeated[1]) in NUMBERS else f"{repeated[1]}{repeated[2]}"


def ended_at_smileys(text: str) -> str:
    """The text with the end of a sentence for each smiley between two words.

    >>> ended_at_smileys("Hello from the train :-) I bid 3"), ended_at_smileys("Lovely day 🌞 I pass")
    ('Hello from the train! I bid 3', 'Lovely day! I pass')
    """
    return _SMILEY_BETWEEN.sub("! ", text)


def _without_hesitation(said: re.Match[str]) -> str:
    return f"{said[1]} " if said[1] else ""


def _say_once(said: re.Match[str]) -> str:
    """`five (5)`, `5 (five)` and `5 five` as one number."""
    one, other = (NUMBERS.get(fold_word(word), word) for word in said.groups() if word)
    return one if one == other and one.isdecimal() else said[0]
