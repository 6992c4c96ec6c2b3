"""Tries sentences against every kind of prompt, as they are and with the words of a move planted inside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gemserver.mailgate.execute import SHOWN_BY_RECEIPT
from gemserver.mailgate.lines.commands import Command, MoveLine, read_lines
from gemserver.mailgate.lines.meaning import in_notation, reading_error
from tests.mailgate.phrasing_sets import GAMES, LANGUAGES, Asked, ask_ana, read_positions, read_set

_PHRASE = re.compile(r"[^\n{}.,:;!?…*\"“„«]{1,60}")
"""A phrasing without a greeting before it or another sentence behind."""
_PLACES = re.compile(r"(?<=[^\W\d_]) (?=[a-zàâäéèêëîïôöûüùçœß])")
"""Blanks inside of a sentence: behind a word without comma or full stop, before one with a small letter."""
NAMES = ("ana", "ben", "cy")
_AROUND = 2
"""Words of the sentence that stand at least before and behind what is planted."""


def read_move(asked: Asked, text: str) -> str | None:
    """Return the move that the mail gate reads in a text of one line; None if it reads none.

    The only place here that knows how the server reads.
    """
    seat, lines = asked.seat, read_lines(text)
    for line in lines:
        if isinstance(line, MoveLine):
            meant = in_notation(seat.match, seat, line, lines, lambda: NAMES)
            if reading_error(seat.match, seat, meant.text) is None:
                return meant.text
    return None


def has_effect(text: str) -> bool:
    """Return whether the mail gate reads a command in the text that does more than show something."""
    return any(isinstance(line, Command) and line.name not in SHOWN_BY_RECEIPT for line in read_lines(text))


@dataclass(frozen=True, slots=True)
class Prompt:
    """A position in which Ana is asked, and ways to answer in a language."""

    game: str
    position: str
    asked: Asked
    phrases: dict[str, list[str]]

    def __str__(self) -> str:
        return f"{self.game} [{self.position}]"


def open_prompt(game: str, position: str) -> Prompt:
    """Play up to a prompt."""
    return Prompt(game, position, ask_ana(game, position), read_phrases(game, position))


def read_phrases(game: str, position: str) -> dict[str, list[str]]:
    """By language, the short ways to answer this prompt: from the sets of phrasings, and all moves as we write them."""
    found: dict[str, list[str]] = {}
    for language in LANGUAGES:
        meant = [each for each in read_set(game, language) if each.position == position and each.move]
        texts = [each.move or "" for each in meant]
        texts += [each.text for each in meant if _PHRASE.fullmatch(each.text)]
        found[language] = list(dict.fromkeys(texts))
    return found


def planted(sentence: str, phrase: str) -> str | None:
    """Put the phrase into the middle of the sentence; None if the sentence has no such place.

    >>> planted("I saw him in the garden", "bid 3")
    'I saw him in bid 3 the garden'
    """
    places = [
        found.start()
        for found in _PLACES.finditer(sentence)
        if min(sentence.count(" ", 0, found.start()), sentence.count(" ", found.end())) >= _AROUND - 1
    ]
    if not places:
        return None
    middle = min(places, key=lambda place: abs(place - len(sentence) // 2))
    return f"{sentence[:middle]} {phrase.rstrip('.')} {sentence[middle + 1 :]}"


def try_sentences(
    prompt: Prompt, sentences: Iterable[tuple[str, str]], planting: int = 1, first: int = 0, every: int = 1
) -> Iterator[str]:
    """Yield every text in which a move was read: of pairs of language and sentence, each bare and so often planted.

    `first`: the number of the first sentence, which says what is planted into it; `every`: only one in so many is
    planted.
    """
    for number, (language, sentence) in enumerate(sentences, start=first):
        phrases = prompt.phrases[language]
        texts = [sentence]
        for turn in range(0 if number % every else planting):
            texts.append(planted(sentence, phrases[(number * planting + turn) % len(phrases)]) or "")
        for text in filter(None, texts):
            if move := read_move(prompt.asked, text):
                yield f"{prompt}: {text!r} reads as {move}"


def prompt_names() -> list[tuple[str, str]]:
    """Every game with each of its positions that was not drawn by lot."""
    return [
        (game, name)
        for game in GAMES
        for name, position in read_positions(game).items()
        if not position.is_drawn
    ]
