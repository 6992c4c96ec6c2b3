"""Counts what somebody bids more than another: *two more than Cy* is 5 where Cy has bid 3.

Here only words that name another's bid are counted; *raise it by 2* may mean a card where bids are sums of cards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from games.phrases.phrasebook import NUMBERS, fold_word
from games.phrases.somebody import SOMEBODY, hide_names

_LONGEST = 100
"""Characters of a line in which somebody says so."""
_SEVERAL = sorted(word for word, number in NUMBERS.items() if word.isalpha() and number != "1")
_NUMBER = rf"(?P<more>[2-9]|{'|'.join(_SEVERAL)})"
_ONE_CARD = re.compile(
    r",? (?:with|using|mit|avec) (?:just |only |nur |juste )?(?:a single|one single|one|a|einer einzigen|einer"
    r"|une seule|une) (?:card|karte|carte)\b",
    re.IGNORECASE,
)
_IN_TOTAL = {"en": "in total", "de": "insgesamt", "fr": "en tout"}


def _list_patterns() -> list[tuple[str, re.Pattern[str], str]]:
    """List the patterns with their language, and the words put in their place, whose braces take the number."""
    theirs = {
        "en": rf"(?:{SOMEBODY}(?:['’]s(?: bid| offer)?)?|him|her|them|you|(?:his|her|your|their) (?:bid|offer))\b",
        "de": rf"(?:{SOMEBODY}|ihn|sie|ihm|ihr|er|dich|du|euch|dein gebot|sein gebot|ihr gebot)\b",
        "fr": rf"(?:{SOMEBODY}|lui|elle|toi|vous|sa mise|ta mise|votre mise|son enchère|ton enchère)\b",
    }
    listed = (
        ("en", rf"\b{_NUMBER} (?:more|higher|better|above|over)(?: than)? {theirs['en']}", "{}"),
        (
            "en",
            rf"(?:^|(?<=['’]ll )|(?<=will )|(?<=let me )|(?<=to )|(?<=[.,!] ))(?:outbid|overbid|beat|top|raise)"
            rf" {theirs['en']} by {_NUMBER}(?! cards)\b",
            "bid {}",
        ),
        ("de", rf"\b{_NUMBER} (?:mehr|höher|drüber|besser)(?: als)? {theirs['de']}", "{}"),
        (
            "de",
            rf"\b(?:überbiete?|ueberbiete?|übertrumpfe?|schlage?|toppe)(?P<ich> ich)? {theirs['de']} um {_NUMBER}"
            r"(?! karten)\b",
            "biete {}",
        ),
        ("fr", rf"\b{_NUMBER} de (?:plus|mieux) qu(?:e |['’]){theirs['fr']}", "{}"),
        (
            "fr",
            rf"\bje (?:dépasse|bats|surpasse|coiffe) {theirs['fr']} de {_NUMBER}(?! cartes)\b",
            "je mise {}",
        ),
        (
            "fr",
            rf"\bje (?:les?|la|l['’]|te|vous) ?(?:dépasse|bats|surpasse|coiffe) de {_NUMBER}(?! cartes)\b",
            "je mise {}",
        ),
    )
    return [(language, re.compile(pattern, re.IGNORECASE), said) for language, pattern, said in listed]


_PATTERNS = _list_patterns()


def with_raise_counted(
    text: str, names: Iterable[str], leading: int, cards: frozenset[str] | None = None, laid: int = 0
) -> str:
    """The text with the number that is so many more than the leading bid; unchanged where it names none.

    `cards`: where bids are sums of cards, those that may be added to what is `laid`.

    >>> with_raise_counted("I'll go two more than Cy", ["Cy"], 3), with_raise_counted("zwei mehr als er", ["Cy"], 3)
    ("I'll go 5", '5')
    >>> with_raise_counted("I'll outbid her by three with a single card", ["Cy"], 5, frozenset("8"))
    "I'll bid 8"
    """
    if "?" in text or len(text) > _LONGEST:
        return text
    hidden, show = hide_names(text, names)
    for language, pattern, said in _PATTERNS:
        found = pattern.search(hidden)
        if found is None:
            continue
        total = leading + int(NUMBERS.get(fold_word(found["more"]), found["more"]))
        bare = _ONE_CARD.sub("", hidden)
        if cards is None:
            number = str(total)
        elif bare != hidden and str(total - laid) in cards:
            number = str(total - laid)
        else:
            number = f"{total} {_IN_TOTAL[language]}"
        return show(pattern.sub(said.format(number), bare, count=1))
    return text
