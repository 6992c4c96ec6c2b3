"""Keeps our reply addresses and unsubscribe links out of sight (mail-requirements.md A8).

The text may be a stranger's, so every pattern here looks at each place of it a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from django.conf import settings

from gemserver.lib import signing
from gemserver.lib.text.patterns import Pattern, TooMuchWork, limited

HIDDEN = "…"

PERSONAL = "gem_"
"""The beginning of every personal token."""

SIGNING = "whsec_"
"""The beginning of every secret with which a webhook signs."""

LONGEST_IN_LOGS = 32_768
"""Characters of a value in a log line; a longer one is cut before anything looks at it."""

STEPS_OF_A_LINE = 40 * LONGEST_IN_LOGS
"""Four times what the longest value takes."""


def redact(text: str) -> str:
    """The text without the token of every address and unsubscribe link of ours (mail-requirements.md A8).

    They are found in upper or lower case, as part of a link, and across the line breaks of mail programs.
    """
    for pattern in _token_patterns(settings.PLAY_REPLY, settings.ACCOUNT_REPLY):
        text = pattern.sub(rf"\1{HIDDEN}", text)
    return text


def redact_tokens(text: str, tokens: Iterable[str]) -> str:
    """The text without these very tokens, wherever they stand, in upper or lower case."""
    for token in tokens:
        text = re.sub(re.escape(token), HIDDEN, text, flags=re.IGNORECASE)
    return text


_TOKEN_IN_TEXT = rf"(?:[a-z2-7](?:=?\r?\n[ \t>]{{0,4}})?){{{signing.TOKEN_LENGTH}}}"
_NOT_IN_A_WORD = "(?<![a-z0-9])"
_AS_IN_LINKS = {"+": r"(?:\+|%2B)", "@": "(?:@|%40)"}


@lru_cache
def _token_patterns(*templates: str) -> tuple[Pattern, ...]:
    """Patterns of tokens in our addresses and unsubscribe links; the group is the text before the token."""
    addresses = (template.partition("{token}") for template in templates)
    surroundings = [(_literal(before) or _NOT_IN_A_WORD, _literal(after)) for before, _, after in addresses]
    return tuple(
        Pattern(rf"(?i)({before}){_TOKEN_IN_TEXT}(?={after})")
        for before, after in [*surroundings, ("/u/", ""), ("/feeds/", ""), (PERSONAL, "")]
    )


def _literal(text: str) -> str:
    return "".join(_AS_IN_LINKS.get(sign, re.escape(sign)) for sign in text)


def redact_log(text: str) -> str:
    """The text without anything that would let its reader act for somebody else, or see what they see.

    Coarser than `redact`, since nobody copies from a log: it removes whatever looks like a token or a seed, and
    cookies, passwords in addresses, query strings, and the rows that PostgreSQL quotes.
    """
    if len(text) > LONGEST_IN_LOGS:
        text = f"{text[:LONGEST_IN_LOGS]}… ({len(text) - LONGEST_IN_LOGS} more characters)"
    try:
        with limited(STEPS_OF_A_LINE):
            return _redact_log(text)
    except TooMuchWork:
        return f"({len(text)} characters that took too long to read)"


def _redact_log(text: str) -> str:
    if settings.configured:
        text = redact(text)
    for pattern, replacement in _IN_LOGS:
        text = pattern.sub(replacement, text)
    return _UNBROKEN.sub(lambda found: _without_query(found.group()), text)


_IN_LOGS = tuple(
    (Pattern(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (rf"(?<![a-z0-9])[a-z2-7]{{{signing.TOKEN_LENGTH}}}(?![a-z0-9])", HIDDEN),
        # Seeds, their parts, and hashes.
        (r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", HIDDEN),
        (
            r"\b(sessionid|csrftoken|csrfmiddlewaretoken|messages)(['\"]?\s*[=:]\s*['\"]?)[^\s;,'\"]+",
            rf"\1\2{HIDDEN}",
        ),
        (r"\b((?:set-)?cookie|(?:proxy-)?authorization)(['\"]?\s*[=:]\s*['\"]?)[^\n'\"]+", rf"\1\2{HIDDEN}"),
        (rf"{SIGNING}[a-z0-9+/=]+", HIDDEN),
        # Addresses of chats, with which anybody could write there.
        (r"(/(?:api/webhooks|services)/)[^\s'\"<>]+", rf"\1{HIDDEN}"),
        (r"\b(bearer|basic) [a-z0-9+/=._~-]{6,}", rf"\1 {HIDDEN}"),
        (r"(://[^\s/:@'\"]*:)[^\s/@'\"]+@", rf"\1{HIDDEN}@"),
        (r"(failing row contains \()[^\n]*", rf"\1{HIDDEN})"),
    )
)
_UNBROKEN = Pattern(r"[^\s'\"<>]+")


def _without_query(word: str) -> str:
    """The word without the query of an address or path in it."""
    slash = word.find("/")
    mark = word.find("?", slash) if slash >= 0 else -1
    return f"{word[: mark + 1]}{HIDDEN}" if 0 < mark < len(word) - 1 else word
