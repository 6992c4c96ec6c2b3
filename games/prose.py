"""Plain text for people: wrapping to 72 columns, lists, names, the common parts of prompts and endings."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from games.contract import Asked, Seat, Translator, seat_letter

COLUMNS = 72


def wrap(text: str, indent: str = "") -> str:
    """Wrap the paragraph to lines of at most 72 columns; lines after the first begin with `indent`."""
    return "\n".join(textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False))


def list_line(title: str, items: Iterable[str], indent: str = "") -> str:
    """Write `title item, item, item`, wrapped; further lines are indented by three more columns.

    >>> list_line("Open cards:", ["SR", "RE"])
    'Open cards: SR, RE'
    >>> list_line("Open cards:", [])
    'Open cards: -'
    """
    text = indent + " ".join([title, ", ".join(items) or "-"])
    return wrap(text, indent + "   ")


def person(names: Sequence[str], seat: Seat) -> str:
    """Write the player's name with the seat's letter: `Ana (A)`."""
    return f"{names[seat]} ({seat_letter(seat)})"


def ask(question: str, tr: Translator, texts: Iterable[str]) -> str:
    """Write the question, then moves that could answer it."""
    return "\n".join([wrap(question), *list_moves(tr, texts)])


def list_moves(tr: Translator, texts: Iterable[str]) -> list[str]:
    """Write a line for every move, never the move alone: a quoted mail would play it."""
    return [tr.gettext("To play, write:  {move}").format(move=text) for text in texts]


def say_asked(asked: Asked | None, tr: Translator, names: Sequence[str]) -> list[str]:
    """Write the line about who is waited for, where the position alone does not tell it; else no line."""
    if asked is None or (asked.is_sealed and not asked.seats):
        return []
    if asked.is_over:
        return [tr.gettext("The match was ended here.")]
    return [
        list_line(
            tr.gettext("Waiting for sealed orders of:"), [person(names, seat) for seat in sorted(asked.seats)]
        )
    ]


def note_asked(asked: Asked, seat: Seat, tr: Translator) -> list[str]:
    """Write the note beside a seat's name: whether it is to act, is to order, or has ordered."""
    if seat in asked.ordered:
        return [tr.gettext("has ordered")]
    if seat not in asked.seats:
        return []
    return [tr.gettext("to order") if asked.is_sealed else tr.gettext("to act")]


def name_winners(ranks: Sequence[int], scores: Sequence[int], tr: Translator, names: Sequence[str]) -> str:
    """Name the winners and their points."""
    winners = [names[seat] for seat, rank in enumerate(ranks) if rank == 1]
    score = max(scores)
    if len(winners) == 1:
        return tr.ngettext(
            "The match is over. {name} wins with {score} point.",
            "The match is over. {name} wins with {score} points.",
            score,
        ).format(name=winners[0], score=score)
    return tr.ngettext(
        "The match is over. {names} share the victory with {score} point.",
        "The match is over. {names} share the victory with {score} points.",
        score,
    ).format(names=", ".join(winners), score=score)


def name_side(side: str, tr: Translator) -> str:
    """Name a direction by its letter."""
    return {
        "N": tr.gettext("north"),
        "E": tr.gettext("east"),
        "S": tr.gettext("south"),
        "W": tr.gettext("west"),
    }[side]
