"""Sentences that mean a move, turned into ones that mean none: asked, denied, put off, told of somebody else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.mailgate.ordinary.trying import Prompt, open_prompt, prompt_names, read_move
from tests.mailgate.phrasing_sets import LANGUAGES
from tests.quick import first, size, some

ONE_IN = size(41, 7)
"""Each way to turn a sentence is tried on one sentence in so many, others from way to way."""

TURNS = {
    "en": (
        "{}?",
        "Should I {}",
        "If {}",
        "what if {}",
        "maybe {}",
        "not {}",
        "don't {}",
        "never {}",
        "I won't {}",
        "I could {}",
        "almost {}",
        "Why {}",
        "did you {}",
        "Ben says {}",
        "Ben wants to {}",
        "you said {}",
        "next turn {}",
        "after that {}",
        "before I {}",
        "instead of {}",
        "{} if Cy passes",
        "{} unless Ben objects",
        "{} when Ben is back",
        "{} tomorrow",
        "{} next turn",
        "{} last time",
        "{} or not",
        "{} or something else",
        "{}, no wait",
        "{}? Never!",
        "{} was silly",
        "{} would be silly",
        "{} is what Ben did",
        "{} is not possible",
        "{}, I suppose not",
        "{} - just kidding",
        "{} was my plan",
        "{}, if that's ok",
        "{} is that ok",
        "why not {}",
        "{} lol nope",
        "{}. Nah.",
        "{}, as if",
        "{}: bad idea",
        "in my last mail: {}",
    ),
    "fr": (
        "{} ?",
        "est-ce que {}",
        "si {}",
        "et si {}",
        "peut-être {}",
        "pas {}",
        "ne pas {}",
        "jamais {}",
        "presque {}",
        "Pourquoi {}",
        "Ben dit {}",
        "Ben veut {}",
        "au prochain tour {}",
        "avant de {}",
        "au lieu de {}",
        "faut-il {}",
        "{} si Cy passe",
        "{} sauf si Ben refuse",
        "{} quand Ben sera là",
        "{} demain",
        "{} au prochain tour",
        "{} la dernière fois",
        "{} ou pas",
        "{} ou autre chose",
        "{}, non attends",
        "{} ? Jamais !",
        "{}, c'était bête",
        "{} serait bête",
        "{} n'est pas possible",
        "{} : je plaisante",
        "{} était mon idée",
        "{}, si ça ne vous dérange pas",
        "{} c'est permis",
        "pourquoi pas {}",
        "{} haha non",
        "{}. Nan.",
        "{}, tu parles",
        "{} : mauvaise idée",
        "dans mon dernier mail : {}",
    ),
    "de": (
        "{}?",
        "Soll ich {}",
        "wenn {}",
        "was, wenn {}",
        "vielleicht {}",
        "nicht {}",
        "nie {}",
        "fast {}",
        "Warum {}",
        "Ben sagt {}",
        "Ben will {}",
        "nächste Runde {}",
        "bevor {}",
        "statt {}",
        "{} nicht",
        "{} doch nicht",
        "{}, wenn Cy passt",
        "{}, falls Ben nichts dagegen hat",
        "{}, sobald Ben da ist",
        "{} morgen",
        "{} nächste Runde",
        "{} letztes Mal",
        "{} oder nicht",
        "{} oder etwas anderes",
        "{}, nein warte",
        "{}? Niemals!",
        "{} war dumm",
        "{} wäre dumm",
        "{} geht nicht",
        "{} - nur ein Scherz",
        "{} war mein Plan",
        "{}, wenn's recht ist",
        "{} geht das",
        "warum nicht {}",
        "{} haha nein",
        "{}. Nee.",
        "{}, von wegen",
        "{}: schlechte Idee",
        "in meiner letzten Mail: {}",
    ),
}


SHORT_FOR_A_MOVE = frozenset({"si R4"})
"""Turned sentences that happen to be a move in our notation: `si` is short for `silver`."""


def turned(prompt: Prompt, language: str) -> list[str]:
    phrases = prompt.phrases[language]
    texts = [
        turn.format(phrase.rstrip("."))
        for number, turn in enumerate(TURNS[language])
        for phrase in some(phrases, ONE_IN, turn=number)
    ]
    return [text for text in texts if text not in SHORT_FOR_A_MOVE]


@pytest.mark.django_db
@pytest.mark.parametrize(("game", "position"), first(1, prompt_names()))
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_turned_sentence_is_no_move(game: str, position: str, language: str) -> None:
    prompt = open_prompt(game, position)
    found: list[Any] = [(text, read_move(prompt.asked, text)) for text in turned(prompt, language)]
    assert [f"{text!r} reads as {move}" for text, move in found if move] == []
