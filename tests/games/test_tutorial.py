"""Tutorials: the five of the house, and files that cannot be read."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module, invalidate_caches, resources
from pathlib import Path

import pytest

from games.registry import OWN, game
from games.testing.conformance.test_tutorial import list_languages
from games.testing.readers import TR
from games.tutorial import BadTutorial, Tutorial, has_tutorial, judge, read_paragraphs, read_tutorial

Reader = Callable[[str, str], Tutorial | None]


def read(slug: str, language: str = "en") -> Tutorial:
    found = read_tutorial(game(slug), language)
    assert found is not None
    return found


@pytest.mark.parametrize("slug", OWN)
def test_every_game_of_the_house_teaches_in_three_languages(slug: str) -> None:
    assert list_languages(slug) == ["de", "en", "fr"]
    assert read(slug, "fr").language == "fr"
    assert read(slug, "nl").language == "en"


@pytest.mark.parametrize("slug", OWN)
def test_a_tutorial_speaks_of_scoring(slug: str) -> None:
    """The paragraphs that its steps are about include one of the part of the rules where points are counted."""
    scoring = {"florentine": 23, "gem": 22, "gembatan": 21, "gemessengers": 24, "jewellers": 18}
    assert scoring[slug] in {step.rule for step in read(slug).steps}


@pytest.mark.parametrize("slug", ["florentine", "gem", "jewellers"])
def test_a_tutorial_has_a_position_of_every_phase(slug: str) -> None:
    phases = set(import_module(f"games.{slug}.state").Phase)
    assert {step.reached.state.phase for step in read(slug).steps} == {
        phase for phase in phases if phase.value != "over"
    }


def test_a_right_answer_says_why_and_what_it_brings_about() -> None:
    tutorial = read("gem")
    step = tutorial.find("take")
    assert step is not None
    verdict = judge(step, "Take ss pay 1.")
    assert verdict.is_right
    assert verdict.move == "take SS pay 1"
    names = step.names
    said = [step.game.words.describe(event, TR, names, step.seat) for event in verdict.events]
    assert said[0] == "You take SS (sapphire sapphire) and pay 1; it is inactive."
    assert step.game.rules.view(verdict.state, step.seat) != step.view
    after = tutorial.after(step)
    assert after is not None
    assert (after.name, tutorial.number(after)) == ("outbid", 3)
    assert tutorial.after(tutorial.steps[-1]) is None


def test_a_refused_try_without_an_answer_of_its_own_names_the_paragraph_of_the_step() -> None:
    step = read("gem").steps[0]
    verdict = judge(step, "bid many")
    assert (verdict.text, verdict.rule) == ("", 8)
    assert verdict.refusal is not None
    assert verdict.refusal.code == "not-a-number"


@pytest.mark.parametrize(
    ("slug", "name", "move", "said"),
    [
        ("gem", "invest", "invest SS", ""),
        ("gem", "invest", "invest SS D3", "Both together cost 6, and you have 3. Activate one."),
        ("gem", "pay", "take TT", ""),
        ("gem", "pay", "take TT pay 1 3", ""),
        ("gem", "take", "take SS pay 1 2 3", ""),
        ("florentine", "cross", "place bgog d5 N", ""),
        ("florentine", "corners", "discard rrbb", ""),
        ("jewellers", "bonus", "bid 12", ""),
        ("gembatan", "gem", "gem GY -2,1 N + gem GY -2,0 N", ""),
    ],
)
def test_an_answer_is_given_only_to_the_tries_that_it_is_about(
    slug: str, name: str, move: str, said: str
) -> None:
    step = read(slug).find(name)
    assert step is not None
    verdict = judge(step, move)
    assert verdict.refusal is not None
    assert verdict.text == said


def test_who_names_no_payment_is_told_so() -> None:
    step = read("gem").find("pay")
    assert step is not None
    refusal = judge(step, "take TT").refusal
    assert refusal is not None
    assert (
        refusal.message.text(TR) == "You owe 6 and have named no payment. Add “pay” and your coins or cards."
    )


def test_the_wrong_paragraph_of_the_rules_is_quoted_in_the_language_of_the_tutorial() -> None:
    assert read("gem", "de").quote(12).startswith("Niemand darf mehr bieten")
    assert read("gem", "fr").quote(12).startswith("Personne ne peut miser plus")


def test_paragraphs_are_read_without_tables_and_marks() -> None:
    rules = game("gem").read_rules()
    found = read_paragraphs(rules)
    assert found[4] == (
        "Reconstructed: each pair of different jewels is on one card, each pair of equal jewels on one card; value "
        "and cost of a card are the same number."
    )
    assert sorted(found) == list(range(1, 27))


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("slug", OWN)
def test_a_paragraph_that_is_quoted_alone_is_a_sentence(slug: str, language: str) -> None:
    for number, text in read_paragraphs(game(slug).read_rules(language)).items():
        assert text[0].isupper() or text.startswith("up to 17"), (number, text)  # that is a move
        assert text.rstrip(")").endswith("."), (number, text)


@pytest.fixture
def damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Reads a copy of GEM's tutorial in which a text of `tutorial.toml` was replaced."""
    monkeypatch.syspath_prepend(str(tmp_path))
    package = tmp_path / "damaged_game"
    shutil.copytree(str(resources.files("games.gem") / "tutorial"), package / "tutorial")
    shutil.copy(str(resources.files("games.gem") / "RULES.md"), package)
    (package / "__init__.py").touch()
    monkeypatch.delitem(sys.modules, "damaged_game", raising=False)
    invalidate_caches()
    import_module("damaged_game")

    def read_damaged(text: str, by: str) -> Tutorial | None:
        file = package / "tutorial" / "tutorial.toml"
        before = file.read_text(encoding="utf-8")
        assert text in before
        file.write_text(before.replace(text, by, 1), encoding="utf-8")
        return read_tutorial(replace(game("gem"), package="damaged_game"))

    return read_damaged


