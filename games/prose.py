"""Plain text for people: wrapping to 72 columns, lists, names, the common parts of prompts and endings."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import normalize

from games.contract import Asked, Message, Seat, Translator, seat_letter

COLUMNS = 72


def wrap(text: str, indent: str = "") -> str:
    """Wrap the paragraph to lines of at most 72 columns; lines after the first begin with `indent`."""
    if len(text) <= COLUMNS and text.isprintable():  # most lines of a drawing
        return text.rstrip(" ")
    return "\n".join(textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False))


def head(title: str, tr: Translator) -> str:
    """Write a title that lists are put behind, `A  Ana:`; the colon is the reader's, French has a space before it."""
    return tr.gettext("{title}:").format(title=title)


def list_line(title: str, items: Iterable[str], indent: str = "", end: str = "") -> str:
    """Write `title item, item, item`, wrapped; further lines are indented by three more columns.

    `end`: a full stop, for a line of a prompt, which pages put into one paragraph with its other sentences.

    >>> list_line("Open cards:", ["SR", "RE"])
    'Open cards: SR, RE'
    >>> list_line("Open cards:", [], end=".")
    'Open cards: -.'
    """
    text = indent + " ".join([title, ", ".join(items) or "-"]) + end
    return wrap(text, indent + "   ")


def person(names: Sequence[str], seat: Seat) -> str:
    """Write the player's name with the seat's letter: `Ana (A)`."""
    return f"{names[seat]} ({seat_letter(seat)})"


def tell_passing(seats: Sequence[Seat], tr: Translator, names: Sequence[str], you: Seat | None) -> str:
    """Write that several seats pass, in one sentence: `Ana and Ben pass.`"""
    sentence = tr.gettext("{you_and_names} pass.") if you in seats else tr.gettext("{names} pass.")
    return name_all(sentence, seats, tr, names, you)


def name_all(
    sentence: str, seats: Sequence[Seat], tr: Translator, names: Sequence[str], you: Seat | None
) -> str:
    """Put the names of these seats into a sentence for `{names}`; for `{you_and_names}`, if the reader is among them.

    `Ana, Ben and Cy pass.` `You, Ben and Cy pass.` Each language says where in the list the reader stands.
    """
    others = [names[seat] for seat in seats if seat != you]
    listed = name_with_you(others, tr) if you in seats else join_names(others, tr)
    return sentence.format(names=listed, you_and_names=listed)


def join_names(names: Sequence[str], tr: Translator) -> str:
    """Join names as people say them: `Ana, Ben and Cy`."""
    *first, last = names
    if not first:
        return last
    return tr.gettext("{names} and {last}").format(names=", ".join(first), last=last)


def name_with_you(others: Sequence[str], tr: Translator) -> str:
    """Join the names of others and the reader, who begin a sentence: `You, Ana and Ben`."""
    *first, last = others
    if not first:
        return tr.gettext("You and {last}").format(last=last)
    return tr.gettext("You, {names} and {last}").format(names=", ".join(first), last=last)


def join_clauses(clauses: Sequence[str], tr: Translator) -> str:
    """Join parts that may hold commas themselves: `tile at 0,1; gem on its west side`."""
    joined = clauses[0]
    for clause in clauses[1:]:
        joined = tr.gettext("{clauses}; {last}").format(clauses=joined, last=clause)
    return joined


def ask(
    question: str,
    tr: Translator,
    texts: Iterable[str],
    words: Mapping[str, str] | None = None,
    note: str = "",
) -> str:
    """Write the question, then moves that could answer it, then as `explain_moves` what stands in them."""
    return "\n".join([wrap(question), *list_moves(tr, texts), *explain_moves(tr, words or {}, note)])


def explain_moves(tr: Translator, words: Mapping[str, str], note: str = "") -> list[str]:
    """Write below the moves how they are written, and what their words mean that the reader cannot guess.

    `words`: words of the notation, each with its meaning in the reader's language. A prompt ends with these lines.
    """
    meanings = [f"{word} = {meaning}" for word, meaning in words.items() if not _looks_like(word, meaning)]
    said = [tr.gettext("Words: {words}.").format(words=", ".join(meanings))] if meanings else []
    return [wrap(" ".join([note, *said]).strip())] if note or said else []


def _looks_like(word: str, meaning: str) -> bool:
    """Return whether both begin alike, so that one explains the other: `pass` and `passer`, `N` and `Norden`."""
    length = min(len(word), 3)
    return _fold(word)[:length] == _fold(meaning)[:length]


def _fold(text: str) -> str:
    """The text in small letters without accents."""
    return normalize("NFD", text.lower()).encode("ascii", "ignore").decode()


def list_moves(tr: Translator, texts: Iterable[str]) -> list[str]:
    """Write a line for every move, never the move alone: a quoted mail would play it."""
    return [tr.gettext("To play, write:  {move}").format(move=text) for text in texts]


def say_asked(asked: Asked | None, tr: Translator, names: Sequence[str]) -> list[str]:
    """Write the line about who is waited for, where the position alone does not tell it; else no line."""
    if asked is None or (asked.is_sealed and not asked.seats):
        return []
    if asked.is_over:
        return [say_ended(asked, tr, names)]
    return [list_line(tr.gettext("Still to seal:"), [person(names, seat) for seat in sorted(asked.seats)])]


def say_ended(asked: Asked, tr: Translator, names: Sequence[str], you: Seat | None = None) -> str:
    """Write how a match ended whose rules would go on; `you`: the seat of the reader, if it is addressed."""
    if asked.resigned is None:
        return tr.gettext("The match was ended here.")
    if asked.resigned == you:
        return wrap(tr.gettext("You have resigned, and so the match has ended here."))
    sentence = tr.gettext("{name} has resigned, and so the match has ended here.")
    return wrap(sentence.format(name=names[asked.resigned]))


def note_asked(asked: Asked, seat: Seat, tr: Translator) -> list[str]:
    """Write the note beside a seat's name: whether it is to act, is to seal an order, or has sealed one."""
    if seat in asked.ordered:
        return [tr.gettext("has sealed")]
    if seat not in asked.seats:
        return []
    return [tr.gettext("to seal") if asked.is_sealed else tr.gettext("to act")]


def name_winners(ranks: Sequence[int], scores: Sequence[int], tr: Translator, names: Sequence[str]) -> str:
    """Name the winners and their points."""
    winners = [names[seat] for seat, rank in enumerate(ranks) if rank == 1]
    score = max(scores)
    if len(winners) == 1:
        return tr.ngettext(
            "The match is over. {name} wins with {score} point.",
            "The match is over. {name} wins with {score} points.",
            score,
        ).format(name=winners[0], score=write_score(score))
    return tr.ngettext(
        "The match is over. {names} share the victory with {score} point.",
        "The match is over. {names} share the victory with {score} points.",
        score,
    ).format(names=join_names(winners, tr), score=write_score(score))


def write_score(score: object) -> str:
    """Write points with a true minus if they are below zero.

    >>> write_score(-2)
    '−2'
    """
    return str(score).replace("-", "−")


SIDE_WORDS = {"N": Message("north"), "E": Message("east"), "S": Message("south"), "W": Message("west")}
"""The directions by their letters."""


def name_side(side: str, tr: Translator) -> str:
    """Name a direction by its letter."""
    return SIDE_WORDS[side].text(tr)


def name_sides(tr: Translator) -> dict[str, str]:
    """Name all directions, by their letters."""
    return {side: word.text(tr) for side, word in SIDE_WORDS.items()}
