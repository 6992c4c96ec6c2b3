"""Says as one player says it of a move what others put in another grammar: *we*, an order to the server, *ne … que*.

`Wir bieten 3` is `ich biete 3`, `misez 3` is `je mise 3`, `je ne mise que 3` is `je mise 3`. So the phrases need to
stand in the first person alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from games.phrases.phrasebook import NUMBERS

_ENGLISH = {"we": "I", "our": "my", "ours": "mine", "us": "me"}
_GERMAN = {"sind": "bin", "haben": "habe", "wollen": "will", "tun": "tu", "können": "kann", "dürfen": "darf"}
_FRENCH = {
    "sommes": "suis",
    "allons": "vais",
    "voulons": "veux",
    "faisons": "fais",
    "est": "suis",
    "va": "vais",
    "veut": "veux",
    "fait": "fais",
    "faites": "fais",
    "prend": "prends",
    "met": "mets",
    "remet": "remets",
    "rend": "rends",
    "choisit": "choisis",
}
_FRENCH_STEMS = {
    "prenons": "prends",
    "mettons": "mets",
    "jetons": "jette",
    "achetons": "achète",
    "remettons": "remets",
    "rendons": "rends",
    "choisissons": "choisis",
}
"""Verbs whose first person is not made of the stem alone; with *-ez* too: `prenez`."""
_VOWELS = tuple("aeiouyhéèêâîôû")
_SAYS_OTHERWISE = re.compile(
    r"\b(?:we|wir|nous|on|unser\w*|uns|notre|nos|our|us|sie|que|qu|nur|blo(?:ß|ss)|only|seulement|\w+ez|getting"
    r"|becoming|wird|devient|commence|ich|n|nich|ned|nüscht|nischt|wanna|lemme|ima|imma|chui|jsuis|jprends|jmets|jvais"
    r"|pr|ds|ac|dsl|slt|bjr|bsr|würd\w*|wäre|would be|\w+rait|\w+rais|les?|la|l|it|them|den|die|das|order"
    r"|reihenfolge|ordre)\b",
    re.IGNORECASE,
)
_NUMBER = rf"(?:\d+|{'|'.join(sorted(number for number in NUMBERS if number.isalpha()))})\b"


_THING = r"((?!(?:i|je|j|ich|if|si|wenn|when|quand)\b)[^\s,;:.!?]+(?: [^\s,;:.!?]+){0,4}?)"
"""Matches what is named in front of a sentence that is said of it: *boog, je la jette*."""
_VERB = r"\w{3,}"
_ELSE = {"order": "else", "reihenfolge": "sonst", "ordre": "sinon"}


def as_said_by_one(text: str) -> str:
    """The text in the first person of one player; unchanged where it is so already.

    >>> as_said_by_one("We're out"), as_said_by_one("Dann passen wir"), as_said_by_one("Nous plaçons le rubis")
    ("I'm out", 'ich passe', 'je place le rubis')
    >>> as_said_by_one("on se couche"), as_said_by_one("on ouvre à 3"), as_said_by_one("Ruby on top")
    ('je me couche', "j'ouvre à 3", 'Ruby on top')
    >>> as_said_by_one("Legen Sie den Rubin ab"), as_said_by_one("misez 3"), as_said_by_one("Je ne mise que 3")
    ('Lege ich den Rubin ab', 'je mise 3', 'je mise 3')
    """
    if _SAYS_OTHERWISE.search(text):
        for pattern, said in _REWORDINGS:
            text = pattern.sub(said, text)
    return text


def _german(verb: str) -> str:
    singular = _GERMAN.get(verb.lower())
    return singular or f"{verb.removesuffix('n').removesuffix('e')}e"


def _french(verb: str, reflexive: str = "") -> str:
    plain = verb.lower()
    if plain.endswith("ez"):
        plain = f"{plain.removesuffix('ez')}ons"
    stem = re.sub("ons$", "e", re.sub("çons$", "ce", re.sub("geons$", "ge", plain)))
    singular = _FRENCH.get(plain) or _FRENCH_STEMS.get(plain) or stem
    if reflexive:
        return f"je m'{singular}" if singular.startswith(_VOWELS) else f"je me {singular}"
    return f"j'{singular}" if singular.startswith(_VOWELS) else f"je {singular}"


def _conditional(stem: str) -> str:
    """The present of a conditional, from its stem: `je change` from `changer`, as in *je changerais*."""
    verb = stem.removesuffix("r")
    singular = _CONDITIONAL.get(verb, verb if verb.endswith("e") else f"{verb}s")
    return f"j'{singular}" if singular.startswith(_VOWELS) else f"je {singular}"


_PLEASE = r"please|pls|plz|thanks|thank you|bitte|danke|merci|svp|stp|s['’ ]il (?:te|vous) pla[iî]t"
"""Beside one of these a conditional asks for the move: *je miserais 3, merci*."""
_CONDITIONAL = {
    "prend": "prends",
    "mett": "mets",
    "remett": "remets",
    "rend": "rends",
    "choisi": "choisis",
    "ouvri": "ouvre",
}
_SPELLINGS = {
    "dsl": "désolé",
    "slt": "salut",
    "bjr": "bonjour",
    "bsr": "bonsoir",
    "nich": "nicht",
    "ned": "nicht",
    "nüscht": "nichts",
    "nischt": "nichts",
    "wanna": "want to",
    "lemme": "let me",
    "imma": "I'll",
    "ima": "I'll",
    "chui": "je suis",
    "jsuis": "je suis",
    "jprends": "je prends",
    "jmets": "je mets",
    "jvais": "je vais",
    "pr": "pour",
    "ds": "dans",
    "ac": "avec",
}
"""How some words are typed on phones."""


def _rewordings() -> Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]:
    listed: Sequence[tuple[str, str | Callable[[re.Match[str]], str]]] = (
        (rf"\b(?:{'|'.join(_SPELLINGS)})\b", lambda found: _SPELLINGS[found[0].lower()]),
        (r"(?<=\w) n (?=\w)", " and "),
        (r"\bwe['’]?re\b|\bwe are\b", "I'm"),
        (r"\bwe(?=['’](?:ll|d|ve)\b)", "I"),
        (r"\b(we|ours?|(?<=for )us|(?<=from )us)\b(?!['’])", lambda found: _ENGLISH[found[1].lower()]),
        (r"\bwir (sind|\w{3,}n)\b", lambda found: f"ich {_german(found[1])}"),
        (r"\b(sind|\w{3,}n) wir\b", lambda found: f"{_german(found[1])} ich"),
        (r"\b(\w{3,}n) (?-i:Sie)\b", lambda found: f"{_german(found[1])} ich"),
        (r"\bunser(\w{0,2})\b", r"mein\1"),
        (r"\b(von|bei) uns\b", r"\1 mir"),
        (r"\bfür uns\b", "für mich"),
        (r"\buns (?=(?:viel )?zu\b)", "mir "),
        (r"\bnous nous (\w{3,}ons)\b", lambda found: _french(found[1], "me")),
        (r"\bnous (\w{3,}(?:ons|mmes))\b", lambda found: _french(found[1])),
        (r"\bon s(?:e |['’])(\w{3,})\b", lambda found: _french(found[1], "me")),
        (r"\bon (?!(?:the|table|base|site|me)\b)(\w+[etda])\b", lambda found: _french(found[1])),
        (r"^(?!passez\W*$)(\w{3,}ez|faites)\b(?=\W+\w)", lambda found: _french(found[1])),
        (r"\bpour nous\b", "pour moi"),
        (
            rf"\bj(?:e |['’])(\w{{2,}}r)ais\b(?=.{{0,120}}\b(?:{_PLEASE})\b)",
            lambda found: _conditional(found[1]),
        ),
        (rf"\bich würd[e']?(?= (?!gern|lieber))(?=.{{0,120}}\b(?:{_PLEASE})\b)", "ich möchte"),
        (r"^würd[e']? gerne?\b", "ich würde gern"),
        (
            rf"(?<= )(?:would be|wäre|serait)\b(?=.{{0,120}}\b(?:{_PLEASE})\b)",
            lambda found: {"would be": "is", "wäre": "ist"}.get(found[0].lower(), "est"),
        ),
        (r"\bnotre\b", "ma"),
        (r"\bnos\b", "mes"),
        (r"\bje n(?:e |['’])(\w+) qu(?:e |['’])", lambda found: f"{_french(found[1].lower())} "),
        (
            r"\b(?:(?:it|that|this)['’]s |it is )?(?:getting|becoming) (?=(?:(?:a bit|a little|way|far) )?too\b)",
            "",
        ),
        (r"\bwird(?= (?:mir |das )?(?:jetzt |langsam |allmählich )?(?:mir )?zu\b)", "ist"),
        (
            r"\b(?:ça|ca|cela) (?:devient|commence à (?:être|faire))(?= (?:un peu |bien |vraiment )?trop\b)",
            "c'est",
        ),
        (r"^(?:(?:dann|da|jetzt|nun|also|diesmal|so|hier|na) )+(\w{3,}) ich\b", r"ich \1"),
        (rf"(?<=\w) (?:nur|blo(?:ß|ss)|only|seulement)(?= (?:(?:die|the|le|eine) )?{_NUMBER})", ""),
        (rf"^{_THING},? je (?:la |le |les |l['’])({_VERB})\b", r"je \2 \1"),
        (rf"^{_THING}, (i(?:['’]ll| will|['’]m)? {_VERB}) (?:it|them|that one)\b", r"\2 \1"),
        (rf"^{_THING}, (?:den|die|das) ({_VERB}) ich\b", r"\2 ich \1"),
        (
            r" (?:or|oder|ou(?: bien)?) ([^\W\d]{2,20}(?: [^\W\d]{2,20}){0,3}),? "
            r"(?:in (?:that|this) order|in (?:der|dieser) reihenfolge|dans cet ordre)\b",
            lambda found: f" {_ELSE[found[0].split()[-1].lower()]} {found[1]}",
        ),
    )
    return [(re.compile(pattern, re.IGNORECASE), said) for pattern, said in listed]


_REWORDINGS = _rewordings()