@pytest.mark.parametrize(
    ("text", "by", "said"),
    [
        ("[[steps]]", "[[steps", "tutorial.toml"),
        ('name = "take"', 'name = "open"', "stands once"),
        ('name = "take"', 'name = "Take it"', "small letters"),
        ('title = "Open an auction"', "", "title"),
        ("ply = 0", 'ply = "0"', "ply"),
        ("ply = 0", "ply = 5000", "plies"),
        ("ply = 0", 'ply = 0\nseat = "D"', "seat"),
        ('record = "lesson.match"', 'record = "missing.match"', "missing.match"),
        ('record = "lesson.match"', 'record = "../RULES.md"', "beside"),
        ('right = ["bid 1"]', 'right = "bid 1"', "right"),
        ("rule = 8", "rule = 8\nrul = 9", "rul"),
        ('tries = ["bid 0"]', "tries = []", "tries"),
        ("welcome", "wellcome", "welcome"),
    ],
)
def test_a_damaged_file_is_refused_with_the_place(damaged: Reader, text: str, by: str, said: str) -> None:
    with pytest.raises(BadTutorial) as refusal:
        damaged(text, by)
    assert said in refusal.value.message.text(TR)


def test_a_translation_with_too_few_answers_is_refused(damaged: Reader) -> None:
    tutorial = damaged("rule = 8", "rule = 8")
    assert tutorial is not None
    spoken = replace(game("gem"), package="damaged_game")
    file = Path(str(spoken.folder)) / "tutorial" / "tutorial.fr.toml"
    text = file.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith('    "'))
    file.write_text(text.replace(line, "", 1), encoding="utf-8")
    with pytest.raises(BadTutorial, match="bad-tutorial"):
        read_tutorial(spoken, "fr")


def test_a_package_without_the_folder_has_no_tutorial(damaged: Reader) -> None:
    damaged("rule = 8", "rule = 8")
    bare = replace(game("gem"), package="damaged_game")
    shutil.rmtree(Path(str(bare.folder)) / "tutorial")
    assert not has_tutorial(bare)
    assert read_tutorial(bare) is None
