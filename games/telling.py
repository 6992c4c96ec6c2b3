"""The sentences of a log: what happened, told to the player who did it and to everybody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from games.contract import Event, Json, Message, Seat, Translator
from games.prose import write_score

Told: TypeAlias = tuple[Message, Message]
"""A sentence for the player who did it, and the one for everybody else, in which `{name}` is that player."""

PASS: Told = (Message("You pass."), Message("{name} passes."))


def tell(
    told: Told,
    event: Event,
    tr: Translator,
    names: Sequence[str],
    you: Seat | None,
    words: Mapping[str, object] | None = None,
) -> str:
    """Write the sentence for this reader, filled in with the player's name and these words (None: the event's data).

    `you`: the reader's own seat, as in `Words.describe`.
    """
    yours, others = told
    sentence = yours if is_own(event, you) else others
    filled = {**(event.data if words is None else words), "name": name_player(event, names)}
    return tr.gettext(sentence.template).format(**filled)


def is_own(event: Event, you: Seat | None) -> bool:
    """Return whether the reader did it."""
    return event.seat is not None and event.seat == you


def name_player(event: Event, names: Sequence[str]) -> str:
    """The name of the player who did it; empty where nobody did."""
    return "" if event.seat is None else names[event.seat]


def tell_end(event: Event, tr: Translator, names: Sequence[str]) -> str:
    """Write what a match ended with: `The match is over: Ana 12, Ben 9.`"""
    return tr.gettext("The match is over: {scores}.").format(scores=list_scores(event, names))


def list_scores(event: Event, names: Sequence[str]) -> str:
    """List the `scores` of an event: `Ana 12, Ben 9`."""
    scores = zip(names, items(event.data["scores"]), strict=True)
    return ", ".join([f"{name} {write_score(score)}" for name, score in scores])


def items(value: Json) -> Sequence[Json]:
    """The items of a list in an event's data."""
    assert isinstance(value, Sequence)
    return value
