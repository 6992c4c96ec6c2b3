"""Plain text for people: wrapping to 72 columns, lists, names, what every prompt and every ending says."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from games.contract import Asked, Seat, Translator, seat_letter

COLUMNS = 72


def wrap(text: str, indent: str = "") -> str:
    """The paragraph in lines of at most 72 columns; lines after the first begin with `indent`."""
    return "\n".join(textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False))


def list_line(title: str, items: Iterable[str], indent: str = "") -> str:
    """`title item, item, item`, wrapped; further lines stand three columns deeper than the first."""
    text = indent + " ".join([title, ", ".join(items) or "-"])
    return wrap(text, indent + "   ")


def person(names: Sequence[str], seat: Seat) -> str:
    """The player's name with the seat's letter: `Ana (A)`."""
    return f"{names[seat]} ({seat_letter(seat)})"


def ask(question: str, tr: Translator, texts: Iterable[str]) -> str:
    """The question, then the moves that could be its answer."""
    return "\n".join([wrap(question), *list_moves(tr, texts)])


def list_moves(tr: Translator, texts: Iterable[str]) -> list[str]:
    """One line for every text, never the text alone: a quoted mail would play it."""
    return [tr.gettext("To play, write:  {move}").format(move=text) for text in texts]


def say_asked(asked: Asked | None, tr: Translator, names: Sequence[str]) -> list[str]:
    """What a drawing says where the position alone does not tell whom the table waits for."""
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
    """What the table wants of this seat, to be noted beside its name."""
    if seat in asked.ordered:
        return [tr.gettext("has ordered")]
    if seat not in asked.seats:
        return []
    return [tr.gettext("to order") if asked.is_sealed else tr.gettext("to act")]


def name_winners(ranks: Sequence[int], scores: Sequence[int], tr: Translator, names: Sequence[str]) -> str:
    """Who has won, and with how many points."""
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
    """A direction by its letter."""
    return {
        "N": tr.gettext("north"),
        "E": tr.gettext("east"),
        "S": tr.gettext("south"),
        "W": tr.gettext("west"),
    }[side]
