"""Ordinary sentences, most of them from real mails, never move a piece, whatever is asked.

`tests/mailgate/ordinary/SOURCES.md` says where they come from; `make ordinary` tries a hundred thousand more.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from games import registry
from tests.mailgate.ordinary import gather
from tests.mailgate.ordinary.trying import open_prompt, planted, prompt_names, read_move, try_sentences
from tests.mailgate.phrasing_sets import ask_ana, play_by_mail
from tests.quick import first, size, some

SAMPLE = Path(gather.__file__).with_name("sample.txt")
GAMES = Path(registry.__file__).parent
ROOT = GAMES.parent

BY_MAIL = size(16, 40)
"""Sentences that go through the whole mail gate at each prompt."""


@cache
def sentences() -> list[tuple[str, str]]:
    """All sentences of the repository with their languages, in an order that mixes these."""
    found = dict.fromkeys(SAMPLE.read_text(encoding="utf-8").splitlines(), "en")
    found |= {text: language for language, text in gather.gather(GAMES, "RULES*.md") if gather.is_kept(text)}
    return [(found[text], text) for text in gather.shuffled({*found})]


def test_there_are_sentences_of_real_mail_in_english_and_of_ours_in_french_and_german() -> None:
    languages = [language for language, _ in sentences()]
    assert languages.count("en") >= 3900
    assert min(languages.count("fr"), languages.count("de")) >= 300
    assert all(gather.is_kept(sentence) for _, sentence in sentences())


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("game", "position"), prompt_names())
def test_no_sentence_is_a_move_nor_with_the_words_of_one_inside(game: str, position: str) -> None:
    prompt = open_prompt(game, position)
    assert read_move(prompt.asked, prompt.phrases["en"][0]), "the prompt is not asked in this way any more"
    turn = prompt_names().index((game, position))
    found = try_sentences(prompt, some(sentences(), 80, turn))
    assert list(islice(found, 20)) == []


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(("game", "position"), first(1, prompt_names()))
def test_a_mail_of_ordinary_sentences_plays_nothing(game: str, position: str) -> None:
    prompt = open_prompt(game, position)
    number = prompt_names().index((game, position))
    texts: list[Any] = []
    for language, sentence in sentences()[number * BY_MAIL :][: BY_MAIL // 2]:
        phrase = prompt.phrases[language][number % len(prompt.phrases[language])]
        texts += [sentence, planted(sentence, phrase)]
    mails = [f"Hi Ben,\n\n{text}\n\nBest wishes\nAna" for text in texts if text]
    assert [(mail, moves) for mail in mails if (moves := play_by_mail(prompt.asked, mail))] == []


@pytest.mark.django_db
def test_a_move_on_a_line_of_its_own_below_them_is_found() -> None:
    """So that the tests above would notice a move."""
    asked = ask_ana("gem", "bid")
    ordinary = sentences()[0][1]
    assert read_move(asked, "bid 3")
    assert play_by_mail(asked, f"{ordinary}\n\nbid 3\n\nAna") == ["bid 3"]


@pytest.mark.parametrize(
    ("sentence", "result"),
    [
        ("I saw him in the garden", "I saw him in bid 3 the garden"),
        ("Yes, Ben", None),
        ("Thanks. Really, Ben, I mean it", "Thanks. Really, Ben, I bid 3 mean it"),
    ],
)
def test_moves_are_planted_inside_a_sentence(sentence: str, result: str | None) -> None:
    assert planted(sentence, "bid 3") == result
