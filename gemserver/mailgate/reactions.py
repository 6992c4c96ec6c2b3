"""Recognises a reaction to a mail: the part that Gmail sends, and the lines that stand for one elsewhere.

`Tom reacted to your message`, `[like] Tom reacted to your message:` (Outlook), `Liked “Your turn”` (Apple), or nothing
but an emoji. Nothing in such a mail is a command; a raised thumb may answer a question (`consent`).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from games.phrases.phrasebook import fold_words
from gemserver.lib.text.patterns import Pattern
from gemserver.mailgate.lines.short_words import listed
from gemserver.mailgate.reading.text_lines import bare, split_lines

_LONGEST_EMOJI_LINE = 24
_LONGEST_LINE = 160
"""Characters."""
_MOST_NAME_WORDS = 6
_LINK = Pattern(r"<?https?://\S{1,500}>?$")
_OPENED = Pattern(r"[ :]{0,3}[\"“”„«‟]")
_PART_OF_AN_EMOJI = frozenset("\u200d\ufe0e\ufe0f\u20e3")


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction of somebody to a mail of ours."""

    emoji: str = ""
    """One emoji, empty if it is not known."""

    @property
    def agrees(self) -> bool | None:
        """True for a raised thumb, False for one that is turned down, None for anything else.

        A heart, applause or a tick may be meant for the news rather than for the question in it.
        """
        return {"👍": True, "👎": False}.get(self.emoji[:1] if self._is_plain else "")

    @property
    def _is_plain(self) -> bool:
        """True if a skin tone is all that the first sign has beside it."""
        return all(sign in _PART_OF_AN_EMOJI or unicodedata.category(sign) == "Sk" for sign in self.emoji[1:])


def read_reaction(text: str, typed: str) -> Reaction | None:
    """Return the reaction that a mail without a part of its own for it is; None for any other mail.

    `text`: all of it; `typed`: what its writer typed, from which the announcement may have been taken with the quote.

    >>> read_reaction("👍", "👍").agrees, read_reaction("Ana reacted to your message:", "")
    (True, Reaction(emoji=''))
    >>> read_reaction("I liked your message", "I liked your message. bid 3")
    """
    top = [bare(line) for line in split_lines(text[:4000]) if bare(line) and not _LINK.match(bare(line))][:2]
    rest = [bare(line) for line in typed.split("\n") if bare(line) and not _LINK.match(bare(line))]
    if not top:
        return None
    if rest and (tapback := _read_tapback(rest[0])):
        return tapback
    announced = [_read_announcement(line) for line in top]
    known = {line for line, found in zip(top, announced, strict=True) if found} | set(filter(_is_emoji, top))
    if not set(rest) <= known:
        return None
    if any(announced) and (announced[0] or _is_emoji(top[0])):
        emojis = [found.emoji for found in announced if found and found.emoji]
        return Reaction(next(iter([*emojis, *filter(_is_emoji, top)]), ""))
    return Reaction(rest[0]) if len(rest) == 1 and _is_emoji(rest[0]) else None


def _read_announcement(line: str) -> Reaction | None:
    """`👍 Ana Maria reacted to your message:`"""
    words = fold_words(line[:_LONGEST_LINE].rstrip(":. "))
    sign = next((sign for sign in line if _is_emoji(sign)), "")
    for kind, emoji in (("(disliked)", "👎"), ("(liked)", "👍"), ("(reacted)", "")):
        for phrase in listed(kind):
            if _stands_in(phrase, words):
                return Reaction(sign or emoji or _marked(words))
    return None


def _stands_in(phrase: str, words: str) -> bool:
    """True if the phrase ends these words, and a name may be all that stands before it."""
    before = words.removesuffix(phrase)
    return (
        before != words
        and (not before or before.endswith(" "))
        and 0 < len(before.split()) <= _MOST_NAME_WORDS
        and before.split()[0] != "i"
    )


def _marked(words: str) -> str:
    """The emoji for which Outlook writes a word, as in `[like] Ana reacted to your message`."""
    first = words.partition("]")[0] + "]"
    return "👍" if first in listed("(liked)") else "👎" if first in listed("(disliked)") else ""


def _read_tapback(line: str) -> Reaction | None:
    """`Liked “Your turn: bid”`, `Reacted 👍 to “…”`: what phones write to programs that show no reactions."""
    sign = next((sign for sign in line[:_LONGEST_EMOJI_LINE] if _is_emoji(sign)), "")
    plain = " ".join("".join(each for each in line if each not in _PART_OF_AN_EMOJI and each != sign).split())
    if sign and line.startswith(sign) and plain.startswith("to "):
        return Reaction(sign) if _OPENED.match(plain[2:]) else None
    for kind, emoji in (("(disliked quote)", "👎"), ("(liked quote)", "👍"), ("(other quote)", "")):
        for phrase in sorted(listed(kind), key=len, reverse=True):
            if fold_words(plain[: len(phrase)]) == phrase and _OPENED.match(plain[len(phrase) :]):
                return Reaction(sign or emoji)
    return None


def _is_emoji(line: str) -> bool:
    """True for a line of nothing but emojis."""
    signs = [sign for sign in line if sign not in _PART_OF_AN_EMOJI and not sign.isspace()]
    return (
        0 < len(signs) <= _LONGEST_EMOJI_LINE
        and all(unicodedata.category(sign) in ("So", "Sk", "Cf") for sign in signs)
        and any(unicodedata.category(sign) == "So" for sign in signs)
    )
